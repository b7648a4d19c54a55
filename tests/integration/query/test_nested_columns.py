"""Column lineage across jobs that report a struct as a whole, or a field of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.events.builders import NAMESPACE, dataset, derived, run_event, schema
from support.properties import examples_in_one_database
from support.reference.graph import clear

import lineage
from lineage import export
from lineage.columns.algebra import column_path
from lineage.ingest.writer import write_events
from lineage.projection.rebuild import rebuild_graph

if TYPE_CHECKING:
    import psycopg

    from lineage.query.records import ColumnTrace

    Connection = psycopg.Connection[Any]


def made(target: str, *fields: tuple[str, str, str], at: int = 1, **more: Any) -> str:
    """Return an event of a run that writes ``target`` by (column, source, source column)."""
    return run_event(
        f"{target}-{at}", "COMPLETE", at, f"make-{target}", (), (
            dataset(target, columnLineage=derived(*fields), **more),))  # fmt: skip


def columns(trace: ColumnTrace) -> set[str]:
    return {f"{column.dataset.name}.{column.name}" for column in trace.columns}


def around(dsn: str, name: str, column: str) -> tuple[set[str], set[str]]:
    """Return the upstream and the downstream columns of a column."""
    with lineage.connect(dsn) as graph:
        up, down = (
            graph.column_lineage(name, column),
            graph.column_lineage(name, column, "downstream"),
        )
    return columns(up), columns(down)


def test_a_read_field_is_derived_from_the_written_struct(conn: Connection, dsn: str) -> None:
    write_events(
        conn, [made("t", ("s", "raw", "x"), ("o", "raw", "y")), made("u", ("f", "t", "s.x"))]
    )
    assert around(dsn, "u", "f")[0] == {"t.s.x", "raw.x"}
    assert around(dsn, "raw", "x")[1] == {"t.s", "u.f"}
    assert around(dsn, "raw", "y")[1] == {"t.o"}


def test_a_read_struct_is_derived_from_the_written_fields(conn: Connection, dsn: str) -> None:
    write_events(
        conn, [made("t", ("s.x", "raw", "x"), ("s.y.z", "raw", "y")), made("u", ("f", "t", "s"))]
    )
    assert around(dsn, "u", "f")[0] == {"t.s", "raw.x", "raw.y"}
    assert around(dsn, "raw", "y")[1] == {"t.s.y.z", "u.f"}


def test_a_field_is_not_derived_from_its_siblings(conn: Connection, dsn: str) -> None:
    fields = [("s.x", "raw", "x"), ("s.xy", "raw", "xy"), ("s", "raw", "all"), ("sx", "raw", "sx")]
    write_events(conn, [made("t", *fields), made("u", ("f", "t", "s.x"), ("g", "t", "s.xy"))])
    assert around(dsn, "u", "f")[0] == {"t.s.x", "raw.x", "raw.all"}
    assert around(dsn, "raw", "x")[1] == {"t.s.x", "u.f"}


def test_elements_of_arrays_and_values_of_maps_are_within(conn: Connection, dsn: str) -> None:
    write_events(conn, [
        made("t", ("items", "raw", "i"), ("props.value", "raw", "p"), ("props.key", "raw", "k")),
        made("u", ("f", "t", "items._element.qty"), ("g", "t", "props")),
        made("v", ("h", "t", "props.value")),
    ])  # fmt: skip
    assert around(dsn, "u", "f")[0] == {"t.items._element.qty", "raw.i"}
    assert around(dsn, "u", "g")[0] == {"t.props", "raw.p", "raw.k"}
    assert around(dsn, "v", "h")[0] == {"t.props.value", "raw.p"}


def test_a_dot_in_the_name_of_a_column_leads_to_no_struct(conn: Connection, dsn: str) -> None:
    """In its schema, "a.b" is a separate column; the field b of the struct a is `a`.`b`."""
    said = schema(**{"a": {"b": "int"}, "a.b": "string", "n": "int", "n.m": "int"})
    made_t = made("t", ("a", "raw", "a"), ("a.b", "raw", "dot"), ("n", "raw", "n"), schema=said)
    read = made("u", ("f", "t", "`a`.`b`"), ("g", "t", "a.b"), ("h", "t", "n.m"))
    for events in ([made_t, read], [read, made_t]):
        write_events(conn, events)
        assert around(dsn, "u", "f")[0] == {"t.`a`.`b`", "raw.a"}
        assert around(dsn, "u", "g")[0] == {"t.a.b", "raw.dot"}
        assert around(dsn, "u", "h")[0] == {"t.n.m"}
        rebuild_graph(conn)
        assert around(dsn, "u", "g")[0] == {"t.a.b", "raw.dot"}
    # If no schema contains it any more, its name is parsed as a path.
    write_events(conn, [made("t", ("a", "raw", "a"), at=9, schema=schema(a="int"))])
    assert around(dsn, "u", "h")[0] == {"t.n.m", "raw.n"}


def test_a_quoted_name_is_within_the_column_of_that_name(conn: Connection, dsn: str) -> None:
    said = schema(**{"f.g": {"h`i": "int"}, "c": {"d.e": {"x": "int"}}})
    write_events(conn, [
        made("t", ("f.g", "raw", "x"), ("c.`d.e`", "raw", "y"), schema=said),
        made("u", ("p", "t", "`f.g`.`h``i`"), ("q", "t", "c.`d.e`.x"), ("r", "t", "c")),
    ])  # fmt: skip
    assert around(dsn, "u", "p")[0] == {"t.`f.g`.`h``i`", "raw.x"}
    assert around(dsn, "u", "q")[0] == {"t.c.`d.e`.x", "raw.y"}
    assert around(dsn, "u", "r")[0] == {"t.c", "raw.y"}


def test_columns_are_marked_as_nested(conn: Connection, dsn: str) -> None:
    said = schema(**{"a": {"b": "int"}, "a.b": "string", "n.m": "int", "s": {"x": "int"}})
    write_events(conn, [made("t", ("a", "raw", "a"), schema=said), made("u", ("f", "v", "p.q"))])
    nested = "SELECT name FROM lineage.field WHERE nested ORDER BY name"
    assert conn.execute(nested).fetchall() == [("`a`.`b`",), ("p.q",), ("s.x",)]


def test_impact_of_the_source_of_a_struct_includes_readers_of_its_fields(
    conn: Connection, dsn: str
) -> None:
    write_events(conn, [made("t", ("s", "raw", "x")), made("u", ("f", "t", "s.x"))])
    with lineage.connect(dsn) as graph:
        found = graph.impact("raw", "x")
    assert {each.dataset.name: each.columns for each in found.datasets} == {
        "t": ("s",), "u": ("f",),
    }  # fmt: skip
    assert ("s", "s.x") in parts(found)


def test_a_trace_names_the_fields_through_which_it_steps(conn: Connection, dsn: str) -> None:
    write_events(conn, [made("t", ("s", "raw", "x")), made("u", ("f", "t", "s.x"))])
    with lineage.connect(dsn) as graph:
        trace = graph.column_lineage("u", "f")
    assert [(each.column.name, each.within.name) for each in trace.nested] == [("s.x", "s")]
    assert parts(trace) == [("s", "s.x")]


def test_exported_graphs_lead_from_each_source_to_the_root(conn: Connection, dsn: str) -> None:
    """The edges between a struct and its fields go as the data does, in both directions."""
    write_events(conn, [
        made("t", ("s", "raw", "x"), ("o.y", "raw", "y")),
        made("u", ("f", "t", "s.x"), ("g", "t", "o")),
        made("v", ("h", "u", "f"), ("i", "t", "o.y")),
    ])  # fmt: skip
    with lineage.connect(dsn) as graph:
        for name, column in (("v", "h"), ("u", "g"), ("raw", "x"), ("raw", "y")):
            up = graph.column_lineage(name, column)
            down = graph.column_lineage(name, column, "downstream")
            root = up.root.full_name
            sources = {edge.source.full_name for edge in up.edges}
            targets = {edge.target.full_name for edge in down.edges}
            assert sources <= nx.ancestors(up.to_networkx(), root)
            assert targets <= nx.descendants(down.to_networkx(), root)
            if name == "raw":
                impact = export.graph(graph.impact(name, column))
                assert targets <= nx.descendants(
                    nx.DiGraph([(edge.source, edge.target) for edge in impact.edges]), root
                )


def parts(answer: object) -> list[tuple[str, str]]:
    """Return the edges between a part and its whole in the exported graph."""
    graph = export.graph(answer)
    names = {node.id: str(node.attributes["column"]) for node in graph.nodes}
    return [(names[edge.source], names[edge.target]) for edge in graph.edges
            if edge.attributes["type"] == "PART"]  # fmt: skip


PARTS = st.sampled_from(["x", "y", "xy", "_element", "d.e"])
COLUMNS = st.tuples(st.sampled_from("abc"), st.lists(PARTS, min_size=1, max_size=3).map(tuple))
EDGES = st.lists(
    st.tuples(COLUMNS, COLUMNS, st.sampled_from(["column", "whole"])), min_size=1, max_size=12
)


def overlap(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


def reached(root: Any, edges: set[tuple[Any, Any]], direction: str, depth: int | None) -> Any:
    """Return each reachable column or whole dataset with its distance."""
    found = {root: 0}
    for step in range(1, 30 if depth is None else depth + 1):
        for source, target in edges:
            near, far = (target, source) if direction == "upstream" else (source, target)
            for (of, parts), at in list(found.items()):
                touches = near[0] == of and (
                    near[1] is None or parts is None or overlap(near[1], parts)
                )
                if at == step - 1 and touches:
                    found.setdefault(far, step)
    return found


@examples_in_one_database(60)
@given(edges=EDGES, depth=st.none() | st.integers(1, 3))
@pytest.mark.parametrize("direction", ["upstream", "downstream"])
def test_a_trace_steps_to_what_is_around_and_within(
    conn: Connection, direction: str, edges: list[Any], depth: int | None
) -> None:
    # Only with a schema can the name of a column contain a dot: otherwise it is a path.
    edges = [(s, t, how) for s, t, how in edges if "d.e" not in (s[1][0], t[1][0])]
    clear(conn)
    if edges:
        write_events(conn, [
            run_event(f"r{n}", "COMPLETE", n, f"j{n}", (), (dataset(
                target[0],
                columnLineage=derived((column_path(target[1]), source[0], column_path(source[1])))
                if how == "column"
                else derived(whole=((source[0], column_path(source[1]), "FILTER"),)),
            ),))
            for n, (source, target, how) in enumerate(edges)
        ])  # fmt: skip
        stated = {(s, t if how == "column" else (t[0], None)) for s, t, how in edges}
        for root in {end for edge in stated for end in edge if end[1]}:
            rows = conn.execute(
                "SELECT t.distance, d.name, f.name FROM lineage.column_closure("
                " lineage.column_id(%s, %s), %s, %s) t LEFT JOIN lineage.field f ON f.id = t.id"
                " JOIN lineage.dataset d ON d.id = coalesce(f.dataset, t.id)",
                (f"{NAMESPACE}/{root[0]}", column_path(root[1]), direction, depth),
            )
            assert {(name, column): distance for distance, name, column in rows} == {
                (of, parts and column_path(parts)): distance
                for (of, parts), distance in reached(root, stated, direction, depth).items()
            }
