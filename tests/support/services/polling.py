"""Waiting for conversion and projection, which run beside the requests."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, TypeVar

from lineage.plan_documents import queue
from lineage.projection import backlog

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    import psycopg

    Connection = psycopg.Connection[Any]


# Seconds between two checks. Polling without a pause would take a processor from the projection.
PAUSE = 0.02
_SECONDS = 120.0
_PROJECTION_SECONDS = 300.0
T = TypeVar("T")


def wait_until(check: Callable[[], T], seconds: float = _SECONDS) -> T:
    """Call ``check`` until its value is true, and return that; fail after ``seconds``."""
    deadline = time.monotonic() + seconds
    while not (value := check()):
        assert time.monotonic() < deadline, f"after {seconds:g} s still {value!r}"
        time.sleep(PAUSE)
    return value


def wait_until_projected(conn: Connection) -> None:
    """Return when nothing remains to be converted or projected."""

    def is_drawn() -> bool:
        if is_pending := something_waits(conn):
            wait_for_who_works(conn)
        return not is_pending

    wait_until(is_drawn, _PROJECTION_SECONDS)


def something_waits(conn: Connection) -> bool:
    return bool(queue.count_pending(conn) or backlog.count_pending(conn))


def wait_for_who_works(conn: Connection) -> None:
    """Return when the claimed rows are done: a worker locks them until it commits."""
    with conn.transaction():
        conn.execute(
            "LOCK TABLE lineage.plan_document_queue, lineage.projection_queue IN EXCLUSIVE MODE"
        )


def rows_while_running(
    conn: Connection, statement: str, running: Future[Any]
) -> list[tuple[Any, ...]]:
    """Execute a statement until it has rows; fail if the other writer ends before."""

    def rows() -> list[tuple[Any, ...]]:
        rows = conn.execute(statement).fetchall()
        if not rows and running.done():
            raise AssertionError(f"the other writer did not wait: {running.result()}")
        return rows

    return wait_until(rows)
