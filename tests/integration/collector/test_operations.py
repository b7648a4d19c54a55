"""Operation of a collector: health, metrics and logs."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
import requests
import yaml
from prometheus_client.parser import text_string_to_metric_families
from support.events.builders import run_event
from support.events.plan_documents import application
from support.services.polling import rows_while_running

from lineage.forwarding.cursor import Cursor, remove_target
from lineage.http.collector import events
from lineage.http.serve import health
from lineage.maintenance.status import read_status

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.fixtures.collectors import Collector

LINEAGE = "/api/v1/lineage"
DOCUMENT = {"lineage": 1, "kind": "application_start", "time": 1, "app": application()}
EVENT = run_event("r1", "COMPLETE", 1, writes=("a",))


def get(collector: Collector, path: str) -> requests.Response:
    return requests.get(collector.url + path, timeout=60)


def count(collector: Collector, name: str, **labels: str) -> float:
    families = text_string_to_metric_families(get(collector, "/metrics").text)
    return sum(
        sample.value
        for family in families
        for sample in family.samples
        if sample.name == name and labels.items() <= sample.labels.items()
    )


def test_it_lives_and_is_ready(collector: Collector) -> None:
    assert get(collector, "/health/live").status_code == 204
    assert get(collector, "/health/ready").status_code == 204


def test_it_is_not_ready_for_a_database_without_migrations(
    serving: Callable[..., str], empty_dsn: str, collector: Collector
) -> None:
    collector.url = serving(empty_dsn)
    assert get(collector, "/health/live").status_code == 204
    assert get(collector, "/health/ready").status_code == 503


def test_it_is_not_ready_while_a_commit_stalls(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "_STALLED_SECONDS", 0)
    with psycopg.connect(collector.dsn) as conn, ThreadPoolExecutor(1) as pool:
        conn.execute("LOCK TABLE lineage.event IN SHARE MODE")
        post = pool.submit(collector.post, LINEAGE, EVENT)
        rows_while_running(conn, "SELECT FROM pg_locks WHERE NOT granted", post)
        assert get(collector, "/health/ready").status_code == 503
        conn.rollback()
        assert post.result().status_code == 201
    assert get(collector, "/health/ready").status_code == 204


def test_events_are_counted_by_what_became_of_them(collector: Collector) -> None:
    for body in (EVENT, EVENT, "{}"):
        collector.post(LINEAGE, body)
    results = {
        result: count(collector, "lineage_events_total", result=result)
        for result in ("new", "known", "rejected")
    }
    assert results == {"new": 1, "known": 1, "rejected": 1}


def test_requests_are_timed_by_path_and_status(collector: Collector) -> None:
    for path in (LINEAGE, LINEAGE + "/", "/nowhere/1", "/nowhere/2"):
        collector.post(path, EVENT)
    for file in ("a.js", "b.js"):
        get(collector, f"/ui/{file}")
    name = "lineage_request_seconds_count"
    assert count(collector, name, path=LINEAGE, status="201") == 2
    assert count(collector, name, path="/ui/{name}", status="404") == 2
    assert count(collector, name, path="other", status="404") == 2


def test_an_internal_error_is_reported_and_counted(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(events, "read_entry", lambda text: 1 // 0)
        assert collector.post(LINEAGE, EVENT).status_code == 500
    assert collector.post(LINEAGE, EVENT).status_code == 201
    name = "lineage_request_seconds_count"
    assert count(collector, name, path=LINEAGE, status="500") == 1
    assert count(collector, name, path=LINEAGE, status="201") == 1


def test_the_backlog_is_reported(collector: Collector) -> None:
    with psycopg.connect(collector.dsn) as conn:
        conn.execute("LOCK TABLE lineage.dataset IN SHARE MODE")  # blocks the projection
        collector.post(LINEAGE, EVENT)
        assert count(collector, "lineage_pending_events") == 1
        conn.rollback()
    collector.drawn().close()
    assert count(collector, "lineage_pending_events") == 0


def test_targets_of_forwarding_are_reported(collector: Collector) -> None:
    with psycopg.connect(collector.dsn, autocommit=True) as conn:
        cursor = Cursor(conn, "marquez")
        cursor.register_target(from_beginning=True)
        collector.post(LINEAGE, EVENT)
        cursor.record_failure("it does not answer")
        cursor.record_rejection(7, "it answers 400")
    labels = {"target": "marquez"}
    assert count(collector, "lineage_forward_pending_events", **labels) == 1
    assert count(collector, "lineage_forward_oldest_seconds", **labels) > 0
    assert count(collector, "lineage_forward_rejected_events", **labels) == 1
    assert count(collector, "lineage_forward_failing", **labels) == 1
    with psycopg.connect(collector.dsn, autocommit=True) as conn:
        remove_target(conn, "marquez")
    assert "marquez" not in get(collector, "/metrics").text


def test_what_was_set_aside_is_reported(collector: Collector) -> None:
    with psycopg.connect(collector.dsn, autocommit=True) as conn:
        conn.execute("INSERT INTO lineage.rejected_event (event, reason) VALUES (1, 'too long')")
    assert count(collector, "lineage_rejected", queue="events") == 1
    assert count(collector, "lineage_rejected", queue="documents") == 0
    assert count(collector, "lineage_oldest_pending_seconds", queue="events") == 0


def test_the_rights_of_a_writer_are_enough(unprivileged: Collector) -> None:
    """The collector in the container runs with the rights of lineage_writer."""
    collector = unprivileged
    assert get(collector, "/health/ready").status_code == 204
    assert collector.post(LINEAGE, EVENT).status_code == 201
    assert collector.post("/api/v1/plan-documents", json.dumps(DOCUMENT)).status_code == 200
    with collector.drawn() as conn:
        assert conn.execute("SELECT count(*) FROM lineage.run").fetchone() == (2,)
        assert conn.execute("SELECT count(*) FROM lineage.rejected_event").fetchone() == (0,)
    assert get(collector, "/api/v1/graph/dataset-lineage?dataset=a").status_code == 200
    assert get(collector, "/api/v1/namespaces").status_code == 200
    assert count(collector, "lineage_pending_events") == 0
    with psycopg.connect(collector.dsn, autocommit=True) as conn:
        conn.execute("SET ROLE lineage_writer")
        read_status(conn)
        cursor = Cursor(conn, "marquez")
        cursor.register_target(from_beginning=True)
        assert len(cursor.next_events(10)) == 2
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            conn.execute("DELETE FROM lineage.event")


def test_the_healthcheck_distinguishes_a_container_that_is_not_ready(
    collector: Collector, serving: Callable[..., str], empty_dsn: str
) -> None:
    compose = yaml.safe_load((Path(__file__).parents[3] / "docker/compose.yaml").read_text())
    words = compose["services"]["collector"]["healthcheck"]["test"][1:]
    for url, code in ((collector.url, 0), (serving(empty_dsn), 1)):
        command = [sys.executable, *(w.replace("http://127.0.0.1:5000", url) for w in words[1:])]
        assert subprocess.run(command, capture_output=True, check=False).returncode == code
