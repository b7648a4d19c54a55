"""``lineage modes``: write modes of jobs whose events do not report one."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import psycopg
from support.events.builders import dataset, job_event, run_event
from support.services import command_line
from support.services.command_line import answer, graph_of

from lineage.ingest.writer import write_events
from lineage.projection.rebuild import graph_fingerprint, rebuild_graph

EVENTS = [
    run_event("mon", "COMPLETE", 60, "daily", ("raw",), (dataset("gold", ("alias",)), "other")),
    run_event("beside", "COMPLETE", 120, "repair", ("raw",), ("gold",)),
    run_event("tue", "COMPLETE", 180, "daily", ("raw",), ("gold", "other")),
]

_graph = graph_of(EVENTS)
modes = partial(command_line.run, "modes")


def writers() -> set[str]:
    """Return the runs whose writes are certainly visible in the table."""
    arguments = ("query", "at", "gold", "2026-01-01T01:00:00Z", "--runs", "--format", "jsonl")
    return {json.loads(line)["writer"] for line in answer(*arguments, "--depth", "1").splitlines()}


def listed() -> list[tuple[str, str | None, str]]:
    rows = json.loads(answer("modes", "list", "--format", "json"))
    return [(row["job"], row["dataset"], row["mode"]) for row in rows]


def test_a_setting_applies_to_stored_runs_and_can_be_withdrawn():
    assert writers() == {"beside", "tue"}
    assert listed() == []
    assert answer("modes", "set", "daily", "append") == (
        "Write mode of etl/daily if events do not report one: append.\n"
    )
    assert writers() == {"mon", "beside", "tue"}
    answer("modes", "set", "etl/daily", "overwrite")
    assert writers() == {"tue"}
    assert listed() == [("etl/daily", None, "overwrite")]
    answer("modes", "set", "daily", "unknown")
    assert writers() == {"beside", "tue"}
    assert listed() == []


def test_a_setting_for_a_dataset_is_of_all_its_names():
    answer("modes", "set", "daily", "overwrite", "--dataset", "other")
    assert writers() == {"beside", "tue"}
    assert answer("modes", "set", "daily", "append", "--dataset", "alias") == (
        "Write mode of etl/daily to s3://lake/gold if events do not report one: append.\n"
    )
    assert writers() == {"mon", "beside", "tue"}
    answer("modes", "set", "daily", "overwrite", "--dataset", "gold")
    assert writers() == {"tue"}
    assert listed() == [
        ("etl/daily", "s3://lake/gold", "overwrite"),
        ("etl/daily", "s3://lake/other", "overwrite"),
    ]
    answer("modes", "set", "daily", "unknown", "--dataset", "gold")
    assert listed() == [("etl/daily", "s3://lake/other", "overwrite")]


def test_a_setting_of_partitions_holds_for_reported_overwrites_too():
    assert answer("modes", "set", "daily", "overwrite_partitions", "--dataset", "gold") == (
        "Write mode of etl/daily to s3://lake/gold if events do not report one or only OVERWRITE: "
        "overwrite_partitions.\n"
    )
    assert listed() == [("etl/daily", "s3://lake/gold", "overwrite_partitions")]
    assert writers() == {"mon", "beside", "tue"}


def test_unknown_for_a_dataset_goes_before_what_is_set_of_the_job():
    answer("modes", "set", "daily", "overwrite")
    answer("modes", "set", "daily", "unknown", "--dataset", "gold")
    assert writers() == {"beside", "tue"}
    assert listed() == [
        ("etl/daily", None, "overwrite"),
        ("etl/daily", "s3://lake/gold", "unknown"),
    ]
    answer("modes", "set", "daily", "unknown")
    assert listed() == []


def test_a_setting_is_in_the_log(dsn: str):
    answer("modes", "set", "daily", "overwrite")
    with psycopg.connect(dsn, autocommit=True) as conn:
        before = graph_fingerprint(conn)
        rebuild_graph(conn)
        assert graph_fingerprint(conn) == before
    assert writers() == {"tue"}


def test_a_setting_is_newer_than_one_of_a_clock_that_is_ahead(dsn: str):
    ahead = json.loads(job_event(0, "daily", lineage_write_modes={"mode": "append"}))
    ahead["eventTime"] = "2099-01-01T00:00:00Z"
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_events(conn, [json.dumps(ahead)])
    answer("modes", "set", "daily", "overwrite")
    assert listed() == [("etl/daily", None, "overwrite")]


def test_a_setting_is_no_sighting_of_the_job():
    # The window of impact ends at the newest event of the graph; a setting must not move it.
    asked = [("impact", "raw"), ("jobs", ""), ("query", "job", "gold")]

    def answers() -> list[Any]:
        return [json.loads(answer(*each, "--format", "json")) for each in asked]

    before = answers()
    assert before[0]["until"] == "2026-01-01T00:03:00.000000Z"
    assert sorted(each["runs"] for each in before[0]["jobs"]) == [1, 2]
    for mode in ("append", "overwrite", "unknown"):
        answer("modes", "set", "daily", mode)
        assert answers() == before


def test_a_facet_that_is_none_of_ours_sets_nothing(dsn: str):
    strange = [
        job_event(200 + at, "daily", lineage_write_modes=facet)
        for at, facet in enumerate(({"mode": 3}, {"datasets": {"a": [1]}}, {"mode": "always"}))
    ]
    for event in strange:
        with psycopg.connect(dsn, autocommit=True) as conn:
            write_events(conn, [event])
        assert (listed(), writers()) == ([], {"beside", "tue"})
    half = job_event(300, "daily", lineage_write_modes={"mode": "append", "datasets": [{"a": 1}]})
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_events(conn, [half])
    assert listed() == [("etl/daily", None, "append")]
    assert writers() == {"mon", "beside", "tue"}


def test_a_name_that_is_none_is_reported_with_the_nearest():
    wrong = modes("set", "dayly", "append")
    assert wrong.exit_code == 1
    assert wrong.stderr == 'Error: No job is called "dayly". Did you mean etl/daily?\n'
    wrong = modes("set", "daily", "append", "--dataset", "golt")
    assert wrong.exit_code == 1
    assert "s3://lake/gold" in wrong.stderr
    wrong = modes("set", "daily", "replace")
    assert wrong.exit_code == 2
    assert "'append', 'overwrite', 'overwrite_partitions', 'unknown'" in wrong.stderr
    assert listed() == []
