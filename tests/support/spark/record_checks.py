"""Checks of a query's record lineage that need no expected value.

O1: the query has the same answer with provenance columns. O2: on the named rows alone the traced
row comes again. O3: how often a result changes without one of its rows. O5: a pushed predicate
finds the same ids as a run of the whole query.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any

import lineage.records as records
from lineage.records import gateway
from lineage.records.rows import contains_rows, is_equal

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row

Ids = dict[int, set[int]]


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


def assert_complete(frame: DataFrame, rows: list[Row], fidelity: str, comes_again: bool) -> None:
    """Trace rows of the result: O2 and O5, and the fidelity before and after the check."""
    for row in rows:
        with records.trace(frame, row) as trace:
            assert trace.row_count >= 1
            assert trace.fidelity == fidelity, trace.reasons
            if fidelity == "exact":
                assert ids_of(trace) == ids_of_whole_run(frame, row), "pushed predicate"
            elif comes_again:
                assert includes(ids_of(trace), ids_of_whole_run(frame, row)), "pushed predicate"
            check = trace.check()
            assert check.reproduced or not comes_again, trace.reasons
            assert check.reproduced or trace.fidelity == "unknown"


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
    return 0, gateway.long_array(frame.sparkSession, ids)


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
    columns = list(run.columns())
    width = len(frame.columns)
    ids: Ids = {}
    for each in gateway.frame_of(frame.sparkSession, run.frame()).collect():
        if is_equal(tuple(each)[:width], tuple(row)):
            for number, found in zip(columns, tuple(each)[width:], strict=True):
                ids.setdefault(number, set()).update(found)
    return {number: found for number, found in ids.items() if found}
