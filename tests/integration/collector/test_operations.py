"""What those who run a collector see."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import requests
from graph_events import run_event
from prometheus_client.parser import text_string_to_metric_families

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Collector

LINEAGE = "/api/v1/lineage"
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


def test_events_are_counted_by_what_became_of_them(collector: Collector) -> None:
    for body in (EVENT, EVENT, "{}"):
        collector.post(LINEAGE, body)
    results = {
        result: count(collector, "lineage_events_total", result=result)
        for result in ("new", "known", "refused")
    }
    assert results == {"new": 1, "known": 1, "refused": 1}


def test_requests_are_timed_by_path_and_status(collector: Collector) -> None:
    for path in (LINEAGE, "/nowhere/1", "/nowhere/2"):
        collector.post(path, EVENT)
    name = "lineage_request_seconds_count"
    assert count(collector, name, path=LINEAGE, status="201") == 1
    assert count(collector, name, path="other", status="404") == 2


def test_the_backlog_is_told(collector: Collector) -> None:
    with psycopg.connect(collector.dsn) as conn:
        conn.execute("LOCK TABLE lineage.dataset IN SHARE MODE")  # nothing can be drawn
        collector.post(LINEAGE, EVENT)
        assert count(collector, "lineage_backlog_events") == 1
        conn.rollback()
    collector.drawn().close()
    assert count(collector, "lineage_backlog_events") == 0
