"""A database that stops, restarts, rejects or is slow: no lost acknowledged event, no hang."""

from __future__ import annotations

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import psycopg
import pytest
from support.coroutines import run_coroutine
from support.events.builders import dataset, run_event
from support.fixtures.collectors import count_logged
from support.reference.graph import expected, stored

from lineage.eventlog import log
from lineage.events.entry import read_entry
from lineage.http import request_body
from lineage.http.collector import group_commit
from lineage.projection.rebuild import rebuild_graph

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.fixtures.collectors import Collector

LINEAGE = "/api/v1/lineage"
EVENTS = [run_event(f"r{n}", "COMPLETE", n, writes=(f"t{n}",)) for n in range(4)]


def test_a_database_that_is_down_is_no_fault_of_the_client(
    serving: Callable[..., str], collector: Collector
) -> None:
    with socket.socket() as bound:  # a port without a listener
        bound.bind(("127.0.0.1", 0))
        port = bound.getsockname()[1]
        collector.url = serving(f"host=127.0.0.1 port={port} dbname=lineage user=secret")
        answer = collector.post(LINEAGE, EVENTS[0])
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert answer.json()["error"]["message"] == "The database is not available."
    assert "secret" not in answer.text


def test_a_terminated_connection_is_reopened(collector: Collector) -> None:
    collector.post(LINEAGE, EVENTS[0])
    with psycopg.connect(collector.dsn, autocommit=True) as conn:
        conn.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    assert collector.post(LINEAGE, EVENTS[1]).status_code == 201
    assert count_logged(collector.dsn) == 2


def test_one_that_the_database_refuses_takes_no_other_with_it(collector: Collector) -> None:
    with psycopg.connect(collector.dsn) as conn:
        conn.execute("ALTER TABLE lineage.event ADD CHECK (run_id <> 'r2')")
        conn.commit()
        # While one request is written, the others wait and are then written together.
        conn.execute("LOCK TABLE lineage.event IN SHARE MODE")
        with ThreadPoolExecutor(len(EVENTS)) as pool:
            answers = [pool.submit(collector.post, LINEAGE, event) for event in EVENTS]
            conn.rollback()
            statuses = [answer.result().status_code for answer in answers]
    assert statuses == [201, 201, 503, 201]
    assert count_logged(collector.dsn) == 3


def test_clients_must_retry_while_too_many_bytes_are_pending(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_commit, "MAX_PENDING_BYTES", 1)
    with psycopg.connect(collector.dsn) as conn:
        conn.execute("LOCK TABLE lineage.event IN SHARE MODE")
        with ThreadPoolExecutor(2) as pool:
            both = [pool.submit(collector.post, LINEAGE, event) for event in EVENTS[:2]]
            refused = next(as_completed(both)).result()
            assert (refused.status_code, refused.headers["Retry-After"]) == (429, "1")
            conn.rollback()
            assert sorted(answer.result().status_code for answer in both) == [201, 429]
    assert count_logged(collector.dsn) == 1


@pytest.mark.parametrize("path", [LINEAGE, "/api/v1/lineage/batch"])
def test_who_does_not_end_a_body_is_reported_and_stops_nobody(
    collector: Collector, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    address = urlsplit(collector.url)
    with socket.create_connection((address.hostname, address.port), timeout=60) as connection:
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n"
        with monkeypatch.context() as impatient:
            impatient.setattr(request_body, "MAX_BODY_SECONDS", 0.1)
            connection.sendall(head.encode() + b"{")
            answer = connection.recv(65536)
    assert answer.startswith(b"HTTP/1.1 408 "), answer
    assert collector.post(LINEAGE, EVENTS[0]).status_code == 201


def test_a_cancelled_request_is_still_written(dsn: str) -> None:
    own = group_commit.GroupCommitWriter(dsn, log.append_events, lambda: None)

    async def submitted() -> int:
        gone, here = [
            asyncio.create_task(own.write_entries([read_entry(event)])) for event in EVENTS[:2]
        ]
        await asyncio.sleep(0)  # both are queued
        gone.cancel()
        return await asyncio.wait_for(here, 60)

    assert run_coroutine(submitted()) == 1
    own.close()
    assert count_logged(dsn) == 2


def test_a_rebuild_beside_a_collector_loses_nothing_and_stops_nobody(collector: Collector) -> None:
    aliased = [
        run_event(f"r{n}", "COMPLETE", n, "job", ("a",), (dataset("b", (f"t{n % 2}",)),))
        for n in range(60)
    ]
    with psycopg.connect(collector.dsn, autocommit=True) as conn, ThreadPoolExecutor(4) as pool:
        posted = [pool.submit(collector.post, LINEAGE, event) for event in aliased]
        for _ in range(3):
            rebuild_graph(conn, page=7)
        assert {answer.result().status_code for answer in posted} == {201}
    with collector.drawn() as conn:
        assert stored(conn) == expected(aliased)


def test_requests_are_answered_although_the_projector_cannot_be_woken(
    dsn: str, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise OSError("the pipe of the projector is broken")

    own = group_commit.GroupCommitWriter(dsn, log.append_events, fail)

    async def write_both() -> list[int]:
        return [
            await asyncio.wait_for(own.write_entries([read_entry(event)]), 60)
            for event in EVENTS[:2]
        ]

    try:
        assert run_coroutine(write_both()) == [1, 1]
    finally:
        own.close()
    assert count_logged(dsn) == 2
    assert [record.message for record in caplog.records] == [
        "The projector could not be woken; it polls its queue."
    ] * 2
