"""Rows: the common form of query logs. Its contract is docs/reference/query-log-rows.md."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from enum import IntEnum
from typing import NamedTuple

from lineage.openlineage.timestamps import of_datetime, of_event
from lineage.readers.query_logs.observed import ObservedStatement  # noqa: TC001 - msgspec evaluates it

_SPACED_OFFSET = re.compile(r" (?=[+-]\d\d:?\d\d\Z)", re.ASCII)


class Kind(IntEnum):
    """The kind of fact that a row reports of its session."""

    STATEMENT = 0  # one statement, or a part of a request
    REQUEST = 1  # a request of a client: a batch or a call, whose statements may be rows too
    STARTED = 2  # a statement that started; an ERROR follows if it failed
    STARTING = 3  # a statement that started; its outcome is not reported
    PLAN = 4  # a statement that another row may report too
    ERROR = 5  # a statement failed: that of the row, or the one that started last
    RAISED = 6  # an error within the statement that ends next
    RESET = 7  # another client reuses the session: temporary tables and handles are dropped
    END = 8  # the session ended
    AUDITED = 9  # as STARTED, but another row may report the statement too


class Row(NamedTuple):
    """One row of a query log.

    ``time``: end of the statement, in UTC as ``YYYY-MM-DDTHH:MM:SS.ffffffZ``. ``position``: order
    of rows of a session with the same time. ``process``: the client process, if it is known.
    ``job_namespace``: "" for that of the server. ``database`` and ``schema``: where the statement
    ran. ``is_nested``: whether a function ran it. ``observed``: its inputs and outputs, if the
    database reports them. ``duration``: microseconds. ``row_count``: rows read or written.
    ``transaction``: id of the transaction that was open when the row was logged, if it is known.
    """

    time: str
    job: str
    session: str = ""
    kind: Kind = Kind.STATEMENT
    text: str = ""
    position: int = 0
    process: str = ""
    run: str = ""
    job_namespace: str = ""
    dialect: str = ""
    database: str = ""
    schema: str = ""
    user: str = ""
    host: str = ""
    duration: int = 0
    failed: bool = False
    row_count: int | None = None
    is_nested: bool = False
    observed: ObservedStatement | None = None
    transaction: str = ""

    @property
    def unit_key(self) -> str:
        """The rows whose sessions are read together: of a run, else of a process or a session."""
        if self.run:
            return f"run {self.run}"
        if self.process:
            return f"process {self.host} {self.process}"
        return f"session {self.session}" if self.session else f"user {self.user} {self.host}"


def is_of_client(row: Row) -> bool:
    """Return whether a row shows its client: a user alone may be that of unrelated programs."""
    return bool(row.session or row.process or row.run)


def parse_time(text: str) -> str:
    """Normalize a time; raise ValueError if it is not one, or has no known zone.

    Snowflake writes a space before the offset.
    """
    return of_event(_SPACED_OFFSET.sub("", text.strip()))


def begin_time(time: str, duration: int) -> str:
    """Return the time ``duration`` microseconds before ``time``."""
    if not duration:
        return time
    return of_datetime(to_datetime(time) - timedelta(microseconds=duration))


def to_datetime(time: str) -> datetime:
    """Return a normalized time as an object."""
    return datetime.fromisoformat(f"{time[:26]}+00:00")
