"""Checks of a query's record lineage that need no expected value.

O1: the query has the same answer with provenance columns. O2: on the named rows alone the traced
row comes again. O3: how often a result changes without one of its rows. O5: a pushed predicate
finds the same ids as a run of the whole query.
"""

from __future__ import annotations

from collections import Counter
from functools import reduce
from operator import or_
from random import Random
from typing import TYPE_CHECKING, Any

import lineage.records as records
from lineage.records import gateway
from support.spark.rows import contains_rows, is_equal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, Row, SparkSession

    from support.cases.small_queries import SmallQuery
    from support.reference.record_lineage import SmallTables

Ids = dict[int, set[int]]

# Two scans of a table: the sums of customers, and an order that limits them.
SUMS_BELOW_AN_ORDER = """
    SELECT customer, sum(total) AS spent, rank() OVER (ORDER BY sum(total) DESC) AS place
    FROM orders GROUP BY customer
    HAVING sum(total) < (SELECT total + 1 FROM orders WHERE id = 2)
"""


def annotated(frame: DataFrame, payload: str, *arguments: Any) -> list[Row]:
    """Run the query with a payload: ``list``, ``witness`` or ``mask``."""
    plan = gateway.plan_of(frame)
    run = getattr(plan, payload)(*arguments)
    return gateway.frame_of(frame.sparkSession, run.frame()).collect()


def values_of(rows: list[Row], width: int) -> list[tuple[Any, ...]]:
    """Return the columns of the query itself."""
    return [tuple(row)[:width] for row in rows]


def assert_same_answer(frame: DataFrame) -> None:
    """O1: bit for bit for ids and masks; with lists, sums may differ in their last bits."""
    width, expected = len(frame.columns), [tuple(row) for row in frame.collect()]
    witness = values_of(annotated(frame, "witness"), width)
    assert Counter(map(repr, witness)) == Counter(map(repr, expected)), "ids"
    masked = values_of(annotated(frame, "mask", *some_marks(frame)), width)
    assert Counter(map(repr, masked)) == Counter(map(repr, expected)), "mask"
    lists = values_of(annotated(frame, "list", False), width)
    assert len(lists) == len(expected), "list"
    assert contains_rows(lists, expected), "list"


def assert_complete(
    frame: DataFrame, rows: list[Row], fidelity: str, comes_again: bool, reason: str | None = None
) -> None:
    """Trace rows of the result: O2 and O5, and the fidelity, with the reason of an unknown one.

    A row that need not come again may do so, by the order of the rows; its trace is exact then.
    """
    for row in rows:
        with records.trace(frame, row) as trace:
            assert trace.row_count >= 1
            assert reason is None or reason in trace.reasons
            by_chance = trace.reproduced and not comes_again
            assert trace.fidelity == ("exact" if by_chance else fidelity), trace.reasons
            if fidelity == "exact":
                assert_witness(frame, row, ids_of(trace))
                assert ids_of(trace) == ids_of_whole_run(frame, row), "pushed predicate"
            elif comes_again:
                assert includes(ids_of(trace), ids_of_whole_run(frame, row)), "pushed predicate"
            check = trace.check()
            assert check.reproduced or not comes_again, trace.reasons
            assert check.reproduced or trace.fidelity == "unknown"


def assert_minimal_sets(frame: DataFrame, query: SmallQuery, small: SmallTables) -> None:
    """O4: the witnesses contain every minimal set; if they are exact, they are their union."""
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


def assert_changes_without_a_row(frame: DataFrame, query: SmallQuery, small: SmallTables) -> None:
    """O3: the named rows without which the traced row changes or goes are those of SQLite.

    SQLite leaves a row out of a table, and Spark out of one of its scans.
    """
    frame = with_distinct_names(frame)
    for row in some_rows(frame, 1):
        with records.trace(frame, row) as trace:
            named = small.bits_of(named_rows(trace))
            check = trace.check(leave_out=len(small.members))
        occurrences = small.run(query.text).count(tuple(row))
        changed = sum(
            small.run(query.text, named & ~(1 << number)).count(tuple(row)) < occurrences
            for number in range(len(small.members))
            if named >> number & 1
        )
        assert (check.reproduced, check.left_out) == (True, named.bit_count())
        if not query.differs_by_scan:
            assert check.changed == changed


