"""The canned queries: each runs, from Python and as it stands in psql, and says the expected."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from lineage import queries
from lineage.errors import NotFound, QueryError, UsageError
from lineage.questions import agtype

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Psql = Callable[[str, str], list[str]]

    import psycopg

    from lineage.questions import Provenance

SECONDS = {n: f"2026-01-01T00:{n // 60:02}:{n % 60:02}.000000Z" for n in range(100)}

EXPECTED: dict[str, tuple[dict[str, Any], list[tuple[Any, ...]]]] = {
    "counts": ({}, [("Dataset", 7), ("Field", 11), ("Job", 6), ("Run", 7)]),
    "column_sources": (
        {"name": "gold/revenue", "field": "total"},
        [
            ("silver/orders", "price", "DIRECT", "AGGREGATION", "report", 1),
            ("silver/rates", "rate", "DIRECT", "AGGREGATION", "report", 1),
            ("silver/orders", "id", "INDIRECT", "JOIN", "report", 1),
        ],
    ),
    "derived_from": (
        {"prefix": "raw/"},
        [
            ("raw/orders", "silver/orders", "clean", 1, SECONDS[10]),
            ("raw/rates", "silver/rates", "load", 1, SECONDS[20]),
        ],
    ),
    "runs_that_wrote": (
        {"name": "gold/revenue"},
        [
            ("report-2", "report", "COMPLETE", SECONDS[50], None, None),
            ("report-1", "report", "COMPLETE", SECONDS[40], "overwrite", 7),
        ],
    ),
    "run_io": (
        {"run_id": "report-1"},
        [
            ("input", "s3://lake", "silver/orders", SECONDS[30], None),
            ("input", "s3://lake", "silver/rates", SECONDS[30], None),
            ("output", "s3://lake", "gold/revenue", SECONDS[40], 7),
        ],
    ),
    "failed_runs": (
        {},
        [("broken-1", "broken", "FAIL", SECONDS[70], "no space left", "gold/fraud")],
    ),
    "child_runs": ({"run_id": "app-1"}, [("clean-1", "clean", "COMPLETE", None, SECONDS[10])]),
}


def test_each_query_has_an_expected_result() -> None:
    assert [query.name for query in queries.canned()] == sorted(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_query_says_the_expected(provenance: Provenance, name: str) -> None:
    query, (params, rows) = queries.get(name), EXPECTED[name]
    query.check(params)
    table = provenance.cypher(query.text, params)
    assert table.columns == query.columns
    # Of a UNION the order is not promised.
    assert sorted(table.rows, key=str) == sorted(rows, key=str)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_query_runs_as_it_stands_in_psql(
    shop: psycopg.Connection[Any],
    dsn: str,
    psql: Psql,
    tmp_path: Path,
    name: str,
) -> None:
    query, (params, rows) = queries.get(name), EXPECTED[name]
    (tmp_path / query.path).write_text(query.text)
    script = (
        f"\\set query `cat {tmp_path / query.path}`\n"
        f"SELECT * FROM lineage.read_cypher(:'query', '{json.dumps(params)}');\n"
    )
    answers = [agtype.loads(line) for line in psql(dsn, script)]
    expected = [dict(zip(query.columns, row, strict=True)) for row in rows]
    assert sorted(answers, key=str) == sorted(
        [dict(sorted(row.items(), key=lambda item: (len(item[0]), item[0]))) for row in expected],
        key=str,
    )


def test_plain_cypher_runs_in_a_plain_psql(
    shop: psycopg.Connection[Any], dsn: str, psql: Psql
) -> None:
    script = """
        SELECT * FROM cypher('provenance', $$
            MATCH (s:Dataset)-[:INPUT_TO]->(:Run)-[:OUTPUTS]->(t:Dataset)
            WHERE s.name STARTS WITH 'raw/' RETURN s.name, t.name ORDER BY s.name
        $$) AS (source agtype, target agtype);
    """
    assert psql(dsn, script) == [
        '"raw/orders"|"silver/orders"',
        '"raw/rates"|"silver/rates"',
    ]


HEADER = "// What it says.\n// params:  a\n// returns: b\n"
BAD = {
    "no sentence": ("MATCH (n) RETURN n", "x.cypher:1: the header has to say here"),
    "no params": ("// A.\n// returns: b\n", "x.cypher:2: the header has to say here"),
    "no returns": ("// A.\n// params:  none\nRETURN 1", "x.cypher:3: the header has to say here"),
    "odd names": ("// A.\n// params:  a b\n// returns: c\n", "x.cypher:2: the names are not"),
    "a parameter that is not used": (HEADER + "RETURN 1 AS b", "x.cypher:2: .* differ: a"),
    "a parameter not declared": (HEADER + "RETURN $a + $c AS b", "x.cypher:2: .* differ: c"),
    "the end of a quote": (HEADER + "RETURN '$$' + $a AS b", "x.cypher:4: "),
}


@pytest.mark.parametrize(("text", "said"), BAD.values(), ids=BAD)
def test_a_bad_file_is_named_with_its_line(text: str, said: str) -> None:
    with pytest.raises(QueryError, match=said):
        queries.load("x.cypher", text)


def test_wrong_parameters_are_said() -> None:
    with pytest.raises(UsageError, match=r"lacks run_id\. It takes run_id=\.\.\."):
        queries.get("run_io").check([])
    with pytest.raises(UsageError, match=r"has no x\. It takes no parameters"):
        queries.get("counts").check(["x"])
    with pytest.raises(NotFound, match="There are: child_runs, column_sources"):
        queries.get("nothing")
