"""The columns of a dataset, and how many columns are one edge away from each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.events.builders import dataset, derived, job_event, run_event, schema
from support.properties import examples_in_one_database
from support.reference.graph import clear

from lineage.errors import NotFound
from lineage.ingest.writer import write_events
from lineage.query import Graph

if TYPE_CHECKING:
    import psycopg

    from lineage.query.dataset_columns import DatasetColumn

    Connection = psycopg.Connection[Any]


def counts(column: DatasetColumn) -> tuple[str, int, int, int, int]:
    return (column.name, column.upstream, column.upstream_direct, column.downstream,
            column.downstream_direct)  # fmt: skip


def test_direct_edges_are_counted_apart_and_edges_to_the_whole_dataset_for_each_column(
    provenance: Graph,
) -> None:
    assert [counts(c) for c in provenance.dataset_columns("silver/orders").columns] == [
        ("id", 2, 1, 1, 0),  # from raw id, and raw status for all; to all of gold/revenue
        ("price", 2, 1, 1, 1),
    ]
    assert [counts(c) for c in provenance.dataset_columns("gold/revenue").columns] == [
        ("note", 1, 0, 0, 0),
        ("note.text", 1, 0, 0, 0),
        ("total", 3, 2, 1, 1),
    ]


def test_columns_have_types_descriptions_and_tags_of_the_newest_facets(conn: Connection) -> None:
    described = {
        "fields": [
            {"name": "id", "type": "long", "description": "The key."},
            {"name": "at", "type": "struct", "fields": [{"name": "zone"}]},
        ]
    }
    pii, tier = {"key": "pii", "field": "id"}, {"key": "tier", "value": "1", "field": "id"}
    tags = {"tags": [pii, tier, {"key": "gold"}]}
    first = dataset("t", schema=schema(id="int", old="int"))
    write_events(
        conn,
        [
            run_event("r1", "COMPLETE", 1, writes=(first,)),
            run_event("r2", "COMPLETE", 2, writes=(dataset("t", schema=described, tags=tags),)),
        ],
    )
    columns = Graph.over(conn).dataset_columns("t").columns
    assert [(c.name, c.type, c.nested, c.description, c.tags) for c in columns] == [
        ("at", "struct", False, None, ()),
        ("at.zone", None, True, None, ()),
        ("id", "long", False, "The key.", ("pii", "tier:1")),
    ]


def test_a_tag_of_airflow_whose_value_is_its_key_is_the_key(conn: Connection) -> None:
    tags = [{"key": key, "value": key, "source": "AIRFLOW"} for key in ("finance", "daily")]
    other = {"key": "tier", "value": "1", "source": "AIRFLOW"}
    of_job = {"tags": {"tags": [*tags, other]}}
    columns = schema(id="int")
    on_column = {"tags": [{**tags[0], "field": "id"}, tags[1]]}
    written = dataset("t", schema=columns, tags=on_column)
    event = run_event("r", "COMPLETE", 1, "etl", writes=(written,), of_job=of_job)
    write_events(conn, [event])
    graph = Graph.over(conn)
    assert [job.tags for job in graph.jobs()] == [("daily", "finance", "tier:1")]
    assert [job.name for job in graph.jobs(tags=("finance",))] == ["etl"]
    assert [each.tags for each in graph.datasets()] == [("daily",)]
    assert [each.tags for each in graph.dataset_columns("t").columns] == [("finance",)]


def test_a_column_that_only_a_mapping_names_has_no_type(conn: Connection) -> None:
    mapping = derived(("y", "a", "x"))
    write_events(
        conn, [run_event("r", "COMPLETE", 1, "j", ("a",), (dataset("b", columnLineage=mapping),))]
    )
    graph = Graph.over(conn)
    [x], [y] = graph.dataset_columns("a").columns, graph.dataset_columns("b").columns
    assert (counts(x), x.type) == (("x", 0, 0, 1, 1), None)
    assert (counts(y), y.type) == (("y", 1, 1, 0, 0), None)


def test_columns_are_selected_by_text_and_paged(conn: Connection) -> None:
    wide = dataset("t", schema=schema(**{f"Field_{n:02}": "int" for n in range(12)}, other="int"))
    write_events(conn, [run_event("r", "COMPLETE", 1, writes=(wide,))])
    graph = Graph.over(conn)
    page = graph.dataset_columns("t", "FIELD", limit=5, offset=5)
    assert [c.name for c in page.columns] == [f"Field_{n:02}" for n in range(5, 10)]
    assert page.omitted == 2
    assert graph.dataset_columns("t", "field", limit=5, offset=10).omitted == 0
    assert graph.dataset_columns("t", "nothing").columns == ()
    assert len(graph.dataset_columns("t").columns) == 13
    with pytest.raises(NotFound):
        graph.dataset_columns("nowhere")


def test_declared_edges_may_be_left_out(conn: Connection) -> None:
    target = dataset("b", columnLineage=derived(("y", "a", "x")))
    write_events(conn, [job_event(1, "plan", ("a",), (target,))])
    graph = Graph.over(conn)
    assert [c.upstream for c in graph.dataset_columns("b").columns] == [1]
    assert [c.upstream for c in graph.dataset_columns("b", observed=True).columns] == [0]


NAMES = st.sampled_from(["x", "y", "s", "s.a", "s.a.b", "s.c"])
HOW = st.sampled_from([{"type": "DIRECT", "subtype": "IDENTITY"}, {"type": "INDIRECT"}])
ENTRIES = st.lists(st.tuples(NAMES, st.sampled_from("ab"), NAMES, HOW), max_size=4)
WHOLE = st.lists(st.tuples(st.sampled_from("ab"), NAMES, st.just("FILTER")), max_size=2)
WRITES = st.lists(
    st.tuples(st.sampled_from("ab"), ENTRIES, WHOLE, st.booleans()), min_size=1, max_size=5
)


@examples_in_one_database(30)
@given(writes=WRITES, observed=st.booleans())
def test_numbers_are_those_of_traces_of_one_edge(
    conn: Connection, writes: list[Any], observed: bool
) -> None:
    clear(conn)
    events = []
    for n, (name, fields, whole, ran) in enumerate(writes):
        target = dataset(name, columnLineage=derived(*fields, whole=tuple(whole)))
        job, reads = f"j{n}", ("a", "b")
        events.append(
            run_event(f"r{n}", "COMPLETE", n, job, reads, (target,))
            if ran
            else job_event(n, job, reads, (target,))
        )
    write_events(conn, events)
    graph = Graph.over(conn)
    for name in "ab":
        if name not in {d.name for d in graph.datasets()}:
            continue
        for column in graph.dataset_columns(name, observed=observed).columns:
            expected: list[int] = []
            for direction in ("upstream", "downstream"):
                trace = graph.column_lineage(name, column.name, direction, 1, observed=observed)
                far = [node for node in trace.nodes if node.distance]
                expected += [len(far), sum(node.direct for node in far)]
            assert counts(column) == (column.name, *expected)
