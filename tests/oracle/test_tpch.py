"""Other values in each column of the TPC-H tables: what changes in a result must be claimed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tpch_queries import QUERIES, Query
from tpch_run import Recorded, run

if TYPE_CHECKING:
    from pathlib import Path

Changes = list[tuple[str, str, list[str], bool]]


@pytest.fixture(scope="session")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tpch")


@pytest.fixture(scope="session")
def recorded(directory: Path) -> Recorded:
    return run(directory, "all", timeout=7_200)


@pytest.fixture(scope="session")
def changes(directory: Path, recorded: Recorded) -> Changes:
    """What changed in which query where one column had other values."""
    found: Changes = json.loads((directory / "changes.json").read_text())
    return found


each_query = pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.name)


@each_query
def test_every_column_that_changes_a_result_is_claimed(
    query: Query, recorded: Recorded, changes: Changes
) -> None:
    rows = {name for name, _, _ in recorded.rows(query)}
    columns = {key: {name for name, _, _ in of} for key, of in recorded.columns(query).items()}
    missed = [
        (changed, result)
        for name, changed, results, _ in changes
        for result in results
        if name == query.name and changed not in rows | columns.get(result, set())
    ]
    assert missed == []


@each_query
def test_every_column_that_changes_the_number_of_rows_is_claimed(
    query: Query, recorded: Recorded, changes: Changes
) -> None:
    rows = {name for name, _, _ in recorded.rows(query)}
    found = {changed for name, changed, _, other in changes if name == query.name and other}
    assert found <= rows


@each_query
def test_other_values_do_change_results(query: Query, changes: Changes) -> None:
    """Were it not so, the tests above would claim nothing."""
    assert any(results for name, _, results, _ in changes if name == query.name)
