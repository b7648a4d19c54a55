"""An empty graph: every command reports that it is empty, and the remedy."""

from __future__ import annotations

import pytest
from support.services.command_line import graph_of, run

_graph = graph_of([])


@pytest.mark.parametrize(
    "command",
    [
        ("query", "x"),
        ("query", "job", "x"),
        ("show", "x"),
        ("runs", "x"),
        ("impact", "x"),
        ("root-cause", "x"),
        ("search", "x"),
        ("datasets",),
        ("jobs",),
        ("orphans",),
        ("stats",),
    ],
)
def test_it_says_that_it_is_empty(command: tuple[str, ...]) -> None:
    stderr = run(*command).stderr
    assert stderr.count("The graph is empty.") == 1
    assert "lineage ingest" in stderr
