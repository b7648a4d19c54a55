"""What statements read and write: hand-written cases of each dialect."""

from __future__ import annotations

from collections import Counter

import pytest
from support.cases.statements import FOLDER, MANUALS, Case, find_tables, read_cases

CASES = read_cases()

# Cases of the manuals that are read wrong without a report. Each is a defect of the reader.
WRONG = frozenset(
    [
        "md08",
        "mk06",
        "mk15",
        "mk17",
        "mm08",
        "mm09",
        "mm12",
        "mn08",
        "mn18",
        "mp01",
        "mp08",
        "mp24",
        "mp25",
        "mp33",
        "mp40",
        "mq14",
        "mq16",
        "mt01",
        "mt20",
        "mt30",
        "mt39",
    ]
)


def known_to_be_wrong(case: Case) -> pytest.MarkDecorator:
    return pytest.mark.xfail(case.identifier in WRONG, reason="the reader is wrong", strict=True)


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=known_to_be_wrong(case), id=case.identifier) for case in CASES],
)
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
    cases = [case for case in CASES if case.identifier not in WRONG]
    right = [case for case in cases if case.compare_with(find_tables(case)) == "right"]
    assert len(right) >= 94 + 141, FOLDER
