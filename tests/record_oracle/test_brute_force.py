"""The witnesses of a row compared with the sets of rows that it needs, found by trying them all."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

import pytest
from support.cases.small_queries import COLUMNS, QUERIES, ROWS, SCHEMAS, SmallQuery
from support.reference.record_lineage import Row, SmallTables

import lineage.records as records

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def small(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> SmallTables:
    directory = tmp_path_factory.mktemp("small")
    for name, rows in ROWS.items():
        path = str(directory / name)
        spark.createDataFrame(rows, SCHEMAS[name]).coalesce(1).write.parquet(path)
        spark.read.parquet(path).createOrReplaceTempView(name)
    return SmallTables(COLUMNS, ROWS)


def named_rows(trace: records.Trace) -> Iterator[tuple[str, Row]]:
    """Return the tables and rows that a trace names."""
    for source in trace.counts:
        for row in trace.witnesses(source).collect():
            yield source.rsplit("/", 1)[-1], tuple(row)[:-2]


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.name)
def test_witnesses_contain_every_minimal_set(
    query: SmallQuery, spark: Any, small: SmallTables
) -> None:
    frame = spark.sql(query.text)
    width = len(frame.columns)
    frame = frame.toDF(*(f"column{number}" for number in range(width)))
    rows = {tuple(row): row for row in frame.collect()}
    minimal = small.minimal_sets(query.text)
    assert rows.keys() == minimal.keys()
    for values, sets in minimal.items():
        with records.trace(frame, rows[values]) as trace:
            named = set(named_rows(trace))
            needed = small.members_of(reduce(or_, sets, 0))
            assert needed <= named, values
            if trace.fidelity == "exact" and query.is_tight:
                assert named == needed, values


def test_the_reference_finds_the_sets_of_a_join() -> None:
    tables = SmallTables({"a": "k", "b": "k, w"}, {"a": [(1,)], "b": [(1, 5), (1, 5), (2, 5)]})
    sets = tables.minimal_sets("SELECT b.w FROM a JOIN b ON a.k = b.k")
    assert sets == {(5,): [0b0011, 0b0101]}
    assert tables.members_of(0b0011) == {("a", (1,)), ("b", (1, 5))}


def test_both_systems_give_the_same_answers(spark: Any, small: SmallTables) -> None:
    for query in QUERIES:
        expected = sorted(small.run(query.text), key=repr)
        assert sorted(map(tuple, spark.sql(query.text).collect()), key=repr) == expected