def named_rows(trace: records.Trace) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Return the tables and rows that a trace names."""
    for source in trace.counts:
        for row in trace.witnesses(source).collect():
            yield source.rsplit("/", 1)[-1], tuple(row)[:-2]


def assert_followed(frame: DataFrame) -> None:
    """The rows of the first source that reach the result are those that a trace of it names.

    The mask of a row and the lists of ids are different payloads of the same rules.
    """
    plan = gateway.plan_of(frame)
    followed = records.follow(frame, plan.datasets()[0], "true")
    source = gateway.frame_of(frame.sparkSession, plan.source(0)).select("__lineage_id")
    ids = sorted({row[0] for row in source.collect()})[:64]
    with records.trace(frame, "true") as trace:
        named = ids_of(trace).get(0, set())
    assert {mark for mark, row_id in enumerate(ids) if row_id in named} == followed.alive


def assert_witness(frame: DataFrame, row: Row, ids: Ids) -> None:
    """The ids payload has, for each leaf, null or one of the ids that the lists have."""
    width = len(frame.columns)
    same = [
        each for each in annotated(frame, "witness") if is_equal(tuple(each)[:width], tuple(row))
    ]
    witnesses = {row_id for each in same for row_id in tuple(each)[width:] if row_id is not None}
    every = set().union(*ids.values())
    assert witnesses <= every
    assert bool(witnesses) == bool(every)


def includes(ids: Ids, others: Ids) -> bool:
    return all(found <= ids.get(number, set()) for number, found in others.items())


def with_distinct_names(frame: DataFrame) -> DataFrame:
    """Return the frame, with other names for its columns if two have the same."""
    columns = frame.columns
    if len(set(columns)) == len(columns):
        return frame
    return frame.toDF(*(f"column{number}" for number in range(len(columns))))


def some_marks(frame: DataFrame) -> tuple[int, Any]:
    """Return the first source, and the ids of at most 64 of its rows."""
    plan = gateway.plan_of(frame)
    ids: list[int] = []
    if plan.datasets():
        source = gateway.frame_of(frame.sparkSession, plan.source(0))
        ids = sorted({row[0] for row in source.select("__lineage_id").collect()})[:64]
    return 0, long_array(frame.sparkSession, ids)


def long_array(spark: SparkSession, values: list[int]) -> Any:
    """Return an array of ``long`` of the JVM."""
    java: Any = spark.sparkContext._gateway
    array = java.new_array(java.jvm.long, len(values))
    for index, value in enumerate(values):
        array[index] = value
    return array


def some_rows(frame: DataFrame, count: int) -> list[Row]:
    rows = frame.collect()
    return Random(1).sample(rows, min(count, len(rows)))


def ids_of(trace: records.Trace) -> Ids:
    """Return the ids that a trace names, by the number of their source."""
    ids: Ids = {}
    for row in trace._trace.ids(-1):
        ids.setdefault(row.get(0), set()).add(row.get(1))
    return ids


def ids_of_whole_run(frame: DataFrame, row: Row) -> Ids:
    """Return the ids of all rows of the result that are equal to a row, without a predicate."""
    plan = gateway.plan_of(frame)
    run = plan.list(False)
    sources = list(run.sources())
    width = len(frame.columns)
    ids: Ids = {}
    for each in gateway.frame_of(frame.sparkSession, run.frame()).collect():
        if is_equal(tuple(each)[:width], tuple(row)):
            for number, found in zip(sources, tuple(each)[width:], strict=True):
                ids.setdefault(number, set()).update(found)
    return {number: found for number, found in ids.items() if found}
