"""Raw Cypher: results and restrictions."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from support.events.builders import run_event

from lineage.errors import QueryError
from lineage.ingest.writer import write_events
from lineage.projection.rebuild import graph_fingerprint, rebuild_graph

if TYPE_CHECKING:
    import psycopg

    from lineage.query import Graph

    Connection = psycopg.Connection[Any]


def test_values_come_as_python_has_them(provenance: Graph) -> None:
    table = provenance.cypher(
        "MATCH (d:Dataset {name: $name})<-[w:OUTPUTS]-(r:Run)"
        " RETURN d, w.rows AS n, [r.run_id, null], 'x::vertex' ORDER BY r.run_id",
        {"name": "gold/revenue"},
    )
    assert table.columns == ("d", "n", "[r.run_id, null]", "'x::vertex'")
    vertex, rows, run, text = table.rows[0]
    assert (vertex["label"], vertex["properties"]["name"]) == ("Dataset", "gold/revenue")
    assert (rows, run, text) == (7, ["report-1", None], "x::vertex")


_LARGE = """
import resource, sys, lineage
with lineage.connect(sys.argv[1]) as graph:
    values = {"v": "x" * 1_000_000}
    graph.cypher("UNWIND range(1, 3) AS i RETURN i, $v", values, limit=3)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    table = graph.cypher("UNWIND range(1, 150) AS i RETURN i, $v", values, limit=3)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(len(table.rows), len(table.texts), table.omitted, (after - before) // 1024)
"""


def test_a_limit_bounds_the_memory_of_the_client(provenance: Graph, dsn: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _LARGE, dsn], capture_output=True, text=True, check=True
    )
    rows, texts, omitted, megabytes = map(int, done.stdout.split())
    assert (rows, texts, omitted) == (3, 3, 147)
    assert megabytes < 30  # in addition to a result of 3 rows; the others are 147 MB


@pytest.mark.parametrize("limit", [0, 1, 3, 4, 9])
def test_rows_above_the_limit_are_counted(provenance: Graph, limit: int) -> None:
    for query, total in (
        ("UNWIND [1, 2, 3, 3] AS i RETURN i", 4),
        ("MATCH (d:Dataset)-[:INPUT_TO|OUTPUTS]-(r:Run) RETURN DISTINCT d.name", None),
        ("MATCH (r:Run)-[:OUTPUTS|PARENT]->(d) RETURN 1 UNION RETURN 2", None),
    ):
        everything = provenance.cypher(query)
        part = provenance.cypher(query, limit=limit)
        assert total in (None, len(everything.rows)), query
        assert part.rows == everything.rows[:limit], query
        assert part.omitted == len(everything.rows[limit:]), query


@pytest.mark.parametrize("offset", [0, 2])
def test_characters_limit_the_rows_in_memory(provenance: Graph, offset: int) -> None:
    query = "UNWIND range(1, 9) AS i RETURN i, $v"
    values = {"v": "x" * 1000}
    two = provenance.cypher(query, values, limit=5, offset=offset, characters=2500)
    assert [row[0] for row in two.rows] == [offset + 1, offset + 2]
    assert (two.before, two.omitted) == (offset, 7 - offset)
    one = provenance.cypher(query, values, limit=5, offset=offset, characters=10)
    assert [row[0] for row in one.rows] == [offset + 1]
    assert one.omitted == 8 - offset
    past = provenance.cypher(query, values, limit=5, offset=20)
    assert (past.rows, past.before, past.omitted) == ((), 9, 0)


def test_sources_of_datasets_are_selected_by_a_prefix(provenance: Graph) -> None:
    table = provenance.cypher(
        "MATCH (s:Dataset)-[:INPUT_TO]->(:Run)-[:OUTPUTS]->(t:Dataset)"
        " WHERE s.name STARTS WITH 'raw/' RETURN s.name, t.name ORDER BY s.name"
    )
    assert table.rows == (("raw/orders", "silver/orders"), ("raw/rates", "silver/rates"))


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (
            "MATCH (d:Dataset)\n RETRN d RETURN d",
            'Syntax error at or near "RETRN", line 2 column 2',
        ),
        ("MATCH (d:Dataset) RETURN x", "Could not find rte for x, line 1 column 26"),
        ("MATCH (d:Dataset)", "returns nothing"),
        ("MATCH (d:Dataset) SET d.x = 1", "would change the graph"),
        (" // nothing", "There is no query"),
        ("MATCH (d:Dataset) RETURN *", "does not specify the columns"),
        ("CREATE (d:Dataset {name: 'x'}) RETURN d", "may read the graph and nothing else"),
        ("MATCH (d:Dataset) SET d.name = 'x' RETURN d", "may read the graph and nothing else"),
        ("MATCH (d:Dataset) DETACH DELETE d RETURN d", "may read the graph and nothing else"),
        ("MERGE (d:NewLabel {a: 1}) RETURN d", "may read the graph and nothing else|denied"),
        ("MATCH (a), (b), (c), (d), (e), (f), (g) RETURN count(*)", "longer than 0.3 s"),
    ],
)
def test_what_is_wrong_or_not_allowed_is_reported(
    provenance: Graph, shop: Connection, query: str, said: str
) -> None:
    before = graph_fingerprint(shop)
    with pytest.raises(QueryError, match=said):
        provenance.cypher(query, timeout=0.3 if "(g)" in query else 10)
    assert graph_fingerprint(shop) == before
    assert provenance.cypher("RETURN 1 AS one").rows == ((1,),)


def test_the_role_of_raw_cypher_sees_labels_only(shop: Connection) -> None:
    shop.execute("SET ROLE lineage_cypher")
    count = 'SELECT count(*) FROM provenance."Dataset"'
    assert shop.execute(count).fetchall() == [(7,)]
    with pytest.raises(Exception, match="permission denied for schema lineage"):
        shop.execute("SELECT * FROM lineage.event")
    shop.execute("RESET ROLE")


def test_a_reader_asks_and_does_not_write(shop: Connection) -> None:
    shop.execute("SET ROLE lineage_reader")
    assert shop.execute("SELECT count(*) FROM lineage.upstream('gold/revenue')").fetchall() == [
        (5,)
    ]
    assert shop.execute("SELECT lineage.read_cypher('RETURN 1', '{}', '{a}')::text").fetchall()
    with pytest.raises(Exception, match="permission denied"):
        shop.execute("DELETE FROM lineage.run")
    shop.execute("RESET ROLE")


def test_a_writer_writes_but_rebuilds_not_and_changes_no_event(shop: Connection) -> None:
    before = graph_fingerprint(shop)
    shop.execute("SET ROLE lineage_writer")
    assert write_events(shop, [run_event("app-1", "COMPLETE", 90, "app")]).new == 1
    after = graph_fingerprint(shop)
    with pytest.raises(QueryError, match="only the owner of the schema lineage may"):
        rebuild_graph(shop)
    assert graph_fingerprint(shop) == after != before
    with pytest.raises(Exception, match="permission denied"):
        shop.execute("DELETE FROM lineage.event")
    shop.execute("RESET ROLE")


@pytest.mark.parametrize("end", [";", " ;\n", ";; // done", "; /* ; */"])
def test_a_semicolon_may_end_a_query(provenance: Graph, end: str) -> None:
    assert provenance.cypher(f"RETURN 'a;b' AS a, 1 AS b{end}").rows == (("a;b", 1),)


@pytest.mark.parametrize("second", ["RETURN 2", "MATCH (n) DETACH DELETE n", "RETURN 2;"])
def test_a_second_statement_is_rejected_with_its_place(provenance: Graph, second: str) -> None:
    with pytest.raises(QueryError, match="A second statement begins, line 1 column 9") as error:
        provenance.cypher(f"RETURN 1; {second}")
    assert "Run each statement separately." in str(error.value)


def test_an_unclosed_bracket_is_reported_with_its_position(provenance: Graph) -> None:
    with pytest.raises(QueryError, match="A bracket is not closed, line 1 column 7"):
        provenance.cypher("MATCH (d:Dataset RETURN d")
