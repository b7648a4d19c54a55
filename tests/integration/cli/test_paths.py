"""Output of ``lineage paths``."""

from __future__ import annotations

import io
import json
from functools import partial

import networkx
from support.events.builders import run_event
from support.services import command_line
from support.services.command_line import graph_of

# raw ─ clean ─▶ staged ─┬─ report ─▶ revenue          staged ─ again ─▶ staged
#   └──── copy ──▶ copied ┘  (report reads both)       island
EVENTS = [
    run_event("r1", "COMPLETE", 60, "clean", ("raw",), ("staged",)),
    run_event("r2", "COMPLETE", 90, "copy", ("raw",), ("copied",)),
    run_event("r3", "COMPLETE", 120, "report", ("staged", "copied"), ("revenue",)),
    run_event("r4", "COMPLETE", 180, "report", ("staged",), ("revenue",)),
    run_event("r5", "COMPLETE", 240, "again", ("staged",), ("staged",)),
    run_event("r6", "COMPLETE", 300, "lonely", (), ("island",)),
]

_graph = graph_of(EVENTS)


run = partial(command_line.run, "paths")


def test_all_shortest_paths_are_printed():
    result = run("raw", "revenue")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "s3://lake/raw feeds s3://lake/revenue in 2 steps.",
        "s3://lake/raw",
        "├── s3://lake/copied  [copy, 1 run, 2026-01-01 00:01:30Z]",
        "│   └── s3://lake/revenue  [report, 1 run, 2026-01-01 00:02:00Z, stale]",
        "└── s3://lake/staged  [clean, 1 run, 2026-01-01 00:01:00Z]",
        "    └── s3://lake/revenue  [report, 2 runs, 2026-01-01 00:03:00Z]",
    ]


def test_all_paths_include_cycles():
    lines = run("raw", "revenue", "--all-paths").stdout.splitlines()
    assert lines[0].endswith("in 2 steps at least, over 4 datasets and 5 edges in all.")
    assert "    └── s3://lake/staged ↑  [again, 1 run, 2026-01-01 00:04:00Z]" in lines


def test_the_other_way_round_is_reported_and_is_a_no():
    result = run("revenue", "staged")
    assert result.exit_code == 1
    said, *drawn = result.stdout.splitlines()
    assert said == (
        "s3://lake/revenue does not feed s3://lake/staged. In the opposite direction, "
        "s3://lake/staged feeds s3://lake/revenue in 1 step."
    )
    assert drawn == [
        "s3://lake/staged",
        "└── s3://lake/revenue  [report, 2 runs, 2026-01-01 00:03:00Z]",
    ]
    rows = run("revenue", "staged", "--format", "json")
    assert [row["direction"] for row in json.loads(rows.stdout)] == ["upstream"]
    assert "In the opposite direction" in rows.stderr


def test_no_path_either_way_is_the_last_answer():
    result = run("raw", "island")
    assert result.exit_code == 1
    assert result.stdout == (
        "No path in either direction: s3://lake/raw does not feed s3://lake/island, "
        "and s3://lake/island does not feed s3://lake/raw.\n"
    )
    rows = run("raw", "island", "--format", "jsonl")
    assert (rows.exit_code, rows.stdout) == (1, "")
    assert "No path in either direction" in rows.stderr


def test_from_a_dataset_to_itself():
    assert run("staged", "staged").stdout.startswith("s3://lake/staged feeds itself in 1 step.")
    result = run("raw", "raw")
    assert result.exit_code == 1
    assert result.stdout == "s3://lake/raw does not feed itself: no cycle leads through it.\n"


def test_each_edge_is_a_row():
    rows = json.loads(run("raw", "revenue", "--format", "json").stdout)
    assert [(r["distance"], r["source"], r["job"], r["runs"], r["run_id"]) for r in rows] == [
        (1, "s3://lake/raw", "etl/copy", 1, "r2"),
        (1, "s3://lake/raw", "etl/clean", 1, "r1"),
        (2, "s3://lake/copied", "etl/report", 1, "r4"),
        (2, "s3://lake/staged", "etl/report", 2, "r4"),
    ]
    lines = run("raw", "revenue", "--format", "jsonl").stdout.splitlines()
    assert [json.loads(line) for line in lines] == rows
    assert "last_seen" in run("raw", "revenue", "--format", "table").stdout


def test_a_name_that_fits_none_is_reported():
    result = run("raw", "revenu")
    assert (result.exit_code, result.stdout) == (1, "")
    assert 'No dataset is called "revenu".' in result.stderr


def test_paths_are_a_graph_in_other_notations_and_rows_in_csv():
    text = run("raw", "revenue", "--format", "graphml").stdout
    found = networkx.read_graphml(io.BytesIO(text.encode()))
    assert sorted(data["root"] for _, data in found.nodes(data=True)) == [False, False, True, True]
    assert len(found.edges) == 4
    header = run("raw", "island", "--format", "csv").stdout
    assert header.startswith("direction,distance,source,target,job,runs,first_seen,")
