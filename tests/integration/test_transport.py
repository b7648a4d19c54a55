"""The transport of Lineage, used by the real OpenLineage client."""

from __future__ import annotations

import gc
import threading
from typing import TYPE_CHECKING, Any

import pytest
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from support.services.polling import wait_until

from lineage.errors import DatabaseUnavailable
from lineage.query import Graph
from lineage.transport import AgeConfig, AgeTransport

if TYPE_CHECKING:
    from pathlib import Path

    import psycopg

RUN = "01938a8e-7b1c-7d1f-8a55-3d7f5b0a8c11"


def event(state: RunState = RunState.COMPLETE, run: str = RUN) -> RunEvent:
    return RunEvent(
        eventType=state,
        eventTime="2026-01-01T00:00:00Z",
        run=Run(runId=run),
        job=Job(namespace="dbt", name="model.revenue"),
        inputs=[InputDataset(namespace="pg://db", name="raw.orders")],
        outputs=[OutputDataset(namespace="pg://db", name="mart.revenue")],
        producer="https://example.org/test",
    )


def upstream(dsn: str) -> list[str]:
    with Graph(dsn) as provenance:
        return [d.name for d in provenance.upstream("mart.revenue").datasets]


def test_configured_by_yaml(dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "openlineage.yml"
    config.write_text(
        f"transport:\n  type: lineage.transport.AgeTransport\n  dsn: {dsn!r}\n".replace("\\'", "''")
    )
    monkeypatch.setenv("OPENLINEAGE_CONFIG", str(config))
    OpenLineageClient().emit(event())
    assert upstream(dsn) == ["raw.orders"]


def test_configured_by_the_environment(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT__TYPE", "lineage.transport.AgeTransport")
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT__DSN", dsn)
    client = OpenLineageClient()
    client.emit(event())
    assert client.close(timeout=5)
    assert upstream(dsn) == ["raw.orders"]


def test_a_lost_connection_costs_no_event(dsn: str, conn: psycopg.Connection[Any]) -> None:
    transport = AgeTransport(AgeConfig(dsn))
    transport.emit(event(RunState.START))
    conn.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    transport.emit(event())
    assert transport.close()
    assert conn.execute("SELECT count(*) FROM lineage.event").fetchall() == [(2,)]


def test_threads_share_a_transport(dsn: str, conn: psycopg.Connection[Any]) -> None:
    transport = AgeTransport(AgeConfig(dsn))
    runs = [RUN[:-1] + digit for digit in "0123456789abcdef"]
    threads = [threading.Thread(target=transport.emit, args=(event(run=run),)) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    transport.close(timeout=5)
    assert conn.execute("SELECT runs FROM lineage.feeds").fetchall() == [(16,)]


def test_a_database_that_is_down_is_an_error_without_the_password() -> None:
    transport = AgeTransport(AgeConfig("postgresql://me:secret@127.0.0.1:1/x"))
    with pytest.raises(DatabaseUnavailable) as error:
        transport.emit(event())
    assert "secret" not in str(error.value)
    assert "secret" not in repr(AgeConfig("postgresql://me:secret@host/x"))


def test_a_connection_that_was_not_closed_ends_with_its_transport(
    dsn: str, conn: psycopg.Connection[Any]
) -> None:
    transport = AgeTransport(AgeConfig(dsn))
    transport.emit(event())
    del transport  # an open connection would be a ResourceWarning
    gc.collect()
    others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
    wait_until(lambda: conn.execute(others).fetchall() == [(1,)])
