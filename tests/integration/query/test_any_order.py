"""Answers of all queries: they do not depend on the order in which events were written."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import msgspec
import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.events.builders import dataset, events, run_event, time, wrote
from support.properties import SLOW_EXAMPLES
from support.reference.graph import clear

from lineage.errors import LineageError
from lineage.ingest.writer import write_events
from lineage.orchestration import plan_jobs, rank_sources
from lineage.query import Graph
from lineage.query.filters import Filters
from lineage.query.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

    from support.fixtures.database import Server

    Connection = psycopg.Connection[Any]
    Question = partial[object]

DATASETS = """
SELECT lineage.full_name(namespace, name) FROM lineage.dataset WHERE id = canonical ORDER BY 1
"""
JOBS = "SELECT namespace || '/' || name FROM lineage.job ORDER BY 1"
RUNS = "SELECT run_id FROM lineage.run ORDER BY 1"
COLUMNS = """
SELECT lineage.full_name(d.namespace, d.name), f.name
FROM lineage.field f JOIN lineage.dataset d ON d.id = f.dataset
WHERE d.id = d.canonical ORDER BY 1, 2
"""
FIRST = Filters(limit=1)
MANY = 100  # examples, which take minutes
EARLY, MIDDLE, LATE = time(2), time(4), time(9)
# Checks of a few runs, whose jobs and parents are also named in another case.
CHECKS = st.builds(
    lambda run, at, job, success, parent, of_dataset: run_event(
        run, "COMPLETE", at, job, (of_dataset,), (), parent, test={"tests": [success]}
    ),
    st.sampled_from(["r1", "r2", "r3"]),
    st.integers(0, 5),
    st.sampled_from(["j1", "J1"]),
    st.sampled_from([{"name": "t", "status": "fail"}, {"name": "t", "status": "pass"}]),
    st.sampled_from([None, ("r1", "j1"), ("r1", "J1"), ("p", "app"), ("p", "App"), ("q", "app")]),
    st.builds(
        lambda name, success, rows: dataset(
            name,
            inputFacets={
                "dataQualityAssertions": {
                    "assertions": [{"assertion": "not_null", "success": success}]
                },
                "dataQualityMetrics": {"rowCount": rows},
            },
        ),
        st.sampled_from(["a", "b"]),
        st.booleans(),
        st.integers(1, 2),
    ),
)


@pytest.fixture
def others(server: Server, database: Callable[[str], str]) -> Iterator[Connection]:
    """Connect to another database with all migrations."""
    with psycopg.connect(database(server.migrated()), autocommit=True) as conn:
        yield conn


def of_dataset(graph: Graph, name: str) -> Iterator[Question]:
    for direction in ("upstream", "downstream", "both"):
        yield partial(graph.dataset_lineage, name, direction)
        yield partial(graph.dataset_lineage, name, direction, filters=FIRST)
        yield partial(graph.neighbours, name, direction)
        yield partial(graph.neighbours, name, direction, FIRST)
        yield partial(graph.neighbours, name, direction, time=MIDDLE)
    yield partial(graph.impact, name)
    yield partial(graph.impact, name, limit=1)
    yield partial(graph.job_lineage, name)
    yield partial(graph.dataset_lineage_at, name, perhaps=True)
    yield partial(graph.dataset_steps_at, name)
    yield partial(graph.dataset_diff, name, EARLY, LATE)
    yield partial(graph.dataset_diff, name, EARLY, LATE, limit=1)
    yield partial(graph.dataset_runs, name)
    yield partial(graph.dataset_runs, name, 1)
    for query in (graph.dataset, graph.dataset_columns, graph.quality):
        yield partial(query, name)


def of_job(graph: Graph, name: str) -> Iterator[Question]:
    yield partial(graph.job_lineage, name, filters=FIRST)
    yield partial(graph.job_lineage, name, "downstream")
    yield partial(graph.job_runs, name, 1)
    for query in (graph.job, graph.job_lineage, graph.job_runs, graph.job_history):
        yield partial(query, name)


def of_run(graph: Graph, run_id: str) -> Iterator[Question]:
    for direction in ("upstream", "downstream"):
        yield partial(graph.run_lineage, run_id, direction, perhaps=True)
        yield partial(graph.run_lineage, run_id, direction, limit=1)
        yield partial(graph.run_steps, run_id, direction)
    yield partial(graph.root_cause, run_id, limit=1)
    for query in (graph.run, graph.root_cause, graph.run_quality):
        yield partial(query, run_id)


def of_graph(graph: Graph, names: list[str]) -> Iterator[Question]:
    yield partial(graph.subgraph, names, names)
    yield partial(graph.subgraph, names, names, FIRST)
    yield partial(graph.subgraph, names, names, time=MIDDLE)
    yield partial(graph.timeline, names)
    yield partial(graph.timeline, names, limit=1)
    yield partial(graph.overdue_jobs, "2026-02-01T00:00:00Z")
    for query in (graph.rank_datasets, graph.orphans, graph.cycles, graph.runs):
        yield partial(query)
        yield partial(query, 1)
    for of_all in (plan_jobs, rank_sources):
        yield partial(of_all, graph.session)
    for query in (graph.datasets, graph.jobs, partial(graph.search, "a")):
        yield partial(query)
        yield partial(query, limit=1)


def questions(conn: Connection) -> Iterator[Question]:
    """Yield each query for each dataset, job, run and column of the graph."""
    graph = Graph.over(conn)
    names, jobs, runs = ([n for (n,) in conn.execute(text)] for text in (DATASETS, JOBS, RUNS))
    for name in names:
        yield from of_dataset(graph, name)
    for source, target in product(names, names):
        yield partial(graph.paths, source, target, all_paths=True)
        yield partial(graph.paths, source, target, limit=1)
    for name, column in conn.execute(COLUMNS).fetchall():
        yield partial(graph.impact, name, column)
        for direction in ("upstream", "downstream"):
            yield partial(graph.column_lineage, name, column, direction)
            yield partial(graph.column_lineage, name, column, direction, limit=1)
    for name in jobs:
        yield from of_job(graph, name)
    for run_id in runs:
        yield from of_run(graph, run_id)
    for before, after in product(runs, runs):
        yield partial(graph.run_diff, before, after)
    yield from of_graph(graph, names)


def answers(conn: Connection) -> list[tuple[object, ...]]:
    return [
        (question.func.__name__, arguments_of(question), question.keywords, answer_of(question))
        for question in questions(conn)
    ]


def arguments_of(question: Question) -> tuple[object, ...]:
    return tuple(each for each in question.args if not isinstance(each, Session))


def answer_of(question: Question) -> object:
    """Return the answer without the ids of vertices, which are in the order of their creation."""
    try:
        return without_ids(msgspec.to_builtins(question()))
    except LineageError as error:
        return str(error)


def without_ids(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_ids(each) for key, each in value.items() if key != "id"}
    return [without_ids(each) for each in value] if isinstance(value, (list, tuple)) else value


@pytest.mark.parametrize("examples", [6, pytest.param(MANY, marks=pytest.mark.slow)])
def test_answers_are_those_of_any_order(
    conn: Connection, others: Connection, examples: int
) -> None:
    # The slow test looks for further examples, and the other repeats some.
    @settings(SLOW_EXAMPLES, max_examples=examples, derandomize=examples < MANY)
    @given(log=st.lists(events | CHECKS, min_size=1, max_size=7), order=st.randoms())
    def compare_orders(log: list[str], order: Random) -> None:
        clear(conn)
        clear(others)
        write_events(conn, log)
        order.shuffle(log)
        for event in log:
            write_events(others, [event])
        assert answers(others) == answers(conn)

    compare_orders()


ASSERTED = {"inputFacets": {"dataQualityAssertions": {
    "assertions": [{"assertion": "not_null", "column": "x", "success": False}]
}}}  # fmt: skip


def mixed_case(run: str, at: int) -> list[str]:
    """Return a task that reported itself, and its model, which names the task in another case."""
    return [
        run_event(f"{run}-task", "COMPLETE", at + 9, "shop.load", test={
            "tests": [{"name": "not_null", "status": "fail"}]
        }),
        run_event(f"{run}-model", "COMPLETE", at + 5, "model", ("a",), ("b",),
                  (f"{run}-task", "Shop.Load")),
        run_event(f"{run}-report", "COMPLETE", at + 20, "report", ("b",)),
    ]  # fmt: skip


def two_parents(run: str, at: int) -> list[str]:
    """Return runs of one job, each with the parents of the run before and after it."""
    return [
        event
        for n in range(8)
        for event in (
            run_event(f"{run}{n}", "START", at + n * 60, "load", ("a",), (), (f"z{n}", "z")),
            run_event(f"{run}{n}", "COMPLETE", at + n * 60 + 9, "load", ("a",), (wrote("b"),),
                      (f"{'ya'[n % 2]}{n // 2}", "a")),
        )
    ]  # fmt: skip


def same_time(first: str, second: str) -> list[str]:
    """Return two runs of one job with the same times, of which one reports a failed check."""
    metrics = {"inputFacets": {"dataQualityMetrics": {"rowCount": 7}}}
    return [
        run_event("w", "COMPLETE", 1, "write", (), (wrote("a"),)),
        run_event(first, "COMPLETE", 5, "check", (dataset("a", **ASSERTED),)),
        run_event(second, "COMPLETE", 5, "check", (
            dataset("a", inputFacets={**ASSERTED["inputFacets"], **metrics["inputFacets"]}),)),
        run_event("r1", "FAIL", 8, "read", ("a",), (wrote("b"),)),
        run_event("r2", "FAIL", 8, "read", ("a",), (wrote("b"),)),
        run_event("c", "FAIL", 9, "use", ("b",), (wrote("c"),)),
    ]  # fmt: skip


@pytest.mark.parametrize("log", [
    [*mixed_case("a", 0), *mixed_case("b", 100)],
    two_parents("l", 0),
    same_time("x", "y"),
    same_time("y", "x"),
], ids=["mixed case", "two parents", "same time", "same time, reversed"])  # fmt: skip
def test_equal_times_and_several_parents_have_one_answer(
    conn: Connection, others: Connection, log: list[str]
) -> None:
    for each, events_of in ((conn, log), (others, log[::-1])):
        for event in events_of:
            write_events(each, [event])
    assert answers(others) == answers(conn)
