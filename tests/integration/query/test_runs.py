"""Runs of all jobs, by state and by time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from lineage_cli import main
from support.events.builders import run_event, time
from support.properties import examples_in_one_database
from support.reference.graph import clear

from lineage.errors import UsageError
from lineage.ingest.writer import write_events
from lineage.query import Graph
from lineage.query.run_history import RunFilter

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[Any]


def ids(graph: Graph, limit: int = 20, offset: int = 0, **where: Any) -> list[str]:
    return [each.run.run_id for each in graph.runs(limit, RunFilter(**where), offset=offset)]


def test_the_last_to_begin_is_first_with_its_job_and_error(provenance: Graph) -> None:
    every = provenance.runs()
    assert [(each.run.run_id, each.job and each.job.name) for each in every][:2] == [
        ("publish-1", "publish"),
        ("broken-1", "broken"),
    ]
    assert (every[1].run.state, every[1].run.error) == ("FAIL", "no space left")
    assert ids(provenance, 2, 1) == ["broken-1", "report-2"]


def test_states_and_times_select(provenance: Graph) -> None:
    assert ids(provenance, states=("FAIL", "START")) == ["broken-1", "app-1"]
    assert ids(provenance, states=("fail",)) == ["broken-1"]
    assert ids(provenance, states=("running",)) == ["app-1"]
    assert ids(provenance, since=time(30), until=time(60)) == ["report-2", "report-1"]
    with pytest.raises(UsageError, match='There is no state "DONE"'):
        ids(provenance, states=("DONE",))
    with pytest.raises(UsageError, match="soon"):
        ids(provenance, since="soon")


def test_a_run_that_only_a_child_names_has_no_time_and_is_omitted(conn: Connection) -> None:
    write_events(conn, [run_event("child", "COMPLETE", 1, parent=("app", "application"))])
    assert ids(Graph.over(conn)) == ["child"]


def test_the_command_lists_all_runs(provenance: Graph, dsn: str) -> None:
    def answer(*words: str) -> Any:
        result = CliRunner().invoke(main, ["runs", *words, "--format", "json", "--dsn", dsn])
        assert result.exit_code == 0, result.output
        return [(row["run_id"], row["job"]) for row in json.loads(result.stdout)]

    assert answer("--state", "fail") == [("broken-1", "etl/broken")]
    assert [run for run, _ in answer("--state", "running")] == ["app-1"]
    assert len(answer()) == 7
    assert answer("--limit", "1") == [("publish-1", "etl/publish")]


RUNS = st.lists(
    st.tuples(
        st.sampled_from(["START", "COMPLETE", "FAIL", "ABORT", "RUNNING"]),
        st.integers(0, 9),
        st.integers(0, 3),
    ),
    max_size=9,
)


@examples_in_one_database(40)
@given(runs=RUNS, states=st.sets(st.sampled_from(["COMPLETE", "FAIL", "START"])),
       since=st.integers(0, 9), until=st.integers(0, 9), limit=st.integers(1, 5),
       offset=st.integers(0, 4))  # fmt: skip
def test_runs_are_those_of_the_events(
    conn: Connection, runs: Any, states: set[str], since: int, until: int, limit: int, offset: int
) -> None:
    clear(conn)
    events = [
        event
        for n, (state, begin, took) in enumerate(runs)
        for event in (
            run_event(f"r{n}", "START", begin, "job"),
            run_event(f"r{n}", state, begin + took, "job"),
        )
    ]
    write_events(conn, events)
    expected = sorted(
        (-begin, f"r{n}")
        for n, (state, begin, _) in enumerate(runs)
        if since <= begin < until and (not states or state in states)
    )
    where = {"states": tuple(states), "since": time(since), "until": time(until)}
    selected = [run for _, run in expected]
    assert ids(Graph.over(conn), limit, offset, **where) == selected[offset : offset + limit]
    assert (
        {run.run_id for run in Graph.over(conn).job_runs("job", 20, RunFilter(**where))}
        == set(selected)
        if runs
        else True
    )
