"""What statements read and write: hand-written cases of each dialect."""

from __future__ import annotations

from collections import Counter

import pytest
from support.cases.statements import FOLDER, MANUALS, Case, find_tables, read_cases

CASES = read_cases()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.identifier)
def test_a_statement_is_never_silently_wrong(case: Case) -> None:
    found = find_tables(case)
    assert case.compare_with(found) != "wrong", (case.sql, found)


def test_there_are_94_first_cases_and_200_of_the_manuals() -> None:
    names = Counter(case.identifier for case in CASES)
    assert names.total() == len(names) == 294
    by_dialect = Counter(case.dialect for case in read_cases(MANUALS))
    assert by_dialect == {
        "tsql": 60,
        "postgres": 40,
        "snowflake": 30,
        "spark": 25,
        "bigquery": 20,
        "mysql": 15,
        "duckdb": 10,
    }


def test_at_least_these_are_read_right() -> None:
    """A lower bound: what is right stays right. Reported cases are neither right nor wrong."""
    right = [case for case in CASES if case.compare_with(find_tables(case)) == "right"]
    assert len(right) >= 94 + 141, FOLDER
