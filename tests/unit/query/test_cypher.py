"""The columns of a Cypher query, parsed from its last RETURN."""

from __future__ import annotations

import pytest

from lineage.errors import QueryError
from lineage.query.cypher.agtype import parse_agtype
from lineage.query.cypher.lexer import returned_columns, syntax_error

CASES = {
    "RETURN 1": ("1",),
    "MATCH (n) RETURN n.name, count(*) AS n ORDER BY n, n.name": ("n.name", "n"),
    "match (n) return distinct n as `my n` skip 1 limit 2": ("my n",),
    "RETURN {a: 1, b: [1, 2]} AS m, f(a, b)": ("m", "f(a, b)"),
    'RETURN \'a, b\', "c\\", d", `e, f`': ("'a, b'", '"c\\", d"', "`e, f`"),
    "// RETURN x\nRETURN a /* , b */, c // , d\n;": ("a", "c"),
    "MATCH (a) RETURN a.x AS x UNION ALL MATCH (b) RETURN b.y AS x": ("x",),
    "WITH 'RETURN 1' AS s RETURN s": ("s",),
    "MATCH (n) RETURN n.return_code": ("n.return_code",),
}


@pytest.mark.parametrize(("query", "names"), CASES.items())
def test_columns_are_named_as_written(query: str, names: tuple[str, ...]) -> None:
    assert returned_columns(query) == names


@pytest.mark.parametrize(
    "query",
    ["", "MATCH (n)", "RETURN", "RETURN a, ", "MATCH (n) RETURN *", "RETURN 1" + ", 1" * 50],
)
def test_a_query_without_columns_is_rejected(query: str) -> None:
    with pytest.raises(QueryError):
        returned_columns(query)


def test_types_are_stripped_outside_of_strings_only() -> None:
    text = '[{"id": 1, "label": "a::edge", "properties": {"b": "\\"::path"}}::vertex, 1.5::numeric]'
    assert parse_agtype(text) == [
        {"id": 1, "label": "a::edge", "properties": {"b": '"::path'}},
        1.5,
    ]


SHOWN = {
    "the place": ("RETURN x", 7, ("RETURN x", "       ^")),
    "its line alone": ("MATCH (n)\nRETURN x\nLIMIT 1", 17, ("RETURN x", "       ^")),
    "the end": ("RETURN", 6, ("RETURN", "      ^")),
    "what is two columns wide": ("RETURN '数据', x", 13, ("RETURN '数据', x", " " * 15 + "^")),
    "what moves the cursor": ("RETURN\t\x1b[2Jx", 11, ("RETURN  [2Jx", " " * 11 + "^")),
    "a long line, its part": (
        "a" * 500 + "x" + "b" * 500,
        500,
        ("…" + "a" * 60 + "x" + "b" * 59 + "…", " " * 61 + "^"),
    ),
}


@pytest.mark.parametrize(("text", "at", "shown"), SHOWN.values(), ids=SHOWN)
def test_the_position_of_a_syntax_error_is_marked(
    text: str, at: int, shown: tuple[str, str]
) -> None:
    assert syntax_error(text, at, "it is wrong").excerpt == shown


def test_line_and_column_count_from_one() -> None:
    error = syntax_error("MATCH (n)\nRETURN x", 17, "it is wrong.")
    assert error.message == "It is wrong, line 2 column 8."
    assert str(error) == "It is wrong, line 2 column 8.\n  RETURN x\n         ^"
