"""The file of MariaDB's plugin server_audit, which Amazon RDS and Aurora have for MySQL, too.

It reports the database and the outcome of each statement, also of those in routines and triggers.
The job is that of a comment ``/* job=NAME */``, else user and host.
"""

from __future__ import annotations

import re
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from lineage.directories import unrotated_name
from lineage.errors import InvalidEvent
from lineage.openlineage.timestamps import of_datetime
from lineage.readers.files import decode_text, is_csv, unescape_value
from lineage.readers.query_logs.forms.form import UNKNOWN, Form, JobName, read_records
from lineage.readers.query_logs.forms.mysql import has_job, name_job
from lineage.readers.query_logs.rows import Kind, Row, parse_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.readers.files import OnBad, Record, Source
    from lineage.readers.query_logs.forms.form import Reading

# Of MariaDB and RDS, or microseconds since 1970 of Aurora.
_TIME = r"(?P<time>\d{8} \d\d:\d\d:\d\d|\d{16})"
# RDS for MySQL writes further fields after the error code, such as the type of the connection.
_LINE = re.compile(
    rf"{_TIME},(?P<server>[^,]*),(?P<user>[^,]*),(?P<host>[^,]*),(?P<connection>\d+),(?P<query>\d+),"
    r"(?P<operation>[A-Z_]+),(?P<database>[^,]*),(?P<object>'.*'|[^',]*),(?P<code>\d*)"
    r"(?:,[^',]*){0,2}\s*"
)
_CALL = re.compile(r"(?is)(?:\s|/\*.*?\*/|(?:#|--\s)[^\n]*\n)*call\b")
# The plugin of MariaDB 12 writes the port of a client behind its host. An address of IPv6 has
# colons of its own, and a port of less than five digits could be its last group.
_PORT = re.compile(r"([^:]+|\[.*\]):\d+|(.+):\d{5}")
# The plugin writes this many bytes of a statement unless server_audit_query_log_limit is higher. An
# escape is written whole or not at all.
_DEFAULT_LIMIT = range(1023, 1025)
# A server that starts again counts its connections anew.
_KINDS = {"CONNECT": Kind.RESET, "DISCONNECT": Kind.END}
# The numbers of queries grow, also over the files of a rotated log; DISCONNECT has none.
_LAST = (1 << 63) - 1


def _matches_source(source: Source) -> bool:
    if not is_csv(source):
        return False
    first = source.beginning.decode(errors="replace")
    return any(map(_LINE.fullmatch, first.splitlines()[:5]))


def _read_source(source: Source, reading: Reading) -> Iterator[tuple[str, Row]]:
    newest = reading.queries.setdefault(unrotated_name(source.name), {})

    def read_record(record: Record, place: str, reading: Reading) -> Row | None:
        connection, query = record["connection"], int(record["query"])
        if record["operation"] == "CONNECT":
            newest.pop(connection, None)
        has_parts = query < newest.get(connection, 0)
        newest[connection] = max(query, newest.get(connection, 0))
        row = _read_record(record, place, reading)
        # The statements of a routine are lines before that of its call. They are not of its job.
        if row is None or (has_parts and _CALL.match(row.text) and not has_job(row.text)):
            return None
        return row

    return read_records(_read_lines(source, reading.on_bad), source, reading, read_record)


def _read_lines(source: Source, on_bad: OnBad) -> Iterator[tuple[int, Record]]:
    for number, line in source.lines:
        place = f"{source.name}:{number}"
        try:
            match = _LINE.fullmatch(decode_text(line, place))
        except InvalidEvent as error:
            on_bad(error)
            continue
        if match is None:
            on_bad(InvalidEvent(f"{place}: The line is not one of server_audit."))
        else:
            yield number, match.groupdict()


def _read_record(record: Record, place: str, reading: Reading) -> Row | None:
    kind = _KINDS.get(record["operation"])
    if kind is None and record["operation"].startswith("QUERY"):
        kind = Kind.STATEMENT
    if kind is None:
        return None
    quoted = record["object"][1:-1]
    if len(quoted.encode()) in _DEFAULT_LIMIT:
        raise InvalidEvent(
            f"{place}: The statement is cut after 1,024 bytes.",
            "Set server_audit_query_log_limit to the length of the longest statements.",
        )
    text = unescape_value(quoted)
    user, host, database = record["user"], _remove_port(record["host"]), record["database"]
    job = name_job(reading, text, user, host, database) or JobName(UNKNOWN)
    return Row(
        time=_read_time(record["time"]),
        job=job.name,
        job_namespace=job.namespace,
        run=job.run,
        session=record["connection"],
        kind=kind,
        position=_LAST if kind == Kind.END else int(record["query"]),
        text=text,
        database=database,
        user=user,
        host=host,
        failed=record["code"] not in ("", "0"),
    )


def _remove_port(host: str) -> str:
    match = _PORT.fullmatch(host)
    return match[1] or match[2] if match else host


def _read_time(text: str) -> str:
    """Return a time of the file, which has no zone, as UTC."""
    if len(text) == len("1234567890123456"):
        return of_datetime(datetime.fromtimestamp(int(text) / 1_000_000, timezone.utc))
    return parse_time(f"{text[:4]}-{text[4:6]}-{text[6:8]}T{text[9:]}")


FORM = Form("mysql-audit", "mysql", _matches_source, _read_source)
