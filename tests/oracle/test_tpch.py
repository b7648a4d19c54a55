"""TPC-H tables with other values in each column: the lineage contains every changed result."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support.cases.tpch.queries import QUERIES, Query
from support.cases.tpch.run import Recorded, run
from support.spark.column_changes import Change, unclaimed

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def recorded(directory: Path) -> Recorded:
    return run(directory, "changes", timeout=7_200)


each_query = pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.name)


@each_query
def test_every_column_that_changes_a_result_is_claimed(
    query: Query, recorded: Recorded, changes: dict[str, list[Change]]
) -> None:
    assert unclaimed(changes[query.name], recorded.columns(query), recorded.rows(query)) == []


@each_query
def test_other_values_do_change_results(query: Query, changes: dict[str, list[Change]]) -> None:
    """Otherwise the test above would be ineffective."""
    assert any(change.results for change in changes[query.name])
