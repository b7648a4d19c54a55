"""Overwrites of partitions that openlineage-spark reports as overwrites of the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from support.events.builders import NAMESPACE, dataset, job_event, run_event, time

from lineage.ingest.writer import write_events
from lineage.projection.rebuild import graph_fingerprint, rebuild_graph
from lineage.query import Graph

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[Any]

SPARK = {"jobType": {"processingType": "BATCH", "integration": "SPARK", "jobType": "SQL_JOB"}}
OVERWRITE = {"lifecycleStateChange": {"lifecycleStateChange": "OVERWRITE"}}
OF_PARTITIONS = "app.overwrite_partitions_dynamic.spark_catalog_default_fact"
OF_FILES = "app.execute_insert_into_hadoop_fs_relation_command.default_fact"
ALL_DAYS = {"day1", "day2", "day3"}


def days(job: str, of_job: dict[str, Any] | None = None, **more: Any) -> list[str]:
    """Return the events of three days, each of which replaces its own partition of ``fact``."""
    written = dataset("fact", **OVERWRITE, **more)
    return [
        run_event(
            f"day{day}", type, 10 * day + at, job, (f"landing{day}",), (written,), of_job=of_job
        )
        for day in (1, 2, 3)
        for at, type in enumerate(("START", "COMPLETE"))
    ]


def visible(conn: Connection) -> set[str]:
    """Return the runs whose rows are in ``fact`` after the third day."""
    trace = Graph.over(conn).dataset_lineage_at("fact", time(60), 1)
    return {each.writer.run_id for each in trace.dependencies if each.writer}


def readers(conn: Connection) -> list[str]:
    """Return the runs that read what was written on the first day."""
    trace = Graph.over(conn).run_lineage("day1", "downstream")
    return [each.reader.run_id for each in trace.dependencies if each.reader]


def setting(at: int, job: str, mode: str, dataset: str | None = None) -> str:
    """Return the event of ``lineage modes set``."""
    named = [{"namespace": NAMESPACE, "name": dataset, "mode": mode}] if dataset else []
    facet = {"mode": "unknown" if dataset else mode, "datasets": named}
    return job_event(at, job, lineage_write_modes=facet)


@pytest.mark.parametrize("job", [OF_PARTITIONS, "an.app.overwrite_partitions_dynamic"])
def test_an_overwrite_of_partitions_leaves_the_other_partitions(conn: Connection, job: str) -> None:
    write_events(conn, days(job, SPARK))
    assert visible(conn) == ALL_DAYS
    before = graph_fingerprint(conn)
    rebuild_graph(conn)
    assert (visible(conn), graph_fingerprint(conn)) == (ALL_DAYS, before)


@pytest.mark.parametrize(
    ("job", "of_job", "more"),
    [
        (OF_FILES, SPARK, {}),
        ("overwrite_partitions_dynamic.append_data.t", SPARK, {}),
        (OF_PARTITIONS, {"jobType": {**SPARK["jobType"], "integration": "DBT"}}, {}),
        (OF_PARTITIONS, None, {}),
        (OF_PARTITIONS, SPARK, {"outputFacets": {"lineage_write": {"mode": "overwrite"}}}),
    ],
)
def test_any_other_overwrite_replaces_the_table(
    conn: Connection, job: str, of_job: dict[str, Any] | None, more: dict[str, Any]
) -> None:
    write_events(conn, days(job, of_job, **more))
    assert visible(conn) == {"day3"}


@pytest.mark.parametrize("dataset", [None, "fact"])
def test_a_user_can_set_that_an_overwrite_is_one_of_partitions(
    conn: Connection, dataset: str | None
) -> None:
    write_events(conn, days(OF_FILES, SPARK))
    write_events(conn, [setting(70, OF_FILES, "overwrite_partitions", dataset)])
    assert visible(conn) == ALL_DAYS
    write_events(conn, [run_event("report", "COMPLETE", 90, "report", ("fact",), ("revenue",))])
    assert readers(conn) == ["report"]
    write_events(conn, [setting(71, OF_FILES, "unknown", dataset)])
    assert visible(conn) == {"day3"}
    assert readers(conn) == []


def test_a_setting_of_appends_leaves_reported_overwrites(conn: Connection) -> None:
    """A job of unreported appends may replace the table from time to time."""
    write_events(conn, [*days(OF_FILES, SPARK), setting(70, OF_FILES, "append")])
    assert visible(conn) == {"day3"}


def test_a_reported_write_mode_goes_before_a_setting(conn: Connection) -> None:
    reported = {"lineage_write": {"mode": "overwrite"}}
    write_events(conn, days(OF_FILES, SPARK, outputFacets=reported))
    write_events(conn, [setting(70, OF_FILES, "overwrite_partitions")])
    assert visible(conn) == {"day3"}
