"""The 22 queries of TPC-H: equal answers, complete witnesses, pushed predicates, precision."""

from __future__ import annotations

from typing import Any

import pytest
from support.cases.tpch.frames import create_views, frame_of, write_tables
from support.cases.tpch.queries import QUERIES, Query
from support.spark import record_checks as checks

import lineage.records as records

# The condition on the supplier's other line items is not an equality.
FIDELITY = {"q21": "superset"}

# The rows of a result that are traced, and the runs without one of the witnesses of the first.
TRACED_ROWS = 2
LEFT_OUT = 4

each_query = pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.name)


@pytest.fixture(scope="module")
def tpch(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    directory = tmp_path_factory.mktemp("tpch")
    write_tables(spark, directory)
    create_views(spark, directory)
    return spark


@each_query
def test_the_answer_is_the_same_with_provenance(query: Query, tpch: Any) -> None:
    checks.assert_same_answer(frame_of(query, tpch))


@each_query
def test_the_named_rows_give_the_row(query: Query, tpch: Any) -> None:
    frame = frame_of(query, tpch)
    rows = checks.some_rows(frame, TRACED_ROWS)
    checks.assert_complete(frame, rows, FIDELITY.get(query.name, "exact"), comes_again=True)


@each_query
def test_precision(query: Query, tpch: Any, record_property: Any) -> None:
    """A figure: a minimum, EXISTS or a ratio does not change without one of its rows."""
    frame = frame_of(query, tpch)
    with records.trace(frame, checks.some_rows(frame, 1)[0]) as trace:
        check = trace.check(leave_out=LEFT_OUT)
        record_property("changed", f"{check.changed}/{check.left_out}")
        assert sum(trace.counts.values()) >= check.left_out
