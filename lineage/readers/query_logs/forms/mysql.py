"""MySQL's general log, as a file or as rows of mysql.general_log. It does not report failures.

The job is that of a comment ``/* job=NAME */``, else user and host.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lineage.directories import unrotated_name
from lineage.errors import InvalidEvent
from lineage.readers.files import csv_columns, decode_text, is_csv, read_csv
from lineage.readers.query_logs.forms.form import Form, optional_text, read_records
from lineage.readers.query_logs.rows import Kind, Row, parse_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.readers.files import OnBad, Record, Source
    from lineage.readers.query_logs.forms.form import Reading

_LINE = re.compile(
    r"(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d))\s+(\d+) (\w[\w ]*?)(?:\t(.*))?\n?"
)
# MariaDB and older servers write a time once for the lines of a second, without a zone.
_SHORT_LINE = re.compile(r"(\d{6} [ \d]\d:\d\d:\d\d|\t?)\t *(\d+) (\w[\w ]*?)(?:\t(.*))?\n?")
# A server that starts writes three lines: its version, its port, and the names of the columns.
_START = re.compile(r"\S*(?:mysqld|mariadbd)\S*, Version: .* started with:\s*")
_COLUMN_NAMES = re.compile(r"Time\s+Id Command\s+Argument\s*")
_TABLE_COLUMNS = {"event_time", "user_host", "thread_id", "command_type", "argument"}
JOB_COMMENT = re.compile(r"/\*\s*job=([^*\s][^*]*?)\s*\*/")
_EXECUTED = ("Query", "Execute")
_CONNECTED = re.compile(r"(\S+?)@(\S*)(?: on (\S*))?")
_USER = re.compile(r"(\w*)\[[^\]]*\] @ (\S*)")


def _matches_source(source: Source) -> bool:
    if not is_csv(source):
        return False
    first = source.beginning.decode(errors="replace")
    return set(csv_columns(source)) >= _TABLE_COLUMNS or any(
        _LINE.match(line) or _SHORT_LINE.match(line) for line in first.splitlines()[:5]
    )


def _read_source(source: Source, reading: Reading) -> Iterator[tuple[str, Row]]:
    is_table = set(csv_columns(source)) >= _TABLE_COLUMNS
    records = read_csv(source, reading.on_bad) if is_table else _read_lines(source, reading.on_bad)
    sessions = reading.sessions.setdefault(unrotated_name(source.name), {})

    def read_record(record: Record, place: str, reading: Reading) -> Row | None:
        return _read_record(record, place, reading, sessions)

    return read_records(records, source, reading, read_record)


def _read_lines(source: Source, on_bad: OnBad) -> Iterator[tuple[int, Record]]:
    """Yield the entries of a log file. A statement may go on over several lines."""
    started: tuple[int, Record] | None = None
    is_header = False
    clock = LineClock()
    for number, line in source.lines:
        try:
            text = decode_text(line, f"{source.name}:{number}")
        except InvalidEvent as error:
            on_bad(error)
            started = None  # the statement with the line is not known
            continue
        record = _read_entry(text, clock)
        if record is None:
            is_header = is_header or bool(_START.fullmatch(text))
            if started and is_header:
                yield started
                started = None
            elif started:
                started[1]["argument"] += "\n" + text.removesuffix("\n")
            is_header = is_header and not _COLUMN_NAMES.fullmatch(text)
            continue
        is_header = False
        if started:
            yield started
        started = number, record
    if started:
        yield started


@dataclass
class LineClock:
    """The time of the last line that has one, and the lines of each thread since then."""

    time: str = ""
    lines: Counter[str] = field(default_factory=Counter)

    def count_line(self, time: str, thread: str) -> int:
        """Return the number of the lines of a thread at this time before this line."""
        if time.strip() and time != self.time:
            self.time = time
            self.lines.clear()
        self.lines[thread] += 1
        return self.lines[thread] - 1


def _read_entry(text: str, clock: LineClock) -> Record | None:
    """Read the first line of an entry; None for another line."""
    names = ("event_time", "thread_id", "command_type", "argument")
    if match := _LINE.fullmatch(text):
        return dict(zip(names, (group or "" for group in match.groups()), strict=True))
    if not (match := _SHORT_LINE.fullmatch(text)):
        return None
    time, thread, command, argument = match.groups()
    position = clock.count_line(time, thread)
    whole = "-".join(re.findall(r"\d\d", clock.time.partition(" ")[0]))
    time = f"20{whole}T{clock.time.partition(' ')[2].replace(' ', '0')}" if whole else ""
    values = (time, thread, command, argument or "")
    return {**dict(zip(names, values, strict=True)), "position": position}


def _read_record(
    record: Record, place: str, reading: Reading, sessions: dict[str, tuple[str, str, str]]
) -> Row | None:
    thread, command = optional_text(record, "thread_id"), optional_text(record, "command_type")
    text = optional_text(record, "argument").strip()
    if command == "Connect" and (match := _CONNECTED.match(text)):
        sessions[thread] = match[1], match[2], match[3] or ""
        return None
    if match := _USER.search(optional_text(record, "user_host")):
        sessions.setdefault(thread, (match[1], match[2], ""))
    user, host, database = sessions.get(thread, ("", "", ""))
    if command == "Init DB":
        sessions[thread] = user, host, text
        return None
    kind = Kind.END if command == "Quit" else Kind.STARTED if command in _EXECUTED else None
    if kind is None:
        return None
    named = JOB_COMMENT.search(text)
    if named is None and not user:
        raise InvalidEvent(
            f"{place}: The file does not show who connected as thread {thread}.",
            "Export the table mysql.general_log, whose rows have it (log_output = TABLE).",
        )
    application = named[1] if named else f"{user}@{host}"
    job = reading.name_job(application, user=user, database=database, host=host)
    return Row(
        time=_parse_time(optional_text(record, "event_time"), place),
        job=job.name,
        job_namespace=job.namespace,
        run=job.run,
        session=thread,
        position=record.get("position", 0),
        kind=kind,
        text="" if kind == Kind.END else text,
        database=database,
        user=user,
        host=host,
    )


def _parse_time(text: str, place: str) -> str:
    try:
        return parse_time(text)
    except ValueError as error:
        raise InvalidEvent(f"{place}: event_time {error}.") from None


FORM = Form("mysql", "mysql", _matches_source, _read_source)
