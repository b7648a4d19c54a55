"""The graph as a function of the set of events, for any order, repetition and batch size."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.events.builders import (
    dataset,
    dataset_event,
    derived,
    entries,
    events,
    fed,
    job_event,
    renamed,
    run_event,
    schema,
)
from support.properties import examples_in_one_database
from support.reference.graph import clear, expected, stored

from lineage.database import binary_copy
from lineage.ingest.writer import Written, write_events
from lineage.projection.rebuild import graph_fingerprint, rebuild_graph

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[Any]

FULL = examples_in_one_database(60)

SUM = {"type": "DIRECT", "subtype": "AGGREGATION"}


def batches(done: int) -> dict[str, Any]:
    """Return the facets of a streaming query after ``done`` micro-batches."""
    return {"facts": {"batches": done}}


UPSTREAM = {"type": "JOB", "namespace": "etl", "name": "upstream"}
IN_WAREHOUSE = {"type": "DATASET", "namespace": "file", "name": "z"}


def changed(name: str, change: str, **facets: Any) -> dict[str, Any]:
    return dataset(name, lifecycleStateChange={"lifecycleStateChange": change}, **facets)


CASES = {
    "a change without rows feeds nothing": [
        run_event("r", "START", 1, reads=("a",), writes=(changed("b", "OVERWRITE"),)),
        run_event("r", "COMPLETE", 2, reads=("a",), writes=(changed("stage", "TRUNCATE"),)),
        run_event("s", "COMPLETE", 3, reads=("a", "b"), writes=(changed("stage", "drop"),)),
    ],
    "the newest change of an output decides": [
        run_event("r", "START", 1, reads=("a",), writes=("b", changed("c", "ALTER"))),
        run_event("r", "RUNNING", 2, reads=("a",), writes=(changed("b", "DROP"),)),
        run_event("r", "COMPLETE", 3, writes=(changed("c", "OVERWRITE"),)),
        run_event("s", "COMPLETE", 3, reads=("a",), writes=("b", "c")),
    ],
    "reported inputs are those of rows that a run removed again": [
        run_event(
            "r",
            "COMPLETE",
            1,
            reads=("a",),
            writes=(
                changed("b", "TRUNCATE", lineage=fed("c")),
                changed("d", "CREATE", lineage=fed("c")),
            ),
        ),
    ],
    "one run": [
        run_event("r", "START", 1, reads=("a",), writes=("b",)),
        run_event("r", "COMPLETE", 2, writes=("b",)),
    ],
    "inputs and outputs in different events": [
        run_event("r", "START", 1, reads=("a", "b")),
        run_event("r", "RUNNING", 2, writes=("c",)),
        run_event("r", "COMPLETE", 3),
    ],
    "a run that fails takes back what it was to feed": [
        run_event("ok", "COMPLETE", 1, reads=("a",), writes=("b",)),
        run_event("bad", "START", 2, reads=("a",), writes=("b", "c")),
        run_event("bad", "FAIL", 3),
    ],
    "a stream that fails has fed what its batches wrote": [
        run_event("s", "START", 1, reads=("a",), writes=("b",), lineage_streaming_query=batches(0)),
        run_event(
            "s",
            "RUNNING",
            2,
            reads=("a",),
            writes=(dataset("b", columnLineage=derived(("x", "a", "x"))), "c"),
            lineage_streaming_query=batches(1),
        ),
        run_event("s", "FAIL", 3, reads=("a",), lineage_streaming_query=batches(2)),
        run_event(
            "dead", "RUNNING", 4, reads=("a",), writes=("d",), lineage_streaming_query=batches(1)
        ),
        run_event("dead", "ABORT", 5),
    ],
    "a stream that fails in its first batch has fed nothing": [
        run_event("s", "START", 1, reads=("a",), writes=("b",), lineage_streaming_query=batches(0)),
        run_event("s", "FAIL", 2, reads=("a",), lineage_streaming_query=batches(0)),
    ],
    "a run that failed first and completed later": [
        run_event("r", "FAIL", 1, reads=("a",), writes=("b",)),
        run_event("r", "COMPLETE", 2),
        run_event("r", "OTHER", 3),
    ],
    "two ends at the same time": [
        run_event("r", "COMPLETE", 1, reads=("a",), writes=("b",)),
        run_event("r", "FAIL", 1),
        run_event("r", None, 5),
    ],
    "parents": [
        run_event("child", "START", 2, "j", reads=("a",), writes=("b",), parent=("app", "main")),
        run_event("app", "START", 1, "main"),
        run_event("app", "COMPLETE", 3, "main"),
    ],
    "an alias learnt late": [
        run_event("r1", "COMPLETE", 1, "j1", reads=("table",), writes=("out",)),
        run_event("r2", "COMPLETE", 2, "j2", reads=("in",), writes=(dataset("path", ("table",)),)),
        dataset_event(3, dataset("table", tags={"tags": [{"key": "pii", "value": "true"}]})),
    ],
    "an alias that moves to another owner": [
        run_event("r1", "COMPLETE", 1, reads=(dataset("old", ("table",)),), writes=("x",)),
        run_event("r2", "COMPLETE", 2, reads=("table",), writes=("y",)),
        run_event("r3", "COMPLETE", 3, reads=(dataset("new", ("table",)),), writes=("z",)),
    ],
    "names that claim each other": [
        run_event("r1", "COMPLETE", 1, reads=(dataset("b", ("a",)),), writes=("x",)),
        run_event("r2", "COMPLETE", 2, reads=(dataset("a", ("b",)),), writes=("x",)),
        run_event("r3", "COMPLETE", 3, reads=("a", "b"), writes=(dataset("c", ("b",)),)),
    ],
    "columns": [
        run_event(
            "r",
            "START",
            1,
            reads=("a",),
            writes=(
                dataset("b", columnLineage=derived(("x", "a", "x"), whole=(("a", "y", "FILTER"),))),
            ),
        ),
        run_event(
            "r",
            "COMPLETE",
            2,
            writes=(
                dataset(
                    "b",
                    schema=schema(x="int", z="int"),
                    columnLineage=derived(("x", "a", "x", SUM), whole=(("a", "z", "JOIN"),)),
                ),
            ),
        ),
        run_event(
            "s",
            "COMPLETE",
            3,
            reads=("a",),
            writes=(
                dataset(
                    "b",
                    schema=schema(z="text"),
                    columnLineage=derived(("x", "a", "x", SUM), ("x", "a", "x")),
                ),
            ),
        ),
    ],
    "a run that fails takes back its columns": [
        run_event(
            "ok",
            "COMPLETE",
            1,
            writes=(
                dataset("b", columnLineage=derived(("x", "a", "x"), whole=(("a", "y", "FILTER"),))),
            ),
        ),
        run_event(
            "bad",
            "START",
            2,
            writes=(
                dataset(
                    "b",
                    columnLineage=derived(
                        ("x", "a", "x"), ("z", "a", "z"), whole=(("a", "y", "FILTER"),)
                    ),
                ),
            ),
        ),
        run_event("bad", "FAIL", 3),
    ],
    "columns of a dataset whose alias is learnt late": [
        run_event(
            "r1",
            "COMPLETE",
            1,
            "j1",
            writes=(dataset("out", columnLineage=derived(("x", "table", "x"))),),
        ),
        run_event(
            "r2",
            "COMPLETE",
            2,
            "j2",
            writes=(
                dataset(
                    "path",
                    ("table",),
                    schema=schema(x="int", s={"x": "int"}),
                    columnLineage=derived(("x", "in", "x"), whole=(("in", "y", "FILTER"),)),
                ),
            ),
        ),
        dataset_event(3, dataset("table", schema=schema(x="text"))),
    ],
    "columns whose dataset gets another owner": [
        run_event(
            "r1",
            "COMPLETE",
            1,
            writes=(dataset("old", ("table",), columnLineage=derived(("x", "in", "x"))),),
        ),
        run_event(
            "r2",
            "COMPLETE",
            2,
            writes=(
                dataset(
                    "table",
                    schema=schema(z="int"),
                    columnLineage=derived(("y", "table", "y"), whole=(("in", "y", "FILTER"),)),
                ),
            ),
        ),
        run_event("r3", "COMPLETE", 3, reads=(dataset("new", ("table",)),), writes=("x",)),
    ],
    "a run that goes on says the same, and more": [
        run_event(
            "r",
            "START",
            1,
            reads=("a",),
            writes=(dataset("b", columnLineage=derived(("x", "a", "x"))),),
        ),
        run_event(
            "r",
            "RUNNING",
            5,
            reads=("a", "c"),
            writes=(dataset("b", columnLineage=derived(("x", "a", "x"))), "d"),
        ),
        run_event(
            "r",
            "COMPLETE",
            9,
            reads=("a",),
            writes=(
                dataset("b", columnLineage=derived(("x", "a", "x"))),
                dataset("d", columnLineage=derived(("y", "c", "y"))),
            ),
        ),
        run_event("r2", "START", 2),
        run_event(
            "r2",
            "COMPLETE",
            8,
            reads=("a",),
            writes=(dataset("b", columnLineage=derived(("x", "a", "x"))),),
        ),
    ],
    "a lineage facet says which input fed which output": [
        run_event("r", "START", 1, reads=("a", "c"), writes=("b", "d")),
        run_event(
            "r",
            "COMPLETE",
            2,
            reads=("a", "c"),
            writes=(dataset("b", lineage=fed("a", x=[("a", "y")])), "d"),
        ),
        run_event("s", "COMPLETE", 3, reads=("a",), writes=(dataset("b", lineage=fed()),)),
    ],
    "the lineage facet of a job, through jobs, and newer ones": [
        run_event(
            "r",
            "RUNNING",
            1,
            reads=("a", "c"),
            writes=("b", "d"),
            of_job={"lineage": entries(b=fed("c"), e=fed("a"), f=fed({"type": "JOB"}))},
        ),
        run_event(
            "r",
            "RUNNING",
            2,
            writes=("b",),
            of_job={
                "lineage": entries(
                    "g",
                    others={"other": ["h"]},
                    b=fed({"type": "JOB", "namespace": "etl", "name": "other"}, ("a", "x")),
                    d=fed(None, z=[("c", "z")]),
                    i=fed(...),
                )
            },
        ),
        run_event("r", "COMPLETE", 3),
        run_event("r2", "FAIL", 4, writes=(dataset("b", lineage=fed("a")),)),
    ],
    "each event of a run adds to the lineage facet of its job, which is complete": [
        run_event(
            "r",
            "RUNNING",
            1,
            reads=("a",),
            writes=("b", dataset("d", columnLineage=derived(("x", "a", "x")))),
            of_job={"lineage": entries(b=fed("a"))},
        ),
        run_event(
            "r",
            "COMPLETE",
            2,
            reads=("c",),
            writes=("b", "d"),
            of_job={"lineage": entries(b=fed("c"), e=fed(None, x=[("c", "y")]))},
        ),
        job_event(3, "j", reads=("a", "c"), writes=("b", "d"), lineage=entries(b=fed("a"))),
    ],
    "the job and datasets of two namespaces, in names of any case, as sources": [
        run_event(
            "r",
            "RUNNING",
            1,
            reads=("a",),
            writes=(dataset("b", lineage=fed(..., "c", IN_WAREHOUSE)),),
        ),
        run_event("r", "RUNNING", 2, writes=(dataset("b", lineage=fed("Z", "ä", "b", "C")),)),
        run_event("r", "COMPLETE", 3, writes=(dataset("b", lineage=fed("a", "c")),)),
    ],
    "a facet of a job that names no dataset": [
        run_event(
            "r", "RUNNING", 1, reads=("a",), writes=("b",), of_job={"lineage": entries(UPSTREAM)}
        ),
        run_event(
            "r",
            "COMPLETE",
            2,
            reads=("a",),
            writes=("b", "c"),
            of_job={"lineage": entries(c=fed("a"))},
        ),
        run_event(
            "s", "COMPLETE", 3, reads=("a",), writes=("b",), of_job={"lineage": {"entries": []}}
        ),
    ],
    "only the columns of an output name a source": [
        run_event("r", "START", 1, reads=("a",), writes=("b", "d")),
        run_event(
            "r",
            "COMPLETE",
            2,
            reads=("c",),
            writes=(dataset("b", columnLineage=derived(("x", "seed", "x"), ("y", "a", "y"))),),
        ),
        run_event(
            "s",
            "COMPLETE",
            3,
            writes=(
                dataset("b", columnLineage=derived(("x", "b", "x"), whole=(("e", "z", "JOIN"),))),
            ),
        ),
        run_event("t", "FAIL", 4, writes=(dataset("b", columnLineage=derived(("x", "c", "x"))),)),
    ],
    "the sources of columns of several events, and of an output that is listed twice": [
        run_event(
            "r",
            "RUNNING",
            1,
            reads=("a",),
            writes=(dataset("b", columnLineage=derived(("x", "c", "x"))),),
        ),
        run_event(
            "r",
            "COMPLETE",
            2,
            writes=(
                dataset("b", columnLineage=derived(("x", "table", "x"))),
                dataset("b", columnLineage=derived(("x", "e", "x"))),
            ),
        ),
        run_event("s", "COMPLETE", 3, reads=(dataset("path", ("table",)),), writes=("out",)),
    ],
    "a lineage facet replaces the sources of columns": [
        run_event(
            "r",
            "RUNNING",
            1,
            reads=("a",),
            writes=(dataset("b", columnLineage=derived(("x", "c", "x"))),),
        ),
        run_event("r", "RUNNING", 2, reads=("a",), writes=(dataset("b", lineage=fed("e")),)),
        run_event(
            "r", "COMPLETE", 3, writes=(dataset("b", columnLineage=derived(("x", "d", "x"))),)
        ),
    ],
    "what was made of the sources of columns is removed": [
        run_event(
            "r",
            "RUNNING",
            1,
            reads=("a",),
            writes=(dataset("b", columnLineage=derived(("x", "c", "x"))),),
        ),
        run_event("r", "COMPLETE", 2, reads=("a",), writes=(changed("b", "TRUNCATE"),)),
    ],
    "the columns of a design name a source": [
        job_event(
            1,
            "j",
            reads=("a",),
            writes=(
                dataset("b", columnLineage=derived(("x", "seed", "x"), ("y", "b", "y"))),
                dataset("d", columnLineage=derived(("x", "a", "x")), lineage=fed("c")),
            ),
        ),
        run_event("r", "COMPLETE", 2, "j", reads=("seed",), writes=("b",)),
    ],
    "a rename, of which the old name is no input": [
        run_event("r", "COMPLETE", 1, reads=("a",), writes=("old",)),
        run_event("s", "COMPLETE", 2, writes=(dataset("b", **renamed("old")),)),
        run_event("t", "COMPLETE", 3, reads=("x",), writes=(dataset("c", **renamed("b")), "d")),
    ],
    "an alias of what a lineage facet alone names": [
        run_event("r", "COMPLETE", 1, reads=("a",), writes=(dataset("b", lineage=fed("table")),)),
        run_event("r2", "COMPLETE", 2, reads=("x",), writes=(dataset("path", ("table",)),)),
        run_event("r3", "FAIL", 3, reads=("x",), writes=(dataset("b", lineage=fed("table")),)),
    ],
    "a claim that is withdrawn": [
        run_event("r", "COMPLETE", 1, reads=("in",), writes=(dataset("path", ("table",)),)),
        run_event(
            "s", "COMPLETE", 2, reads=(dataset("table", schema=schema(x="int")),), writes=("out",)
        ),
        dataset_event(3, dataset("path", symlinks={"_deleted": True})),
    ],
    "a claim that is withdrawn, and made again for one of two names": [
        run_event("r", "COMPLETE", 1, reads=("in",), writes=(dataset("path", ("table", "view")),)),
        dataset_event(3, dataset("path", symlinks={"_deleted": True})),
        run_event("t", "COMPLETE", 4, reads=(dataset("path", ("view",)),), writes=("view",)),
    ],
    "a claim that is withdrawn, of which another is older": [
        run_event("r", "COMPLETE", 1, reads=("in",), writes=(dataset("old", ("table",)),)),
        run_event("s", "COMPLETE", 2, reads=("table",), writes=(dataset("path", ("table",)),)),
        dataset_event(3, dataset("path", symlinks={"_deleted": True})),
    ],
    "a design, which runs show in part": [
        job_event(1, "j", reads=("a", "c"), writes=("b",)),
        run_event("r", "START", 2, "j", reads=("a",), writes=("b",)),
        run_event("r", "FAIL", 3, "j"),
        run_event("other", "COMPLETE", 4, "k", reads=("c",), writes=("b",)),
    ],
    "a newer design of a job, and one that says nothing of datasets": [
        job_event(1, "j", reads=("a",), writes=("b",)),
        job_event(2, "j", reads=("c", "a"), writes=("d",), lineage=entries(e=fed("a"))),
        job_event(3, "j", documentation={"description": "x"}),
        run_event("r", "COMPLETE", 2, "j", reads=("c",), writes=("d",)),
    ],
    "what facets of a dataset declare, of which an alias is learnt late": [
        dataset_event(1, dataset("b", lineage=fed("table", "c", x=[("table", "y")]))),
        dataset_event(2, dataset("d", columnLineage=derived(("x", "table", "x")))),
        run_event("r", "COMPLETE", 3, "j", reads=("a",), writes=(dataset("path", ("table",)),)),
        run_event("s", "COMPLETE", 4, "j", reads=("path",), writes=("b",)),
    ],
    "facets that declare no more": [
        dataset_event(1, dataset("b", lineage=fed("a"))),
        dataset_event(2, dataset("b", lineage=fed("c"))),
        dataset_event(3, dataset("b", lineage=fed())),
        job_event(1, "j", writes=(dataset("x", columnLineage=derived(("x", "a", "x"))),)),
    ],
    "one dataset declares by two names": [
        dataset_event(1, dataset("a", ("b",), lineage=fed("a", "x"))),
        dataset_event(2, dataset("b", lineage=fed("a", y=[("x", "z")]))),
        run_event("r", "COMPLETE", 3, reads=("x",), writes=("b",)),
    ],
    "the newest of two names declares that nothing fed it": [
        dataset_event(1, dataset("table", lineage=fed("a"))),
        dataset_event(2, dataset("path", lineage=fed())),
        run_event("r", "COMPLETE", 3, reads=("in",), writes=(dataset("path", ("table",)),)),
        run_event("s", "COMPLETE", 4, reads=(dataset("other", ("table",)),), writes=("out",)),
    ],
    "columns of a design and of runs": [
        job_event(
            1, "j", reads=("a",), writes=(dataset("b", columnLineage=derived(("x", "a", "x"))),)
        ),
        run_event(
            "r",
            "COMPLETE",
            2,
            "j",
            reads=("a",),
            writes=(dataset("b", columnLineage=derived(("x", "a", "x"), ("y", "a", "y"))),),
        ),
        job_event(
            3,
            "j",
            reads=("a",),
            writes=(dataset("b", columnLineage=derived(whole=(("a", "z", "FILTER"),))),),
        ),
    ],
    "events without a run": [
        job_event(1, "j", reads=("a",), writes=("b",)),
        dataset_event(2, dataset("b", datasetType={"datasetType": "VIEW"})),
        run_event("r", "COMPLETE", 3, "j", reads=("a",), writes=("b",)),
    ],
}


def facets_of_accesses(conn: Connection) -> str:
    """Return the facets of all accesses by run, job and dataset as one text."""
    return conn.execute(
        "SELECT json_agg(json_build_array(r.run_id, j.name, d.name, a.output, a.facets)"
        " ORDER BY r.run_id, j.name, d.name, a.output)::text FROM lineage.access a"
        " JOIN lineage.run r ON r.id = a.run JOIN lineage.job j ON j.id = a.job"
        " JOIN lineage.dataset d ON d.id = a.dataset"
    ).fetchall()[0][0]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_all_orders_repetitions_and_cuts_give_the_graph(conn: Connection, case: list[str]) -> None:
    graph = expected(case)
    facets = set()
    orders = list(itertools.permutations(case))
    ways = [(1, 100), (9, 100), (9, 1)]
    # Of more than 100 orders, each is written in only one way, in turn.
    taken: Any = itertools.product(orders, ways)
    if len(orders) > 100:
        taken = zip(orders, itertools.cycle(ways), strict=False)
    for order, (batch_size, many) in taken:
        clear(conn)
        with patch.object(binary_copy, "MANY", many):
            write_events(conn, order, batch_size)
        assert stored(conn) == graph
        facets.add(facets_of_accesses(conn))
    assert len(facets) == 1
    assert write_events(conn, case) == Written(len(case), 0)


@FULL
@given(data=st.data(), stated=st.lists(events, min_size=1, max_size=14))
def test_any_events_in_any_order_give_the_graph(
    conn: Connection, data: st.DataObject, stated: list[str]
) -> None:
    clear(conn)
    again = data.draw(st.lists(st.sampled_from(stated), max_size=4))
    order = data.draw(st.permutations(stated + again))
    with patch.object(binary_copy, "MANY", data.draw(st.sampled_from([1, 3, 100]))):
        write_events(conn, order, data.draw(st.integers(1, len(order))))
    assert stored(conn) == expected(stated)
    before = graph_fingerprint(conn)
    with patch.object(binary_copy, "MANY", data.draw(st.sampled_from([1, 3, 100]))):
        rebuild_graph(conn, page=data.draw(st.integers(1, 5)))
    assert stored(conn) == expected(stated)
    assert graph_fingerprint(conn) == before


def test_fingerprints_distinguish_graphs(conn: Connection) -> None:
    seen = set()
    for case in CASES.values():
        clear(conn)
        write_events(conn, case)
        seen.add(graph_fingerprint(conn))
    assert len(seen) == len(CASES)
