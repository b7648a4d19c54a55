"""Output of what the last successful runs no longer read or made."""

from __future__ import annotations

import json

from support.events.builders import dataset, derived, run_event, schema
from support.services import command_line
from support.services.command_line import answer, graph_of


def mart(run: str, at: int, name: str, column: str) -> str:
    made = dataset("out", columnLineage=derived(("total", name, column)))
    source = dataset(name, schema=schema(**{column: "int"}))
    return run_event(run, "COMPLETE", at, "mart", (source,), (made,))


# mart read old, and reads new now. Its output is read by dashboards.
EVENTS = [
    mart("m1", 60, "old", "amount"),
    mart("m2", 120, "new", "net"),
    mart("m3", 180, "new", "net"),
    run_event("d1", "COMPLETE", 200, "dashboards", ("out",), ("page",)),
]

_graph = graph_of(EVENTS)


def test_impact_marks_stale_reads_and_datasets_with_their_last_times():
    lines = [" ".join(line.split()) for line in answer("impact", "old").splitlines()]
    assert "1 etl/mart s3://lake/old 1 2026-01-01 00:01:00Z, stale COMPLETE" in lines
    assert "2 etl/dashboards s3://lake/out 1 2026-01-01 00:03:20Z COMPLETE" in lines
    [out] = [line for line in lines if line.startswith("1 s3://lake/out ")]
    assert "2026-01-01 00:01:00Z, stale 1 run" in out
    [page] = [line for line in lines if line.startswith("2 s3://lake/page ")]
    assert "2026-01-01 00:03:20Z, stale upstream 0 runs" in page


def test_rows_of_impact_have_the_marks():
    rows = [json.loads(line) for line in answer("impact", "old", "--format", "jsonl").splitlines()]
    assert [(row["name"], row["stale"]) for row in rows] == [
        ("s3://lake/out", True),
        ("s3://lake/page", True),
        ("etl/mart", True),
        ("etl/dashboards", False),
    ]
    assert (rows[2]["runs"], rows[2]["reads"]) == (3, 1)
    assert rows[2]["last_read"] == "2026-01-01T00:01:00.000000Z"
    assert rows[2]["stale_inputs"] == ["s3://lake/old"]


def test_paths_mark_stale_edges():
    result = command_line.run("paths", "old", "page")
    assert result.stdout.splitlines()[2:] == [
        "└── s3://lake/out  [mart, 1 run, 2026-01-01 00:01:00Z, stale]",
        "    └── s3://lake/page  [dashboards, 1 run, 2026-01-01 00:03:20Z]",
    ]


def test_columns_mark_stale_edges():
    assert answer("query", "column", "out", "total").splitlines() == [
        "s3://lake/out.total",
        "├── s3://lake/new.net  [DIRECT, mart]",
        "└── s3://lake/old.amount  [DIRECT, mart, 2026-01-01 00:01:00Z, stale]",
    ]
