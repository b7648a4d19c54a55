"""Output of ``lineage diff``."""

from __future__ import annotations

import json
from functools import partial

import pytest
from support.events.builders import dataset, run_event, schema
from support.services import command_line
from support.services.command_line import graph_of


def revenue(rows: int, **types: str) -> object:
    statistics = {"outputStatistics": {"rowCount": rows}, "lineage_write": {"mode": "overwrite"}}
    return dataset("gold/revenue", schema=schema(**types), outputFacets=statistics)


EVENTS = [
    run_event("one", "START", 100, "report", ("orders",)),
    run_event("one", "COMPLETE", 200, "report", (), (revenue(1000, total="int"),),
              processing_engine={"name": "spark", "version": "3.5.1"}),
    run_event("two", "START", 1100, "report", ("orders", "rates")),
    run_event("two", "COMPLETE", 1250, "report", (), (revenue(7, total="bigint", tax="int"),),
              processing_engine={"name": "spark", "version": "4.0.0"}),
    run_event("day-1", "COMPLETE", 300, "load", ("s3/day-1",), ("landing",)),
    run_event("day-2", "COMPLETE", 1300, "load", ("s3/day-2",), ("landing",)),
]  # fmt: skip
TIMES = ("--start", "2026-01-01T00:10:00Z", "--end", "2026-01-01T01:00:00Z")

_graph = graph_of(EVENTS)


run = partial(command_line.run, "diff")
answer = partial(command_line.answer, "diff")


def test_changes_between_two_times_are_listed_by_kind():
    assert answer("dataset", "gold/revenue", *TIMES).splitlines() == [
        "s3://lake/gold/revenue  2026-01-01 00:10:00Z -> 2026-01-01 01:00:00Z",
        "",
        "datasets",
        "  + s3://lake/rates",
        "",
        "runs",
        "  - s3://lake/gold/revenue  [report, 2026-01-01 00:03:20Z, 1,000 rows, run one, by time]",
        "  + s3://lake/gold/revenue  [report, 2026-01-01 00:20:50Z, 7 rows, run two, by time]",
        "",
        "columns",
        "  + s3://lake/gold/revenue.tax  int",
        "  ~ s3://lake/gold/revenue.total  int -> bigint",
        "",
        "rows of the newest write",
        "  ~ s3://lake/gold/revenue  1,000 -> 7",
    ]


def test_each_change_is_a_row():
    rows = json.loads(answer("dataset", "gold/revenue", *TIMES, "--format", "json"))
    told = [(r["change"], r["kind"], r["name"], r["before"], r["after"]) for r in rows]
    assert told == [
        ("added", "dataset", "s3://lake/rates", None, None),
        ("removed", "run", "one", None, None),
        ("added", "run", "two", None, None),
        ("added", "column", "tax", None, "int"),
        ("changed", "column", "total", "int", "bigint"),
        ("changed", "rows", None, 1000, 7),
    ]
    assert "before" in answer("dataset", "gold/revenue", *TIMES, "--format", "table")


def test_two_runs_are_set_side_by_side():
    assert answer("run", "one", "two").splitlines() == [
        "- run one  [COMPLETE, 2026-01-01 00:01:40Z]",
        "+ run two  [COMPLETE, 2026-01-01 00:18:20Z]",
        "",
        "run",
        "  duration: 100 s -> 150 s",
        "  run.processing_engine.version: 3.5.1 -> 4.0.0",
        "",
        "input s3://lake/rates",
        "  only the second run",
        "",
        "output s3://lake/gold/revenue",
        "  rows: 1,000 -> 7",
        "  column total: int -> bigint",
        "  column tax: nothing -> int",
    ]
    lines = answer("run", "one", "two", "--format", "jsonl").splitlines()
    assert {json.loads(line)["part"] for line in lines} == {"run", "input", "output"}


def test_a_limit_reports_the_omitted_entries():
    lines = answer("dataset", "gold/revenue", *TIMES, "--limit", "1").splitlines()
    assert lines[-1] == "The first 1 of 2 writes are shown. --limit 0 shows all."
    assert answer("dataset", "gold/revenue", *TIMES, "--limit", "0") == answer(
        "dataset", "gold/revenue", *TIMES
    )
    rows = run("dataset", "gold/revenue", *TIMES, "--limit", "1", "--format", "jsonl")
    assert [json.loads(line)["kind"] for line in rows.stdout.splitlines()].count("run") == 1
    assert "The first 1 of 2 writes are shown" in rows.stderr
    runs = run("run", "one", "two", "--limit", "2").stdout.splitlines()
    assert runs[-1] == "The first 2 of 6 differences are shown. --limit 0 shows all."


def test_nothing_changed_is_reported():
    assert "No differences." in answer(
        "dataset", "gold/revenue", TIMES[0], TIMES[1], "--end", TIMES[1]
    )
    assert "No known differences." in answer("run", "one", "one")


def test_what_is_removed_by_a_write_of_unknown_mode_is_uncertain():
    unknown = (
        "It is not known whether etl/load overwrites or appends: removed entries may still be"
        " visible. Set the mode: lineage modes set JOB append|overwrite"
    )
    lines = answer("dataset", "landing", *TIMES).splitlines()
    assert "  - s3://lake/s3/day-1" in lines
    assert lines[-1] == unknown
    assert run("dataset", "landing", *TIMES, "--format", "json").stderr == f"{unknown}\n"


def test_a_dataset_without_a_known_write_is_not_reported_as_unchanged():
    assert answer("dataset", "orders", *TIMES).splitlines()[1:] == [
        "No write of s3://lake/orders is known at either time."
    ]


def test_times_in_the_wrong_order_are_an_error():
    swapped = run("dataset", "landing", "--start", TIMES[3], "--end", TIMES[1])
    assert swapped.exit_code == 2
    assert "is later than the end" in swapped.stderr


@pytest.mark.parametrize(
    "arguments",
    [("dataset",), ("dataset", "gold/revenue"), ("dataset", "gold/revenue", *TIMES[:2]),
     ("run", "one"), ("run", "one", "two", "three"), ("gold/revenue",)],
)  # fmt: skip
def test_missing_arguments_are_a_usage_error(arguments: tuple[str, ...]):
    assert run(*arguments).exit_code == 2
