"""The pool of read-only connections: time limits, and callers that are cancelled."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from support.coroutines import run_coroutine
from support.services.polling import wait_until

from lineage.database import read_pool
from lineage.database.read_pool import ReadPool
from lineage.errors import QueryTimeout
from lineage.http import errors

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[Any]

SLEEP = "SELECT pg_sleep(600)"
RUNNING = "SELECT count(*) FROM pg_stat_activity WHERE query = %s AND state = 'active'"


def select_one(conn: Connection) -> list[Any]:
    return conn.execute("SELECT 1").fetchall()


def test_a_query_above_the_timeout_is_cancelled_with_a_hint(
    dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_pool, "_SETTINGS", "SET statement_timeout = '20ms'")
    readers = ReadPool(dsn)
    with pytest.raises(QueryTimeout, match="The query was cancelled after 30 s") as error:
        run_coroutine(readers.run_query(lambda conn: conn.execute(SLEEP)))
    problem = errors.from_error(error.value)
    assert (problem.status, problem.hint) == (400, "Reduce depth or limit, or add a filter.")
    assert run_coroutine(readers.run_query(select_one)) == [(1,)]
    readers.close()


async def cancel_queries(readers: ReadPool, watching: Connection) -> list[Any]:
    """Cancel more queries than the pool has connections, and run another one."""
    sleeping = [
        asyncio.create_task(readers.run_query(lambda conn: conn.execute(SLEEP))) for _ in range(6)
    ]
    all_busy = [(4,)]
    await asyncio.to_thread(
        wait_until, lambda: watching.execute(RUNNING, [SLEEP]).fetchall() == all_busy
    )
    for task in sleeping:
        task.cancel()
    await asyncio.gather(*sleeping, return_exceptions=True)
    return await readers.run_query(select_one)


def test_a_query_ends_when_its_caller_is_cancelled(
    conn: Connection, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_pool, "_SETTINGS", "SET statement_timeout = 0")
    readers = ReadPool(dsn)
    assert run_coroutine(cancel_queries(readers, conn)) == [(1,)]
    readers.close()
    assert conn.execute(RUNNING, [SLEEP]).fetchall() == [(0,)]
