"""The columns of a Cypher query are read from its last RETURN."""

from __future__ import annotations

import pytest

from lineage.errors import QueryError
from lineage.questions.agtype import loads
from lineage.questions.cypher import columns

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
    assert columns(query) == names


@pytest.mark.parametrize("query", ["", "MATCH (n)", "RETURN", "RETURN a, ", "MATCH (n) RETURN *"])
def test_a_query_without_columns_is_refused(query: str) -> None:
    with pytest.raises(QueryError):
        columns(query)


def test_types_are_stripped_outside_of_strings_only() -> None:
    text = '[{"id": 1, "label": "a::edge", "properties": {"b": "\\"::path"}}::vertex, 1.5::numeric]'
    assert loads(text) == [
        {"id": 1, "label": "a::edge", "properties": {"b": '"::path'}},
        1.5,
    ]
