"""Output of ``lineage root-cause``."""

from __future__ import annotations

import json
from functools import partial

from support.events.builders import run_event
from support.services import command_line
from support.services.command_line import graph_of

EVENTS = [
    run_event("load-1", "COMPLETE", 10, "load", ("raw",), ("rates",)),
    run_event("load-2", "FAIL", 60, "load", (), ("rates",), errorMessage={"message": "timeout"}),
    run_event("report-1", "START", 100, "report", ("rates",), ("revenue",)),
    run_event("report-1", "FAIL", 110, "report", errorMessage={"message": "no rates of today"}),
    run_event("fine", "COMPLETE", 120, "other", ("elsewhere",)),
]

_graph = graph_of(EVENTS)


run = partial(command_line.run, "root-cause")
answer = partial(command_line.answer, "root-cause")


def test_causes_are_reported_in_words_the_worst_first():
    assert answer("report-1").splitlines() == [
        "run report-1  [FAIL, 2026-01-01 00:01:50Z]",
        "of etl/report",
        "1 other run examined.",
        "",
        "1. stale input  [load, run load-2, 1 step back]",
        "   load should have written s3://lake/rates. It failed at 2026-01-01 00:01:00Z: timeout.",
        "   Run report-1 read it at 2026-01-01 00:01:40Z, as run load-1 wrote it at 2026-01-01",
        "   00:00:10Z.",
        "",
        "2. failed  [report, run report-1, the run itself]",
        "   It failed at 2026-01-01 00:01:50Z: no rates of today.",
    ]


def test_each_cause_is_a_row():
    rows = json.loads(answer("report-1", "--format", "json"))
    assert [(r["kind"], r["fault"], r["run"], r["reader"], r["seen"]) for r in rows] == [
        ("stale input", "failed", "load-2", "report-1", "load-1"),
        ("failed", None, "report-1", None, None),
    ]
    assert "reason" in answer("report-1", "--format", "table")


def test_a_limit_reports_the_omitted_entries():
    lines = answer("report-1", "--limit", "1").splitlines()
    assert "1. stale input  [load, run load-2, 1 step back]" in lines
    assert lines[-1] == "The first 1 of 2 causes are shown. --limit 0 shows all."
    assert answer("report-1", "--limit", "0") == answer("report-1")


def test_a_run_with_which_nothing_is_wrong_and_one_that_is_not_there():
    assert "No cause is known." in answer("fine")
    missing = run("nothing")
    assert missing.exit_code == 1
    assert 'No run has the id "nothing"' in missing.stderr
