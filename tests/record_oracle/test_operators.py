"""Every operator case: equal answers, complete witnesses, pushed predicates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support.cases.records import CASES, Case
from support.spark import record_checks as checks

from lineage.records import gateway

if TYPE_CHECKING:
    from support.cases.records import Tables

each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@each_case
def test_the_answer_is_the_same_with_provenance(case: Case, tables: Tables) -> None:
    checks.assert_same_answer(case.build(tables))


@each_case
def test_the_named_rows_give_the_row(case: Case, tables: Tables) -> None:
    frame = checks.with_distinct_names(case.build(tables))
    rows = checks.some_rows(frame, 3)
    assert rows
    checks.assert_complete(frame, rows, case.fidelity, case.comes_again, case.reason)


@each_case
def test_followed_rows_are_in_the_result_that_names_them(case: Case, tables: Tables) -> None:
    frame = case.build(tables)
    if not gateway.plan_of(frame).datasets() or case.fidelity == "unknown":
        pytest.skip("no row is named")
    checks.assert_followed(frame)
