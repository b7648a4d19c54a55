"""Columns that column mappings name in another case than the schema of their dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from lineage_cli import main
from support.events.builders import NAMESPACE, dataset, dataset_event, derived, run_event, schema
from support.properties import examples_in_one_database
from support.reference.graph import clear

import lineage
from lineage import export
from lineage.database import migrations
from lineage.ingest.writer import write_events
from lineage.projection.rebuild import rebuild_graph

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    import psycopg

    from lineage.query.records import ColumnTrace

    Connection = psycopg.Connection[Any]
    Cell = tuple[str, str | None]

UPPER = schema(ID="int", AMOUNT="int")


def made(target: str, *fields: tuple[str, str, str], at: int = 1, **facets: Any) -> str:
    """Return an event of a run that writes ``target`` by (column, source, source column)."""
    return run_event(
        f"{target}-{at}", "COMPLETE", at, f"make-{target}", (), (
            dataset(target, columnLineage=derived(*fields), **facets),))  # fmt: skip


def reported(name: str, at: int, **types: Any) -> str:
    return dataset_event(at, dataset(name, schema=schema(**types)))


def names(trace: ColumnTrace) -> set[str]:
    return {f"{column.dataset.name}.{column.name}" for column in trace.columns}


def around(dsn: str, name: str, column: str) -> tuple[set[str], set[str]]:
    """Return the upstream and the downstream columns of a column."""
    with lineage.connect(dsn) as graph:
        return (
            names(graph.column_lineage(name, column)),
            names(graph.column_lineage(name, column, "downstream")),
        )


def test_lower_case_mappings_join_the_columns_of_an_upper_case_schema(
    conn: Connection, dsn: str
) -> None:
    """The catalog of Snowflake has upper case; the text of a query often has lower case."""
    write_events(conn, [
        reported("raw", 0, ID="int", AMOUNT="int"),
        made("stg", ("id", "raw", "id"), ("amount", "raw", "amount"), schema=UPPER),
        made("rev", ("total", "stg", "amount"), schema=schema(TOTAL="int")),
    ])  # fmt: skip
    assert around(dsn, "rev", "TOTAL")[0] == {"stg.amount", "raw.amount"}
    assert around(dsn, "raw", "AMOUNT")[1] == {"stg.amount", "rev.total"}
    assert around(dsn, "raw", "amount")[1] == {"stg.amount", "rev.total"}
    assert around(dsn, "raw", "ID")[1] == {"stg.id"}


def test_two_producers_may_write_a_name_in_two_cases(conn: Connection, dsn: str) -> None:
    write_events(conn, [
        made("stg", ("AMOUNT", "raw", "a"), schema=UPPER),
        made("low", ("total", "stg", "amount")),
        made("odd", ("total", "stg", "Amount")),
    ])  # fmt: skip
    assert around(dsn, "low", "total")[0] == {"stg.amount", "raw.a"}
    assert around(dsn, "odd", "total")[0] == {"stg.Amount", "raw.a"}
    assert around(dsn, "raw", "a")[1] == {"stg.AMOUNT", "low.total", "odd.total"}


def test_quoted_columns_of_one_schema_that_differ_by_case_stay_two(
    conn: Connection, dsn: str
) -> None:
    both = schema(a="int", A="int")
    write_events(conn, [
        made("t", ("a", "raw", "x"), ("A", "raw", "y"), schema=both),
        made("u", ("lower", "t", "a"), ("upper", "t", "A")),
    ])  # fmt: skip
    assert around(dsn, "u", "lower")[0] == {"t.a", "raw.x"}
    assert around(dsn, "u", "upper")[0] == {"t.A", "raw.y"}
    # Either of two columns may be meant.
    write_events(conn, [
        made("v", ("aa", "raw", "x"), ("AA", "raw", "y"), schema=schema(aa="int", AA="int")),
        made("w", ("f", "v", "Aa")),
    ])  # fmt: skip
    assert around(dsn, "w", "f")[0] == {"v.Aa"}


def test_columns_without_types_in_the_schema_stay_two(conn: Connection, dsn: str) -> None:
    both = {"fields": [{"name": "a", "type": "int"}, {"name": "A"}]}
    write_events(conn, [made("t", ("a", "raw", "x"), schema=both), made("u", ("f", "t", "A"))])
    assert around(dsn, "u", "f")[0] == {"t.A"}
    untyped = {"fields": [{"name": "B"}]}
    write_events(conn, [made("v", ("b", "raw", "x"), schema=untyped), made("w", ("f", "v", "B"))])
    assert around(dsn, "w", "f")[0] == {"v.B", "raw.x"}


def test_without_a_schema_names_that_differ_by_case_stay_two(conn: Connection, dsn: str) -> None:
    write_events(conn, [made("t", ("a", "raw", "x")), made("u", ("f", "t", "A"))])
    assert around(dsn, "u", "f")[0] == {"t.A"}


def test_the_newest_schema_decides(conn: Connection, dsn: str) -> None:
    one = reported("t", 5, A="int")
    both = reported("t", 7, A="int", a="int")
    neither = reported("t", 9, b="int")
    mapped = [made("t", ("a", "raw", "x"), at=6), made("u", ("f", "t", "A"))]
    write_events(conn, mapped)
    assert around(dsn, "u", "f")[0] == {"t.A"}
    write_events(conn, [one])
    assert around(dsn, "u", "f")[0] == {"t.A", "raw.x"}
    write_events(conn, [both])
    assert around(dsn, "u", "f")[0] == {"t.A"}
    write_events(conn, [neither])
    assert around(dsn, "u", "f")[0] == {"t.A"}
    write_events(conn, [reported("t", 11, A="int")])
    assert around(dsn, "u", "f")[0] == {"t.A", "raw.x"}
    write_events(conn, [one])  # an old schema again
    assert around(dsn, "u", "f")[0] == {"t.A", "raw.x"}


def test_a_schema_of_an_alias_decides(conn: Connection, dsn: str) -> None:
    write_events(conn, [
        reported("t", 1, A="int"),
        made("s", ("a", "raw", "x")),
        made("u", ("f", "s", "a")),
        made("v", ("f", "t", "A")),
    ])  # fmt: skip
    assert around(dsn, "v", "f")[0] == {"t.A"}
    write_events(conn, [dataset_event(2, dataset("t", also=("s",)))])
    assert around(dsn, "v", "f")[0] == {"t.A", "raw.x"}


def test_fields_of_structs_are_matched_in_any_case(conn: Connection, dsn: str) -> None:
    struct = schema(ADDRESS={"CITY": "string", "ZIP": "string"})
    write_events(conn, [
        made("t", ("address.city", "raw", "x"), ("ADDRESS.ZIP", "raw", "z"), schema=struct),
        made("u", ("f", "t", "ADDRESS"), ("g", "t", "address")),
        made("v", ("h", "t", "Address.Zip")),
    ])  # fmt: skip
    assert around(dsn, "u", "f")[0] == {"t.ADDRESS", "raw.x", "raw.z"}
    assert around(dsn, "u", "g")[0] == {"t.address", "raw.x", "raw.z"}
    assert around(dsn, "v", "h")[0] == {"t.Address.Zip", "raw.z"}
    assert around(dsn, "raw", "x")[1] == {"t.address.city", "u.f", "u.g"}


def test_impact_and_the_list_of_columns_join_them_too(conn: Connection, dsn: str) -> None:
    write_events(conn, [
        made("stg", ("amount", "raw", "a"), schema=UPPER),
        made("rev", ("total", "stg", "amount"), schema=schema(TOTAL="int")),
    ])  # fmt: skip
    with lineage.connect(dsn) as graph:
        impact = graph.impact("stg", "AMOUNT")
        listed = {each.name: each for each in graph.dataset_columns("stg").columns}
    assert [each.dataset.name for each in impact.datasets] == ["rev"]
    assert (listed["AMOUNT"].upstream, listed["AMOUNT"].downstream) == (1, 1)
    assert (listed["amount"].upstream, listed["amount"].downstream) == (1, 1)


def test_an_existing_graph_has_them_after_its_migration(conn: Connection, dsn: str) -> None:
    write_events(conn, [
        reported("raw", 0, A="int", AA="int", aa="int"),
        made("t", ("b", "raw", "a"), ("c", "raw", "Aa"), schema=schema(B="int", c="int", C="int")),
    ])  # fmt: skip
    spellings = (
        "SELECT f.name, m.name FROM lineage.field f JOIN lineage.field m ON m.id = f.spelling_of"
        " ORDER BY 1"
    )
    written = conn.execute(spellings).fetchall()
    assert written == [("a", "A"), ("b", "B")]
    conn.execute("ALTER TABLE lineage.field DROP COLUMN spelling_of")
    conn.execute("DELETE FROM lineage.migration WHERE number = 9")
    assert migrations.apply_pending(conn) == ["0009_column_spellings", "functions"]
    assert conn.execute(spellings).fetchall() == written


def test_answers_name_the_columns_that_they_join(conn: Connection, dsn: str) -> None:
    write_events(conn, [
        made("stg", ("amount", "raw", "a"), schema=UPPER),
        made("rev", ("total", "stg", "Amount"), schema=schema(TOTAL="int")),
    ])  # fmt: skip
    with lineage.connect(dsn) as graph:
        trace = graph.column_lineage("rev", "TOTAL")
    pairs = [(each.column.name, each.within.name) for each in trace.nested]
    assert pairs == [("total", "TOTAL"), ("Amount", "amount")]
    labels = {edge.label for edge in export.graph(trace).edges if edge.attributes["type"] == "PART"}
    assert labels == {"same column"}
    tree = CliRunner().invoke(main, ["query", "column", "rev", "TOTAL", "--dsn", dsn]).output
    assert tree.splitlines() == [
        "s3://lake/rev.TOTAL",
        "└── s3://lake/stg.Amount  [DIRECT, into total, make-rev]",
        "    └── s3://lake/raw.a  [DIRECT, into amount, make-stg]",
    ]


SPELLINGS = st.sampled_from(["a", "A", "b", "B", "bB", "Bb"])
TABLES = st.sampled_from("tuv")
MAPPED = st.tuples(TABLES, SPELLINGS, TABLES, SPELLINGS | st.none())
SCHEMAS = st.tuples(TABLES, st.sets(SPELLINGS, max_size=4))


class Columns:
    """What the names of columns mean by the newest schema of their table."""

    def __init__(self, schemas: list[tuple[str, set[str]]]) -> None:
        self._listed = dict(schemas)  # the later ones are newer

    def meaning(self, cell: Cell) -> Cell:
        table, name = cell
        listed = self._listed.get(table, set())
        if name is None or name in listed:
            return cell
        alike = [each for each in listed if each.lower() == name.lower()]
        return (table, alike[0]) if len(alike) == 1 else cell

    def reached(self, root: Cell, edges: set[tuple[Cell, Cell]], direction: str) -> dict[Cell, int]:
        distances = {root: 0}
        for step in range(1, 20):
            for source, target in edges:
                near, far = (target, source) if direction == "upstream" else (source, target)
                for met, at in list(distances.items()):
                    is_whole = near[0] == met[0] and None in (near[1], met[1])
                    if at == step - 1 and (is_whole or self.meaning(near) == self.meaning(met)):
                        distances.setdefault(far, step)
        return distances


def traces(conn: Connection, roots: set[Cell]) -> Iterator[tuple[str, Cell, dict[Cell, int]]]:
    for root in sorted(roots, key=str):
        for direction in ("upstream", "downstream"):
            rows = conn.execute(
                "SELECT d.name, f.name, t.distance FROM lineage.column_closure("
                " lineage.column_id(%s, %s), %s) t LEFT JOIN lineage.field f ON f.id = t.id"
                " JOIN lineage.dataset d ON d.id = coalesce(f.dataset, t.id)",
                (f"{NAMESPACE}/{root[0]}", root[1], direction),
            ).fetchall()
            yield direction, root, {(table, name): distance for table, name, distance in rows}


@examples_in_one_database(15)
@given(
    mapped=st.lists(MAPPED, min_size=1, max_size=6), schemas=st.lists(SCHEMAS, max_size=5),
    order=st.randoms(),
)  # fmt: skip
def test_traces_join_the_names_of_a_column_in_any_order_of_events(
    conn: Connection, mapped: list[Any], schemas: list[Any], order: Random
) -> None:
    edges, log = set(), []
    for n, (source, name, target, column) in enumerate(mapped):
        how = (
            derived((column, source, name))
            if column
            else derived(whole=((source, name, "FILTER"),))
        )
        edges.add(((source, name), (target, column)))
        output = dataset(target, columnLineage=how)
        log.append(run_event(f"r{n}", "COMPLETE", n, f"j{n}", (), (output,)))
    for n, (table, listed) in enumerate(schemas):
        log.append(reported(table, 50 + n, **dict.fromkeys(sorted(listed), "int")))
    columns = Columns(schemas)
    roots = {cell for edge in edges for cell in edge if cell[1]}
    roots |= {(table, name) for table, listed in dict(schemas).items() for name in listed}
    clear(conn)
    write_events(conn, log)
    for direction, root, distances in traces(conn, roots):
        assert distances == columns.reached(root, edges, direction)
    answers = list(traces(conn, roots))
    rebuild_graph(conn)
    assert list(traces(conn, roots)) == answers
    clear(conn)
    order.shuffle(log)
    for event in log:
        write_events(conn, [event])
    assert list(traces(conn, roots)) == answers
