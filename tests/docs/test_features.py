"""The lists of features in tests/features: each feature names its tests, or a reason."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

FEATURES = Path(__file__).parents[1] / "features"
PAGES = sorted(FEATURES.glob("*.md"))


def read_tables(page: Path) -> list[tuple[str, list[list[str]]]]:
    """Return the last column's name and the cells of the rows of each table."""
    tables = re.findall(r"^\| (.*) \|\n\|[-|]+\|\n((?:\|.*\|\n?)+)", page.read_text(), re.MULTILINE)
    return [
        (
            head.rpartition(" | ")[2],
            [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows.splitlines()],
        )
        for head, rows in tables
    ]


def test_there_are_lists_of_features() -> None:
    assert {page.stem for page in PAGES} == {"hub", "orchestration", "records"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_feature_names_the_tests_that_show_it(page: Path) -> None:
    rows = [row for last, rows in read_tables(page) if last == "shown by" for row in rows]
    assert rows
    assert [row[0] for row in rows if not re.search(r"`tests/[\w/]+\.py(::\w+)?`", row[-1])] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_missing_feature_has_a_reason(page: Path) -> None:
    tables = {last: rows for last, rows in read_tables(page) if last != "shown by"}
    assert tables.keys() <= {"reason", "instead", "measured by"}
    assert tables.keys() & {"reason", "instead"}
    assert [row[0] for rows in tables.values() for row in rows if not row[-1]] == []


def test_each_oracle_is_listed() -> None:
    rows = [row for _, rows in read_tables(FEATURES / "records.md") for row in rows]
    names = [row[0] for row in rows if re.fullmatch(r"O\d", row[0])]
    assert names == [f"O{number}" for number in range(1, 10)]
