"""MySQL's general log, as a file or as rows of mysql.general_log. It does not report failures.

The job is that of a comment ``/* job=NAME */``, else user and host.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lineage.directories import unrotated_name
from lineage.errors import InvalidEvent
from lineage.readers.files import decode_text, is_csv, read_table, table_columns
from lineage.readers.query_logs.forms.form import Form, LineClock, optional_text, read_records
from lineage.readers.query_logs.rows import Kind, Row, parse_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.readers.files import OnBad, Record, Source
    from lineage.readers.query_logs.forms.form import JobName, Reading

_LINE = re.compile(
    r"(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d))\s+(\d+) (\w[\w ]*?)(?:\t(.*))?\n?"
)
# MariaDB and older servers write a time once for the lines of a second, without a zone.
_SHORT_LINE = re.compile(r"(\d{6} [ \d]\d:\d\d:\d\d|\t?)\t *(\d+) (\w[\w ]*?)(?:\t(.*))?\n?")
# A server that starts writes three lines: its version, its port, and the names of the columns.
_START = re.compile(r"\S*(?:mysqld|mariadbd)\S*, Version: .* started with:\s*")
_COLUMN_NAMES = re.compile(r"Time\s+Id Command\s+Argument\s*")
_TABLE_COLUMNS = {"event_time", "user_host", "thread_id", "command_type", "argument"}
_JOB_COMMENT = re.compile(r"/\*\s*job=([^*\s][^*]*?)\s*\*/")
_KINDS = {
    "Query": Kind.STARTED,
    "Execute": Kind.STARTED,
    "Change user": Kind.RESET,
    "Reset Connection": Kind.RESET,
    "Reset connection": Kind.RESET,  # of MariaDB
    "Quit": Kind.END,
}
_CONNECTED = re.compile(r"(\S+?)@(\S*)(?: as \S*)?(?: on (\S*))?")
# The effective user, the session user, the host if it has a name, and its address.
_USER = re.compile(r"(.*?)\[(.*?)\] @ (\S*)(?: \[([^\]]*)\])?")


def _matches_source(source: Source) -> bool:
    if _is_table(source):
        return True
    first = source.beginning.decode(errors="replace")
    return is_csv(source) and any(
        _LINE.match(line) or _SHORT_LINE.match(line) for line in first.splitlines()[:5]
    )


def _is_table(source: Source) -> bool:
    return set(table_columns(source)) >= _TABLE_COLUMNS


def _read_source(source: Source, reading: Reading) -> Iterator[tuple[str, Row]]:
    name = unrotated_name(source.name)
    if _is_table(source):
        records = read_table(source, reading.on_bad)
    else:
        clock = reading.clocks.setdefault(name, LineClock())
        records = _read_lines(source, reading.on_bad, clock)
    sessions = reading.sessions.setdefault(name, {})
    are_without_time = False

    def read_record(record: Record, place: str, reading: Reading) -> Row | None:
        nonlocal are_without_time
        row = _read_record(record, place, reading, sessions)
        if row is None or row.time:
            return row
        if not are_without_time:
            are_without_time = True
            raise InvalidEvent(
                f"{place}: The time of the first lines is in the file before this one.",
                "Import both files together.",
            )
        return None

    return read_records(records, source, reading, read_record)


def _read_lines(source: Source, on_bad: OnBad, clock: LineClock) -> Iterator[tuple[int, Record]]:
    """Yield the entries of a log file. A statement may go on over several lines.

    A rotated log of MariaDB has no time before the next second.
    """
    started: tuple[int, Record] | None = None
    is_header = False
    for number, line in source.lines:
        try:
            text = decode_text(line, f"{source.name}:{number}")
        except InvalidEvent as error:
            on_bad(error)
            if started and _read_entry(line.decode(errors="replace"), clock):
                yield started
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
    kind = _KINDS.get(command)
    before = sessions.get(thread)
    if command == "Connect" and _CONNECTED.match(text):
        before, kind = None, Kind.RESET  # a server that starts again counts its threads anew
    if command in ("Connect", "Change user") and (match := _CONNECTED.match(text)):
        sessions[thread] = match[1], match[2], match[3] or ""
    elif match := _USER.search(optional_text(record, "user_host")):
        user, host = match[2] or match[1], match[3] or match[4] or ""
        sessions.setdefault(thread, (user, host, ""))
    # A change of user ends the session of the previous user.
    user, host, database = before or sessions.get(thread, ("", "", ""))
    if command == "Init DB":
        sessions[thread] = user, host, text
    if kind is None:
        return None
    job = name_job(reading, text, user, host, database)
    if job is None:
        raise InvalidEvent(
            f"{place}: The file does not show who connected as thread {thread}.",
            "Export the table mysql.general_log, whose rows have it (log_output = TABLE).",
        )
    return Row(
        time=_parse_time(optional_text(record, "event_time"), place),
        job=job.name,
        job_namespace=job.namespace,
        run=job.run,
        session=thread,
        position=record.get("position", 0),
        kind=kind,
        text=text if kind == Kind.STARTED else "",
        database=database,
        user=user,
        host=host,
    )


def name_job(reading: Reading, text: str, user: str, host: str, database: str) -> JobName | None:
    """Return the job of a comment in a statement, else that of user and host; None without both."""
    named = _JOB_COMMENT.search(text)
    if named is None and not user:
        return None
    application = named[1] if named else f"{user}@{host}"
    return reading.name_job(application, user=user, database=database, host=host)


def has_job(text: str) -> bool:
    """Return whether a comment in a statement names its job."""
    return bool(_JOB_COMMENT.search(text))


def _parse_time(text: str, place: str) -> str:
    """Return a time, "" if no line before has one. Raises InvalidEvent."""
    try:
        return parse_time(text) if text else ""
    except ValueError as error:
        raise InvalidEvent(f"{place}: event_time {error}.") from None


FORM = Form("mysql", "mysql", _matches_source, _read_source)
