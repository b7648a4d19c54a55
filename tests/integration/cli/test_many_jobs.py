"""The tree of a dataset that many jobs write, such as one job for each query of Trino."""

from __future__ import annotations

import json

from support.events.builders import run_event
from support.services.command_line import answer, graph_of

_graph = graph_of(
    [
        *(run_event(f"q{n}", "COMPLETE", n, f"2026_{n:02}", ("a",), ("daily",)) for n in range(30)),
        *(run_event(f"w{n}", "COMPLETE", 99 + n, f"w{n}", ("daily",), ("few",)) for n in range(5)),
    ]
)  # fmt: skip


def test_the_newest_jobs_of_a_step_are_named_and_the_others_counted():
    root, few, line = answer("query", "few").splitlines()
    assert root == "s3://lake/few"
    assert [f"w{n}, " in few for n in range(5)] == [True] * 5
    assert "more" not in few
    assert [n for n in range(30) if f"[2026_{n:02}, " in line] == [25, 26, 27, 28, 29]
    assert line.endswith("; 25 more jobs")
    rows = json.loads(answer("query", "daily", "--format", "json"))
    assert len({row["job"] for row in rows}) == 30
