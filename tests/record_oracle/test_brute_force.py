"""The witnesses of a row compared with the sets of rows that it needs, found by trying them all."""

from __future__ import annotations

from typing import Any

import pytest
from support.cases.small_queries import QUERIES, SmallQuery
from support.reference.record_lineage import SmallTables
from support.spark import record_checks as checks


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.name)
def test_witnesses_contain_every_minimal_set(
    query: SmallQuery, spark: Any, small: SmallTables
) -> None:
    checks.assert_minimal_sets(spark.sql(query.text), query, small)


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.name)
def test_a_row_without_which_the_result_changes_is_counted(
    query: SmallQuery, spark: Any, small: SmallTables
) -> None:
    """O3, where another system tells whether the traced row depends on each of the named rows."""
    checks.assert_changes_without_a_row(spark.sql(query.text), query, small)


def test_the_reference_finds_the_sets_of_a_join() -> None:
    tables = SmallTables({"a": "k", "b": "k, w"}, {"a": [(1,)], "b": [(1, 5), (1, 5), (2, 5)]})
    sets = tables.minimal_sets("SELECT b.w FROM a JOIN b ON a.k = b.k")
    assert sets == {(5,): [0b0011, 0b0101]}
    assert tables.members_of(0b0011) == {("a", (1,)), ("b", (1, 5))}


def test_both_systems_give_the_same_answers(spark: Any, small: SmallTables) -> None:
    for query in QUERIES:
        expected = sorted(small.run(query.text), key=repr)
        assert sorted(map(tuple, spark.sql(query.text).collect()), key=repr) == expected
