"""Patterns of several types and lengths, compared with a matcher that tries every edge."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from support.events.builders import job_event
from support.reference.cypher import Graph, Hop, Pattern, matches

from lineage import query
from lineage.errors import QueryError
from lineage.ingest.writer import write_events
from lineage.query.cypher.paths import ENDS, LABELS
from lineage.query.cypher.rewrite import rewrite_query

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psycopg

    Connection = psycopg.Connection[Any]

FEW = 4
EXAMPLES = int(os.environ.get("CYPHER_EXAMPLES", "12"))
MANY = settings(
    max_examples=EXAMPLES,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.filter_too_much,
    ],
)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    labels = draw(st.lists(st.sampled_from(sorted(LABELS)), min_size=1, max_size=6))
    possible = [
        (type, i, j)
        for type, ends in ENDS.items()
        for i, start in enumerate(labels)
        for j, end in enumerate(labels)
        if (start, end) in ends
    ]
    edges = draw(st.lists(st.sampled_from(possible), max_size=8)) if possible else []
    return Graph(labels, _drawable(edges))


def _drawable(edges: list[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    """Remove duplicates. Only summaries have several edges between two vertices, one per job."""
    once = dict.fromkeys(edge for edge in edges if edge[0] not in ("FEEDS", "DERIVES"))
    return [*once, *(edge for edge in edges if edge[0] in ("FEEDS", "DERIVES"))]


hops = st.builds(
    lambda types, way, least, more, star: Hop(
        types, way, least if star else 1, least + more if star else 1, star
    ),
    st.lists(st.sampled_from(sorted(ENDS)), max_size=3, unique=True),
    st.sampled_from([">", ">", "<", ""]),
    st.integers(1, 2),
    st.integers(0, 1),
    st.booleans(),
)


@st.composite
def patterns(draw: st.DrawFn) -> Pattern:
    found = draw(st.lists(hops, min_size=1, max_size=2))
    label = st.sampled_from([None, None, *sorted(LABELS)])
    labels = [draw(label) for _ in range(len(found) + 1)]
    pattern = Pattern(labels, found, circle=draw(st.integers(0, 5)) == 0)
    # The planner takes long for each fixed pattern; the test is about their expansion.
    assume(_number(pattern) <= FEW)
    return pattern


def _number(pattern: Pattern) -> int:
    try:
        return len(rewrite_query(f"MATCH {pattern.written()} RETURN 1").all_queries)
    except QueryError:
        return FEW + 1


class Drawn:
    """The graph of an example in the database, with ids by index, and the results of queries."""

    def __init__(self, conn: Connection, asked: query.Graph, graph: Graph) -> None:
        self.asked, self.vertices, self.edges = asked, {}, {}
        tables = ", ".join(f'provenance."{name}"' for name in [*LABELS, *ENDS])
        conn.execute(f"TRUNCATE {tables}")
        ids = []
        for i, label in enumerate(graph.labels):
            row = f"""INSERT INTO provenance."{label}" (properties)
                      VALUES ('{{"i": {i}, "name": "v{i}", "namespace": "n", "run_id": "v{i}",
                                 "dataset": "v{i}"}}') RETURNING id::text"""
            ids += conn.execute(row).fetchall()[0]
            self.vertices[int(ids[-1])] = i
        for i, (type, start, end) in enumerate(graph.edges):
            row = f"""INSERT INTO provenance."{type}" (start_id, end_id, properties)
                      VALUES ('{ids[start]}', '{ids[end]}', '{{"i": {i}, "job": "j{i}",
                              "job_namespace": "n"}}') RETURNING id::text"""
            self.edges[int(conn.execute(row).fetchall()[0][0])] = i

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        return [tuple(map(self.place, row)) for row in self.asked.cypher(query, timeout=120).rows]

    def place(self, value: Any) -> Any:
        if isinstance(value, list):
            return tuple(map(self.place, value))
        if isinstance(value, dict):
            return (self.edges if "start_id" in value else self.vertices)[value["id"]]
        return value


