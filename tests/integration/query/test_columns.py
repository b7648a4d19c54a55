"""Column lineage: upstream and downstream columns, and unsupported parts of facets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.events.builders import NAMESPACE, dataset, derived, run_event, schema
from support.properties import examples_in_one_database
from support.reference.graph import stored

import lineage
from lineage.errors import NotFound
from lineage.ingest.writer import write_events
from lineage.projection.rebuild import rebuild_graph
from lineage.query.columns import resolve_column

if TYPE_CHECKING:
    import psycopg

    from lineage.query import Graph
    from lineage.query.records import ColumnTrace

    Connection = psycopg.Connection[Any]


def met(trace: ColumnTrace) -> dict[str, tuple[int, bool]]:
    """Return distance and directness of each column of a trace by its short name."""
    return {
        f"{node.column.dataset.name}.{node.column.name or '*'}": (node.distance, node.direct)
        for node in trace.nodes
    }


def test_upstream_of_a_column_distinguishes_direct_and_indirect(provenance: Graph) -> None:
    assert met(provenance.column_lineage("gold/dashboard", "headline")) == {
        "gold/dashboard.headline": (0, True),
        "gold/revenue.total": (1, True),
        "silver/orders.price": (2, True),
        "silver/rates.rate": (2, True),
        "silver/orders.id": (2, False),
        "raw/orders.price": (3, True),
        "raw/orders.id": (3, False),
        "raw/orders.status": (3, False),
    }


def test_without_indirect_steps_only_what_makes_the_value_is_met(provenance: Graph) -> None:
    assert set(met(provenance.column_lineage("gold/revenue", "total", direct_only=True))) == {
        "gold/revenue.total",
        "silver/orders.price",
        "silver/rates.rate",
        "raw/orders.price",
    }


def test_downstream_of_a_filter_is_the_whole_dataset_and_what_its_columns_make(
    provenance: Graph,
) -> None:
    assert met(provenance.column_lineage("raw/orders", "status", "downstream")) == {
        "raw/orders.status": (0, True),
        "silver/orders.*": (1, False),
        "gold/revenue.total": (2, False),
        "gold/revenue.*": (2, False),
        "gold/dashboard.headline": (3, False),
    }


def test_depth_bounds_a_trace_of_columns(provenance: Graph) -> None:
    trace = provenance.column_lineage("gold/revenue", "total", depth=1)
    assert set(met(trace)) == {
        "gold/revenue.total",
        "silver/orders.price",
        "silver/rates.rate",
        "silver/orders.id",
    }
    assert [(e.source.name, e.target.name, e.type, e.subtype) for e in trace.edges] == [
        ("id", None, "INDIRECT", "JOIN"),
        ("price", "total", "DIRECT", "AGGREGATION"),
        ("rate", "total", "DIRECT", "AGGREGATION"),
    ]


def test_an_edge_reports_job_runs_times_and_masking(provenance: Graph) -> None:
    [edge] = provenance.column_lineage("raw/orders", "id", "downstream", depth=1).edges
    assert (edge.job.name, edge.runs, edge.masking) == ("clean", 1, True)
    assert edge.first_seen == edge.last_seen == "2026-01-01T00:00:10.000000Z"


def test_what_a_failed_run_was_to_make_is_not_derived(provenance: Graph) -> None:
    assert "gold/fraud.score" not in met(
        provenance.column_lineage("raw/orders", "price", "downstream")
    )
    assert provenance.column_lineage("gold/fraud", "score").edges == ()


def test_a_column_is_resolved_by_its_path_and_in_any_case(provenance: Graph) -> None:
    assert resolve_column(provenance.session, "revenue", "note.text").name == "note.text"
    assert (
        resolve_column(provenance.session, "revenue", "TOTAL").full_name
        == "s3://lake/gold/revenue.total"
    )


def test_an_unknown_column_lists_near_ones(provenance: Graph, shop: Connection) -> None:
    with pytest.raises(NotFound) as error:
        provenance.column_lineage("gold/revenue", "totl")
    assert error.value.message == 's3://lake/gold/revenue has no column "totl".'
    assert error.value.hint == "Did you mean total?"
    with pytest.raises(NotFound, match=r"It has note, note\.text, total\."):
        provenance.column_lineage("gold/revenue", "zzz")
    write_events(shop, [run_event("new", "COMPLETE", 1, writes=("bare",))])
    with pytest.raises(NotFound, match="No event has reported its columns yet"):
        provenance.column_lineage("bare", "x")


def test_sql_functions_answer_in_psql_too(shop: Connection) -> None:
    rows = shop.execute(
        "SELECT distance, direct, name, field_name"
        " FROM lineage.upstream_columns('gold/revenue', 'total', 1)"
    ).fetchall()
    assert rows == [
        (0, True, "gold/revenue", "total"),
        (1, False, "silver/orders", "id"),
        (1, True, "silver/orders", "price"),
        (1, True, "silver/rates", "rate"),
    ]
    rows = shop.execute(
        "SELECT name, field_name FROM lineage.downstream_columns('raw/orders', 'status', 1)"
    ).fetchall()
    assert rows == [("raw/orders", "status"), ("silver/orders", None)]


def test_columns_have_types_and_a_dropped_one_goes(conn: Connection) -> None:
    def fields() -> dict[str, str | None]:
        return {key[1][2]: properties.get("type")
                for key, properties in stored(conn).items() if key[0] == "Field"}  # fmt: skip

    address = {"city": "string", "lines": {"first": "string"}}
    write_events(conn, [run_event("r1", "COMPLETE", 1, writes=(
        dataset("a", schema=schema(id="int", address=address)),))])  # fmt: skip
    assert fields() == {
        "id": "int", "address": "struct", "address.city": "string",
        "address.lines": "struct", "address.lines.first": "string",
    }  # fmt: skip
    write_events(
        conn, [run_event("r2", "COMPLETE", 2, writes=(dataset("a", schema=schema(id="bigint")),))]
    )
    assert fields() == {"id": "bigint"}


def test_a_nested_field_is_another_than_a_column_with_a_dot_in_its_name(conn: Connection) -> None:
    columns = {"a": {"b": "int"}, "a.b": "string", "c": {"d.e": "int"}, "f.g": {"h`i": "int"}}
    write_events(
        conn, [run_event("r1", "COMPLETE", 1, writes=(dataset("a", schema=schema(**columns)),))]
    )
    assert {key[1][2] for key in stored(conn) if key[0] == "Field"} == {
        "a", "`a`.`b`", "a.b", "c", "c.`d.e`", "f.g", "`f.g`.`h``i`",
    }  # fmt: skip


SOURCE = {"namespace": NAMESPACE, "name": "a", "field": "x"}
WRONG: dict[str, tuple[Any, list[str]]] = {
    "a text": ("none", ["columnLineage"]),
    "fields that are a list": ({"fields": [1]}, ["fields"]),
    "a field that is none": ({"fields": {"x": 3}}, ["fields.x"]),
    "an input without a field": (
        {"fields": {"x": {"inputFields": [{"namespace": NAMESPACE, "name": "a"}]}}},
        ["fields.x.inputFields[0]"],
    ),
    "a dataset part that is a map": ({"fields": {}, "dataset": {"a": 1}}, ["dataset"]),
    "names that are too long": (
        {"fields": {"x": {"inputFields": [{**SOURCE, "field": "ä" * 501}]}}},
        ["fields.x.inputFields[0]"],
    ),
}


@pytest.mark.parametrize(("facet", "places"), WRONG.values(), ids=WRONG)
def test_an_unreadable_facet_is_logged_and_stops_no_batch(
    conn: Connection, facet: Any, places: list[str]
) -> None:
    good = derived(("y", "a", "x"))
    events = [
        run_event("bad", "COMPLETE", 1, writes=(dataset("b", columnLineage=facet),)),
        run_event("good", "COMPLETE", 2, writes=(dataset("c", columnLineage=good),)),
    ]
    assert write_events(conn, events).new == 2
    noted = conn.execute(
        "SELECT unreadable FROM lineage.column_mapping WHERE unreadable <> '[]'"
    ).fetchall()
    assert noted == [(places,)]
    edges = {key[1:3] for key in stored(conn) if key[0] == "DERIVES"}
    assert edges == {((NAMESPACE, "a", "x"), (NAMESPACE, "c", "y"))}


def test_a_source_remains_if_its_transformation_cannot_be_read(conn: Connection) -> None:
    how = [{"type": "CUSTOM", "subtype": "ML"}, "odd"]
    facet = {"fields": {"y": {"inputFields": [{**SOURCE, "transformations": how}]}}}
    write_events(conn, [run_event("r", "COMPLETE", 1, writes=(dataset("b", columnLineage=facet),))])
    edges = {key for key in stored(conn) if key[0] == "DERIVES"}
    ends = (NAMESPACE, "a", "x"), (NAMESPACE, "b", "y"), ("etl", "job")
    assert edges == {
        ("DERIVES", *ends, "DIRECT", "ML", None), ("DERIVES", *ends, "DIRECT", None, None),
    }  # fmt: skip
    assert conn.execute("SELECT unreadable FROM lineage.column_mapping").fetchall() == [
        (["fields.y.inputFields[0].transformations[0].type",
          "fields.y.inputFields[0].transformations[1]"],)
    ]  # fmt: skip


ODD_SCHEMAS = [
    "x",
    {"fields": "x"},
    {"fields": [1, {"name": 2}, {"name": ""}]},
    {"fields": {"a": 1}},
]


@pytest.mark.parametrize("odd", ODD_SCHEMAS, ids=str)
def test_an_odd_schema_stops_no_batch(conn: Connection, odd: Any) -> None:
    good = schema(x="int")
    output = dataset("b", schema=odd), dataset("c", schema=good)
    write_events(conn, [run_event("r", "COMPLETE", 1, writes=output)])
    assert [key[1] for key in stored(conn) if key[0] == "Field"] == [(NAMESPACE, "c", "x")]


def test_a_mapping_is_stored_once_for_all_runs(conn: Connection) -> None:
    said = dataset("b", columnLineage=derived(("x", "a", "x"), whole=(("a", "y", "FILTER"),)))
    write_events(conn, [run_event(f"r{n}", "COMPLETE", n, writes=(said,)) for n in range(9)])
    assert conn.execute("SELECT count(*) FROM lineage.column_mapping").fetchall() == [(1,)]
    assert conn.execute("SELECT runs FROM lineage.derives").fetchall() == [(9,), (9,)]


links = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 8), st.booleans()), min_size=1, max_size=14
)


@examples_in_one_database(25)
@given(links=links, depth=st.none() | st.integers(0, 4))
@pytest.mark.parametrize("direction", ["upstream", "downstream"])
def test_a_trace_is_the_reachable_set(
    conn: Connection, direction: str, links: list[tuple[int, int, bool]], depth: int | None
) -> None:
    """0 to 6 are columns; 7 is the dataset of the even ones, 8 of the odd ones."""
    conn.execute("DELETE FROM lineage.derives")
    conn.execute("DELETE FROM lineage.field")
    conn.cursor().executemany(
        "INSERT INTO lineage.field VALUES (%s, %s, %s)", [(n, 7 + n % 2, str(n)) for n in range(7)]
    )
    conn.cursor().executemany(
        "INSERT INTO lineage.derives VALUES (%s, %s, 1, %s, '', false, 1, now(), now(), %s)",
        [(source, target, "DIRECT" if direct else "INDIRECT", n)
         for n, (source, target, direct) in enumerate(dict.fromkeys(links))],
    )  # fmt: skip

    def reached(followed: set[tuple[int, int]]) -> dict[int, int]:
        columns, shown = {0: 0}, {0: 0}
        for step in range(1, 9 if depth is None else depth + 1):
            for source, target in followed:
                targets = [target] if target < 7 else [n for n in range(7) if 7 + n % 2 == target]
                ends = (targets, [source]) if direction == "upstream" else ([source], targets)
                if any(columns.get(near) == step - 1 for near in ends[0]):
                    shown.setdefault(source if direction == "upstream" else target, step)
                    for far in ends[1]:
                        columns.setdefault(far, step)
        return shown

    direct = reached({(source, target) for source, target, direct in links if direct})
    every = reached({(source, target) for source, target, _ in links})
    rows = conn.execute("SELECT * FROM lineage.column_closure(0, %s, %s)", (direction, depth))
    assert {id: (distance, how) for id, distance, how in rows} == {
        id: (distance, id in direct) for id, distance in every.items()
    }


def test_a_rebuild_gives_the_same_answers(shop: Connection, dsn: str) -> None:
    with lineage.connect(dsn) as answers:
        before = met(answers.column_lineage("gold/dashboard", "headline"))
        rebuild_graph(shop, page=2)
        assert met(answers.column_lineage("gold/dashboard", "headline")) == before
