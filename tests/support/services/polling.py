"""Waiting for what is converted and drawn beside the requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.plan_documents import queue
from lineage.projection import backlog

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[Any]


# Seconds between two looks: to look without a pause takes a processor from what is waited for.
PAUSE = 0.02


def wait_until_drawn(conn: Connection) -> None:
    """Return once nothing waits to be converted or drawn."""
    while something_waits(conn):
        wait_for_who_works(conn)


def something_waits(conn: Connection) -> bool:
    return bool(queue.count_pending(conn) or backlog.count_pending(conn))


def wait_for_who_works(conn: Connection) -> None:
    """Return once the parts at hand are done: who works holds what it took until it commits."""
    with conn.transaction():
        conn.execute(
            "LOCK TABLE lineage.plan_document_queue, lineage.projection_queue IN EXCLUSIVE MODE"
        )