@pytest.fixture
def asked(dsn: str) -> Iterator[query.Graph]:
    with query.Graph(dsn) as answers:
        yield answers


def said(query: str, found: list[tuple[Any, ...]], wanted: list[tuple[Any, ...]]) -> None:
    assert Counter(found) == Counter(wanted), query


@MANY
@given(graph=graphs(), pattern=patterns())
def test_rows_are_those_of_the_matcher(
    conn: Connection, asked: query.Graph, graph: Graph, pattern: Pattern
) -> None:
    drawn = Drawn(conn, asked, graph)
    names = list(dict.fromkeys(pattern.names))
    edges = [f"e{i}" for i in range(len(pattern.hops))]
    single = {f"e{i}" for i, hop in enumerate(pattern.hops) if not hop.star}
    true = [
        (
            *(row[name] for name in names),
            *(row[e][0] if e in single else tuple(row[e]) for e in edges),
            tuple(row["p"]),
        )
        for row in matches(graph, pattern)
    ]
    query = f"MATCH p = {pattern.written()} RETURN {', '.join([*names, *edges, 'p'])}"
    said(query, drawn.rows(query), true)


@MANY
@given(graph=graphs(), pattern=patterns())
def test_what_is_over_all_rows_is_over_all_rows(
    conn: Connection, asked: query.Graph, graph: Graph, pattern: Pattern
) -> None:
    drawn = Drawn(conn, asked, graph)
    true = list(matches(graph, pattern))
    match, last = f"MATCH p = {pattern.written()}", pattern.names[-1]
    query = f"{match} RETURN count(*)"
    said(query, drawn.rows(query), [(len(true),)])

    query = f"{match} RETURN DISTINCT {last}"
    said(query, drawn.rows(query), [(end,) for end in {row[last] for row in true}])

    query = f"{match} RETURN n0, count(*), min(length(p)), count(DISTINCT {last})"
    starts = Counter(row["n0"] for row in true)
    wanted = [
        (
            start,
            n,
            min(len(row["p"]) // 2 for row in true if row["n0"] == start),
            len({row[last] for row in true if row["n0"] == start}),
        )
        for start, n in starts.items()
    ]
    said(query, drawn.rows(query), wanted)

    query = f"{match} WITH n0, count(*) AS c WHERE c > 1 RETURN n0, c"
    said(query, drawn.rows(query), [(start, n) for start, n in starts.items() if n > 1])

    query = f"{match} RETURN n0.i, {last}.i, length(p) ORDER BY n0.i, {last}.i, length(p) LIMIT 3"
    wanted = sorted((row["n0"], row[last], len(row["p"]) // 2) for row in true)[:3]
    assert drawn.rows(query) == wanted, query

    query = f"{match} WITH {last} AS z OPTIONAL MATCH (z)-[f:FEEDS]->(y) RETURN z, y"
    feeds = [(start, end) for type, start, end in graph.edges if type == "FEEDS"]
    wanted = [
        (row[last], y)
        for row in true
        for y in [end for start, end in feeds if start == row[last]] or [None]
    ]
    said(query, drawn.rows(query), wanted)


@MANY
@given(graph=graphs(), pattern=patterns(), other=patterns())
def test_conditions_and_unions(
    conn: Connection, asked: query.Graph, graph: Graph, pattern: Pattern, other: Pattern
) -> None:
    drawn = Drawn(conn, asked, graph)
    true, last = list(matches(graph, pattern)), pattern.names[-1]
    match = f"MATCH p = {pattern.written()}"
    query = f"{match} WHERE n0.i < {last}.i OR length(p) = 2 RETURN n0, {last}, p"
    wanted = [
        (row["n0"], row[last], tuple(row["p"]))
        for row in true
        if row["n0"] < row[last] or len(row["p"]) == 5
    ]
    said(query, drawn.rows(query), wanted)
    if pattern.hops[0].star:
        query = f"{match} WHERE size(e0) <> 2 AND e0[0].i >= 1 RETURN n0, e0"
        wanted = [
            (row["n0"], tuple(row["e0"]))
            for row in true
            if len(row["e0"]) != 2 and row["e0"][0] >= 1
        ]
        said(query, drawn.rows(query), wanted)
    starts = {row["n0"] for row in true}
    if not pattern.circle:
        path = pattern.written()
        for i, _ in enumerate(pattern.hops):
            path = path.replace(f"[e{i}", "[").replace(f"(n{i + 1}", "(")
        label = pattern.labels[0]
        query = f"MATCH (n0{f':{label}' if label else ''}) WHERE EXISTS({path}) RETURN n0"
        said(query, drawn.rows(query), [(start,) for start in starts])
    more = [(row["n0"],) for row in matches(graph, other)]
    rows = [(row["n0"],) for row in true]
    both = f"{match} RETURN n0 UNION ALL MATCH {other.written()} RETURN n0"
    said(both, drawn.rows(both), rows + more)
    both = both.replace("UNION ALL", "UNION")
    said(both, drawn.rows(both), list(set(rows + more)))


WORKS = {
    "the first question of all": (
        (
            "MATCH path = (src:Dataset)-[:INPUT_TO|OUTPUTS*1..5]->(t:Dataset) WHERE t.namespace ="
            " 's3://lake' AND t.name CONTAINS 'dash' RETURN src.namespace, src.name"
        ),
        [
            ("s3://lake", "gold/revenue"),
            ("s3://lake", "silver/orders"),
            ("s3://lake", "silver/orders"),
            ("s3://lake", "silver/rates"),
        ],
    ),
    "only one type can be": (
        "MATCH (:Dataset)-[e:INPUT_TO|OUTPUTS]->(:Run) RETURN type(e), count(*)",
        [("INPUT_TO", 7)],
    ),
    "both types, counted": (
        "MATCH (:Dataset)-[e:INPUT_TO|OUTPUTS]-(:Run) RETURN type(e), count(*)",
        [("INPUT_TO", 7), ("OUTPUTS", 6)],
    ),
    "properties of every edge": (
        "MATCH (s)-[e:FEEDS*1..3 {job: 'report'}]->(t) RETURN DISTINCT t.name",
        [("gold/revenue",)],
    ),
    "several in one query": (
        (
            "MATCH (a)-[:FEEDS*1..2]->(b {name: 'gold/revenue'}), (b)-[r:FEEDS*1..2]->(c)"
            " RETURN count(*), collect(DISTINCT c.name), max(size(r))"
        ),
        [(4, ["gold/dashboard"], 1)],
    ),
    "a parameter, and a name that is a list": (
        (
            "MATCH (a:Dataset)-[r:FEEDS*2]->(b) WHERE a.name = $name AND size(r) = 2"
            " RETURN b.name, {r: size(r)}"
        ),
        [("gold/revenue", {"r": 2})],
    ),
    "behind OPTIONAL MATCH, of one length": (
        (
            "MATCH (d:Dataset) WHERE d.name = $name OPTIONAL MATCH (d)-[e:INPUT_TO|FEEDS]->(x)"
            " RETURN type(e), label(x)"
        ),
        [("INPUT_TO", "Run"), ("FEEDS", "Dataset")],
    ),
    "WITH *": (
        "MATCH (a)-[r:FEEDS*1..2]->(b) WITH * WHERE a.name = $name RETURN b.name, size(r) AS n",
        [("silver/orders", 1), ("gold/revenue", 2)],
    ),
    "nothing by the schema": ("MATCH (d:Dataset)-[:EXECUTES*1..2]->(x) RETURN x.name", []),
}


@pytest.mark.parametrize("name", WORKS)
def test_expanded_patterns_return_the_shop_rows(provenance: query.Graph, name: str) -> None:
    query, wanted = WORKS[name]
    table = provenance.cypher(query, {"name": "raw/orders"} if "$name" in query else {})
    assert sorted(table.rows, key=str) == sorted(wanted, key=str)


REFUSED = {
    "no greatest length": ("MATCH (a)-[:FEEDS*]->(b) RETURN a", "needs a maximum length, .* 18"),
    "no greatest length, from 2": ("MATCH (a)-[*2..]->(b) RETURN a", "needs a maximum length"),
    "no length": ("MATCH (a)-[:FEEDS*0..2]->(b) RETURN a", "minimum length of a pattern is 1"),
    "too long": ("MATCH (a)-[:FEEDS*1..99]->(b) RETURN a", "from 1 to 12"),
    "the greater first": ("MATCH (a)-[:FEEDS*3..2]->(b) RETURN a", "the minimum first"),
    "too many": ("MATCH (a)-[*1..9]-(b) RETURN a", "stands for [0-9,]+ of fixed length"),
    "no such type": ("MATCH (a)-[:FEED|OUTPUTS]->(b) RETURN a", 'type of edges "FEED", .* 13'),
    "no such label": ("MATCH (a:Table)-[:FEEDS*1..2]->(b) RETURN a", 'no label "Table", .* 10'),
    "in OPTIONAL MATCH": (
        "MATCH (a) OPTIONAL MATCH (a)-[:FEEDS*1..2]->(b) RETURN a", "MATCH that begins a query",
    ),
    "behind WITH": (
        "MATCH (a) WITH a MATCH (a)-[:FEEDS*1..2]->(b) RETURN a", "MATCH that begins a query",
    ),
    "in a subquery": (
        "MATCH (a) WHERE EXISTS {MATCH (a)-[:FEEDS*1..2]->()} RETURN a", "cannot be rewritten",
    ),
    "in a condition": (
        "MATCH (a) WHERE (a)-[:FEEDS|INPUT_TO]->() RETURN a", "cannot be rewritten",
    ),
    "not closed": ("MATCH (a)-[:FEEDS*1..2->(b) RETURN a", "is invalid|is incomplete"),
    "a write": ("MATCH (a)-[:FEEDS*1..2]->(b) SET a.x = 1 RETURN a", "SET writes"),
    "unions mixed": (
        ("MATCH (a)-[:FEEDS*1..2]->(b) RETURN a UNION MATCH (a) RETURN a UNION ALL"
         " MATCH (b) RETURN b AS a"), "cannot be mixed",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_rewritten_rightly_is_rejected(provenance: query.Graph, name: str) -> None:
    query, said = REFUSED[name]
    with pytest.raises(QueryError, match=said):
        provenance.cypher(query)


def test_an_error_of_age_is_reported_at_its_position_in_the_original_query(
    provenance: query.Graph,
) -> None:
    with pytest.raises(QueryError) as caught:
        provenance.cypher("MATCH (a)-[:FEEDS*1..2]->(b)\nWHERE a.name = 'x'\nRETURN count(zz)")
    assert caught.value.excerpt == ("RETURN count(zz)", "             ^")


def test_patterns_know_all_labels_and_types_of_edges(conn: Connection) -> None:
    """A type that they do not know is silently missing from a pattern without types."""
    rows = conn.execute(
        "SELECT l.kind::text, l.name::text FROM ag_catalog.ag_label l"
        " JOIN ag_catalog.ag_graph g ON g.graphid = l.graph"
        " WHERE g.name = 'provenance' AND l.name NOT LIKE '\\_ag\\_label\\_%%'", ()
    ).fetchall()  # fmt: skip
    assert {name for kind, name in rows if kind == "v"} == LABELS
    assert {name for kind, name in rows if kind == "e"} == set(ENDS)


def test_patterns_of_several_types_have_declared_edges(
    conn: Connection, provenance: query.Graph
) -> None:
    write_events(conn, [job_event(99, "design", ("raw/orders",), ("planned",))])
    pairs = "(a:Dataset {name: 'raw/orders'})-[%s]->(b:Dataset) RETURN DISTINCT b.name"
    for edge in ("e", "*1..1", ":FEEDS|DECLARED", ":FEEDS|DECLARED*1..1"):
        assert sorted(provenance.cypher(f"MATCH {pairs % edge}").rows) == [
            ("planned",), ("silver/orders",),
        ]  # fmt: skip
