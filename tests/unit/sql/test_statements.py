"""What statements read and write: hand-written cases of each dialect."""

from __future__ import annotations

import pytest
from support.cases.statements import Case, find_tables, read_cases

CASES = read_cases()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.identifier)
def test_a_statement_is_never_silently_wrong(case: Case) -> None:
    found = find_tables(case)
    assert case.compare_with(found) != "wrong", (case.sql, found)
