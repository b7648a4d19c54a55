"""Output for a run that failed in Python: exception and location, or the whole traceback."""

from __future__ import annotations

import json

from support.events.builders import run_event
from support.services.command_line import answer, graph_of

MESSAGE = """org.apache.spark.api.python.PythonException: Traceback (most recent call last):
  File "/opt/jobs/shares.py", line 7, in share
    return 1 // total
ZeroDivisionError: integer division or modulo by zero
"""
SHORT = "ZeroDivisionError: integer division or modulo by zero (shares.py:7, in share)"
EVENTS = [
    run_event("r1", "COMPLETE", 10, "load", (), ("orders",)),
    run_event(
        "r2", "FAIL", 60, "share", ("orders",), ("shares",), errorMessage={"message": MESSAGE}
    ),
]

_graph = graph_of(EVENTS)


def test_show_prints_the_exception_and_with_full_each_line():
    lines = answer("show", "r2").splitlines()
    assert f"error       {SHORT}" in lines
    assert not any("Traceback" in line for line in lines)
    full = answer("show", "r2", "--full")
    assert all(line.strip() in full for line in MESSAGE.splitlines())


def test_runs_has_it_in_one_line_and_its_data_has_all():
    table = answer("runs", "shares")
    assert "ZeroDivisionError: integer division" in table
    assert "Traceback" not in table
    (row,) = json.loads(answer("runs", "shares", "--format", "json"))
    assert row["error"] == MESSAGE


def test_root_cause_says_it():
    assert SHORT in " ".join(answer("root-cause", "r2").split())
