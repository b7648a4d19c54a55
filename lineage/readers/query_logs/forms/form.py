"""Common parts of all forms: the options of reading, and the values of records."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from lineage.errors import InvalidEvent
from lineage.openlineage.timestamps import of_datetime
from lineage.readers.application_names import PREFIX, split_name
from lineage.readers.files import read_table, table_columns
from lineage.readers.query_logs.event_numbers import EventNumbers
from lineage.readers.query_logs.rows import parse_time

if TYPE_CHECKING:
    from lineage.readers.files import OnBad, Record, Source
    from lineage.readers.query_logs.rows import Row


# From 1973 on; as seconds or microseconds, these numbers are no time of a log.
_MILLISECONDS = range(10**11, 10**13)
UNKNOWN = "unknown"  # the job of statements without application name and user


class JobName(NamedTuple):
    """The job of a row, and its run. ``namespace``: "" for that of the server."""

    name: str
    run: str = ""
    namespace: str = ""


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


@dataclass(frozen=True)
class Reading:
    """How a form is read. ``job``: template of names of jobs; ``prefix``: of application names.

    ``numbers``: those of the events that were read, if the form has them. ``sessions``: user, host
    and database of the sessions of each log, which go on in the next of its rotated files.
    ``clocks`` and ``queries``: the last time of each log, and the newest query of its connections.
    ``others``: the number of events of each application whose name does not have the prefix.
    ``passed_over``: the number of rows that are not read, by their kind.
    """

    on_bad: OnBad
    job: str = ""
    prefix: str = PREFIX
    namespace: str = ""
    numbers: EventNumbers = field(default_factory=EventNumbers)
    sessions: dict[str, dict[str, tuple[str, str, str]]] = field(default_factory=dict)
    clocks: dict[str, LineClock] = field(default_factory=dict)
    queries: dict[str, dict[str, int]] = field(default_factory=dict)
    others: Counter[str] = field(default_factory=Counter)
    passed_over: Counter[str] = field(default_factory=Counter)

    def name_job(self, application: str, **fields: str) -> JobName:
        """Return the job of a row, and the run if the application name has one.

        A job whose application name has the prefix is of no server: its namespace is the prefix.
        The template may contain {application}, {user}, {database} and {host}.
        """
        named = split_name(application, self.prefix)
        run = named[1] if named else ""
        if self.job:
            names = {"application": named[0] if named else application, **fields}
            return JobName(self.job.format(**names).strip() or UNKNOWN, run)
        if named:
            return JobName(named[0], run, self.prefix.strip(":"))
        return JobName(application or fields.get("user") or UNKNOWN)


@dataclass(frozen=True)
class Form:
    """A form of query logs: ``matches`` recognizes its files, ``read`` yields rows with places."""

    name: str
    dialect: str
    matches: Callable[[Source], bool]
    read: Callable[[Source, Reading], Iterator[tuple[str, Row]]]


def required_text(record: Record, name: str, place: str) -> str:
    """Return a text of a record. Raises InvalidEvent if it has none."""
    value = record.get(name)
    if not isinstance(value, str) or value in ("", "NULL"):
        raise InvalidEvent(f"{place}: {name} is missing or not a text.")
    return value


def optional_text(record: Record, name: str) -> str:
    """Return a value of a record as text; "" if it has none."""
    value = record.get(name)
    if value is None or value == "NULL":
        return ""
    return value if isinstance(value, str) else str(value)


def number_of(record: Record, name: str, place: str) -> int | None:
    """Return an integer of a record, or None. Raises InvalidEvent if it is not a number."""
    value = record.get(name)
    if type(value) is int:
        return value
    text = optional_text(record, name).strip()
    if not text:
        return None
    try:
        return round(float(text))
    except (ValueError, OverflowError):
        raise InvalidEvent(f"{place}: {name} is not a number.") from None


def time_of(record: Record, name: str, place: str) -> str:
    """Return a time of a record, normalized. Raises InvalidEvent.

    A number has milliseconds since 1970, as pandas writes times into JSON.
    """
    value = record.get(name)
    if type(value) is int and value in _MILLISECONDS:
        return of_datetime(datetime.fromtimestamp(value / 1000, timezone.utc))
    text = required_text(record, name, place)
    try:
        return parse_time(text)
    except ValueError as error:
        raise InvalidEvent(f"{place}: {name} {error}.") from None


def json_of(record: Record, name: str, place: str) -> Any:
    """Return a value that is JSON or a text of JSON; None if it is missing. Raises InvalidEvent."""
    value = record.get(name)
    if not isinstance(value, str):
        return value
    if not value.strip():
        return None
    try:
        return json.loads(value)
    except ValueError:
        raise InvalidEvent(f"{place}: {name} is not JSON.") from None


Reader: TypeAlias = Callable[["Record", str, Reading], "Row | None"]


def read_records(
    records: Iterator[tuple[int, Record]], source: Source, reading: Reading, read: Reader
) -> Iterator[tuple[str, Row]]:
    """Yield the rows of records; a record that cannot be read is reported to ``on_bad``."""
    for number, record in records:
        place = f"{source.name}:{number}"
        try:
            row = read(record, place, reading)
        except InvalidEvent as error:
            reading.on_bad(error)
            continue
        if row is not None:
            yield place, row


def table_form(name: str, dialect: str, columns: set[str], read: Reader) -> Form:
    """Return the form of tables (CSV or JSON) that have all of these columns."""

    def matches_source(source: Source) -> bool:
        return set(table_columns(source)) >= columns

    def read_source(source: Source, reading: Reading) -> Iterator[tuple[str, Row]]:
        return read_records(read_table(source, reading.on_bad), source, reading, read)

    return Form(name, dialect, matches_source, read_source)
