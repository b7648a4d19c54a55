"""Column cases with other values in each column: the lineage contains every changed result."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support.cases.column_run import Recorded, run
from support.cases.column_suite import CASES
from support.spark.column_changes import Change, unclaimed

if TYPE_CHECKING:
    from pathlib import Path

    from support.cases.columns import Case


@pytest.fixture(scope="module")
def recorded(directory: Path) -> Recorded:
    return run(directory, "changes", timeout=7_200)


# Cases with unresolved operators have incomplete lineage by design.
each_case = pytest.mark.parametrize(
    "case", [case for case in CASES if not case.unresolved], ids=lambda case: case.name
)


@each_case
def test_every_column_that_changes_a_result_is_claimed(
    case: Case, recorded: Recorded, changes: dict[str, list[Change]]
) -> None:
    assert unclaimed(changes[case.name], recorded.columns(case), recorded.rows(case)) == []


@each_case
def test_other_values_do_change_results(case: Case, changes: dict[str, list[Change]]) -> None:
    """Otherwise the test above would be ineffective."""
    tried = changes[case.name]
    assert not tried or any(change.results for change in tried)
