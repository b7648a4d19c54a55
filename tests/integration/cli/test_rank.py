"""Output of ``lineage rank``, and of commands that show stored ranks."""

from __future__ import annotations

import json

from support.events.builders import run_event
from support.services.command_line import graph_of, run

# raw ─▶ clean ─▶ gold
_graph = graph_of(
    [
        run_event("r1", "COMPLETE", 10, "clean", ("raw",), ("clean",)),
        run_event("r2", "COMPLETE", 20, "report", ("clean",), ("gold",)),
    ]
)


def test_datasets_are_ranked():
    result = run("rank", "--limit", "1")
    assert result.stdout.splitlines() == [
        "dataset        rank    dependents",
        "-------------  ------  ------------",
        "s3://lake/raw  47.44%  2",
        "and 2 more; --limit 0 shows all",
        "",
        "3 datasets in 1 component; the longest chain has 2 edges",
    ]


def test_stored_ranks_are_printed():
    stored = run("rank", "--store", "--limit", "1")
    assert (
        stored.stderr
        == "The ranks of 3 datasets were stored; 0 had not changed; 0 were withdrawn.\n"
    )
    assert stored.stdout == run("rank", "--limit", "1").stdout
    again = run("rank", "--store", "--format", "json")
    assert "0 datasets were stored; 3 had not changed" in again.stderr
    assert [row["dependents"] for row in json.loads(again.stdout)] == [2, 1, 0]
    assert run("search", "raw").stdout == "dataset  s3://lake/raw  [rank 1 of 3]\n"
    [row] = json.loads(run("search", "raw", "--format", "json").stdout)
    assert (row["rank"], row["rank_position"]) == (0.474412, 1)
    shown = run("show", "raw").stdout.splitlines()
    assert "rank        1 of 3, 47.44%, 2 dependents  [2026-01-01 00:00:20Z]" in shown
    assert not any(line.startswith("facets") for line in shown)
