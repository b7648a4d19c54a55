"""Output of ``lineage orphans``, ``cycles`` and ``stats``."""

from __future__ import annotations

import json

import psycopg
import pytest
from click.testing import CliRunner, Result
from lineage_cli import main
from support.events.builders import run_event

from lineage.ingest.writer import write_events

# raw ─▶ a ─▶ b ─▶ a, b ─▶ report, kept ─▶ kept; a failed run was to write loss
EVENTS = [
    run_event("1", "COMPLETE", 10, "clean", ("raw",), ("a",)),
    run_event("2", "COMPLETE", 20, "out", ("a",), ("b",)),
    run_event("3", "COMPLETE", 30, "in", ("b",), ("a", "report")),
    run_event("4", "COMPLETE", 40, "merge", ("kept",), ("kept",)),
    run_event("5", "FAIL", 50, "broken", ("a",), ("loss",)),
]


@pytest.fixture(autouse=True)
def _environment(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINEAGE_DSN", dsn)


@pytest.fixture
def _graph(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_events(conn, EVENTS)


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.stderr
    return result


@pytest.mark.usefixtures("_graph")
def test_orphans_stand_under_their_kind():
    assert run("orphans").stdout.splitlines() == [
        "UNUSED: written, but without readers (2)",
        "2026-01-01 00:00:40Z  s3://lake/kept",
        "2026-01-01 00:00:30Z  s3://lake/report",
        "",
        "EXTERNAL SOURCES: read, and no run wrote them, except failed runs (1)",
        "2026-01-01 00:00:10Z  s3://lake/raw",
        "",
        "UNREFERENCED: only named, or only to be written by failed runs (1)",
        "2026-01-01 00:00:50Z  s3://lake/loss",
        "",
        "JOBS that never wrote, neither did runs that they started (1)",
        "2026-01-01 00:00:50Z  etl/broken",
    ]


@pytest.mark.usefixtures("_graph")
def test_orphans_that_the_limit_leaves_out_are_counted():
    assert "and 1 more; --limit 0 shows all" in run("orphans", "--limit", "1").stdout
    rows = run("orphans", "--limit", "1", "--format", "jsonl")
    assert [json.loads(line)["kind"] for line in rows.stdout.splitlines()] == [
        "unused", "external source", "unreferenced", "job",
    ]  # fmt: skip
    assert rows.stderr == "Omitted: 1. --limit 0 shows all.\n"
    whole = run("orphans", "--limit", "0", "--format", "jsonl")
    assert len(whole.stdout.splitlines()) == 4 + 1
    assert whole.stderr == ""


@pytest.mark.usefixtures("_graph")
def test_a_cycle_is_printed_as_a_shortest_path_around_it():
    assert run("cycles").stdout.splitlines() == [
        "1 cycle of more than one dataset; 1 dataset fed by itself.",
        "",
        "2 datasets, 2 edges; a shortest path around it:",
        "s3://lake/a",
        "  ─▶ s3://lake/b  [out, 2026-01-01 00:00:20Z]",
        "  ─▶ s3://lake/a  [in, 2026-01-01 00:00:30Z]",
        "",
        "FED BY THEMSELVES, and not on another cycle",
        "s3://lake/kept  [merge, 2026-01-01 00:00:40Z]",
    ]
    rows = json.loads(run("cycles", "--format", "json").stdout)
    assert [(row["cycle"], row["datasets"], row["source"], row["job"]) for row in rows] == [
        (1, 2, "s3://lake/a", "etl/out"),
        (1, 2, "s3://lake/b", "etl/in"),
        (2, 1, "s3://lake/kept", "etl/merge"),
    ]
    assert "and 1 more" in run("cycles", "--limit", "1").stdout
    assert run("cycles", "--limit", "1", "--format", "table").stderr.startswith("Omitted: 1.")


@pytest.mark.usefixtures("_graph")
def test_stats_count_everything():
    lines = run("stats").stdout.splitlines()
    assert {"Dataset  6", "COMPLETE  4", "FAIL      1", "events  5"} <= set(lines)
    assert {"components               1", "datasets of the largest  4"} <= set(lines)
    assert "s3://lake/raw  3             1" in lines
    found = json.loads(run("stats", "--format", "json").stdout)
    assert found["edges"]["FEEDS"] == 5
    assert found["most_read"] == [{"name": "s3://lake/raw", "downstream": 3, "reads": 1}]
    rows = [json.loads(line) for line in run("stats", "--format", "jsonl").stdout.splitlines()]
    assert {"section": "shape", "name": "sources", "number": 1} in rows
    assert "downstream" in run("stats", "--format", "table").stdout


def test_of_nothing_there_is_nothing_to_report():
    assert run("orphans").stdout == "There are none.\n"
    assert (
        run("cycles").stdout == "0 cycles of more than one dataset; 0 datasets fed by themselves.\n"
    )
    assert "newest  none" in run("stats").stdout
