"""Events of a program to a real collector: by the sink collector, and by openlineage-python."""

from __future__ import annotations

import json
import socket
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from openlineage.client.event_v2 import Job, Run, RunEvent, RunState
from support.services.sinks import QUICK, event, start_hub

from lineage.http import tokens
from lineage.hub import Rejected, Retries
from lineage.hub.emitter import choose_sinks
from lineage.sinks.collector import CollectorSink
from lineage.sinks.graph import GraphSink

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.fixtures.collectors import Collector, Serving


def states(collector: Collector) -> dict[str, int]:
    with collector.drawn() as conn:
        return dict(
            conn.execute("SELECT state, count(*) FROM lineage.run GROUP BY state").fetchall()
        )


def test_batches_are_posted_and_invalid_events_rejected_alone(
    collector: Collector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LINEAGE_URL", collector.url)
    hub = start_hub(choose_sinks(()), tmp_path, linger_ms=200)
    for number in range(20):
        hub.emit(event(number, "START"))
        hub.emit(event(number, "COMPLETE"))
    hub.emit({"eventType": "COMPLETE"})
    counts = hub.shutdown(30).sinks["collector"]
    assert (counts.sent, counts.rejected) == (40, 1)
    assert states(collector) == {"COMPLETE": 20}


@pytest.mark.parametrize("kind", [CollectorSink, GraphSink])
def test_all_invalid_events_of_a_batch_are_rejected_together(
    collector: Collector, kind: type[CollectorSink | GraphSink]
) -> None:
    sink = kind()
    sink.init({"LINEAGE_URL": collector.url, "LINEAGE_DSN": collector.dsn})
    events = [event(n) if n % 3 == 0 else {"eventType": "COMPLETE", "run": n} for n in range(9)]
    with pytest.raises(Rejected) as caught:
        sink.accept(events)
    sink.shutdown()
    rejected = [each["run"] for each, _ in caught.value.rejected_events]
    assert rejected == [1, 2, 4, 5, 7, 8]


def test_a_token_is_sent_and_a_wrong_one_loses_nothing(
    guarded: Collector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LINEAGE_URL", guarded.url)
    monkeypatch.setenv("LINEAGE_TOKEN", "wrong")
    hub = start_hub(choose_sinks(("collector",)), tmp_path)
    hub.emit(event(1, "COMPLETE"))
    assert hub.shutdown(30).sinks["collector"].spooled == 1
    with psycopg.connect(guarded.dsn, autocommit=True) as conn:
        secret = tokens.add_token(conn, "program", "write")
    monkeypatch.setenv("LINEAGE_TOKEN", secret)
    hub = start_hub(choose_sinks(("collector",)), tmp_path)
    hub.emit(event(2, "COMPLETE"))
    assert hub.shutdown(30).sinks["collector"].sent == 1
    assert states(guarded) == {"COMPLETE": 1}


def test_any_transport_of_openlineage_receives_events(
    collector: Collector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENLINEAGE_URL", collector.url)
    hub = start_hub(choose_sinks(()), tmp_path)
    hub.emit(event(1, "START"))
    hub.emit(json.dumps(event(1, "COMPLETE")))
    foreign = RunEvent(
        eventType=RunState.FAIL,
        eventTime="2026-01-01T00:00:00Z",
        run=Run(runId="01938a8e-7b1c-7d1f-8a55-3d7f5b0a8c11"),
        job=Job(namespace="n", name="j"),
        producer="urn:test",
    )
    hub.emit(foreign)
    assert hub.shutdown(30).sinks["openlineage"].sent == 3
    assert states(collector) == {"COMPLETE": 1, "FAIL": 1}


def test_a_collector_that_starts_later_gets_all_events(
    serving: Serving, dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        monkeypatch.setenv("LINEAGE_URL", f"http://127.0.0.1:{probe.getsockname()[1]}")
    hub = start_hub(choose_sinks(("collector",)), tmp_path, retries=QUICK)
    for number in range(10):
        hub.emit(event(number, "COMPLETE"))
    counts = hub.shutdown(30).sinks["collector"]
    assert (counts.spooled, counts.dropped) == (10, 0)
    monkeypatch.setenv("LINEAGE_URL", serving(dsn))
    hub = start_hub(choose_sinks(("collector",)), tmp_path)
    for file in tmp_path.glob("*.jsonl"):
        for line in file.read_text().splitlines():
            hub.emit(line)
    assert hub.shutdown(30).sinks["collector"].sent == 10
    with psycopg.connect(dsn) as conn:
        assert conn.execute("SELECT count(*) FROM lineage.event").fetchall() == [(10,)]


class Busy(BaseHTTPRequestHandler):
    """Requests a pause of a second once, then accepts."""

    times: list[float] = []  # noqa: RUF012 - of one test

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.times.append(time.monotonic())
        body = json.dumps({"failed_events": []}).encode()
        self.send_response(200 if len(self.times) > 1 else 429)
        self.send_header("Retry-After", "1")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Write nothing to stderr."""


@pytest.fixture
def busy() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Busy)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_a_requested_pause_is_observed(
    busy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LINEAGE_URL", busy)
    retries: Any = Retries(first=0.001, total=60)
    hub = start_hub(choose_sinks(("collector",)), tmp_path, retries=retries)
    assert hub.emit(event(1)).wait(60) == {"collector": "sent"}
    assert Busy.times[1] - Busy.times[0] >= 1
    hub.shutdown()
