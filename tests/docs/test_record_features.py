"""The page on features of item-level lineage: each has a test or a reason, as each oracle has."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "record-features.md"


def rows_of(header: str) -> list[list[str]]:
    """Return the cells of the rows of all tables whose header ends with a column."""
    tables = re.findall(r"((?:^\|.*\n)+)", PAGE.read_text(), re.MULTILINE)
    lines = [
        line
        for table in tables
        if table.partition("\n")[0].endswith(f"| {header} |")
        for line in table.splitlines()[2:]
    ]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def test_each_feature_names_the_tests_that_show_it() -> None:
    rows = rows_of("shown by")
    assert len(rows) >= 25, "the features of the systems that it is compared with"
    assert [row[0] for row in rows if not re.search(r"`tests/[\w/]+\.py::\w+`", row[-1])] == []


def test_each_feature_that_is_missing_has_a_reason() -> None:
    rows = rows_of("reason")
    assert rows
    assert [row[0] for row in rows if len(row[-1].split()) < 5] == []


def test_each_oracle_is_listed() -> None:
    names = [row[0] for row in rows_of("shown by") if re.fullmatch(r"O\d", row[0])]
    assert names == [f"O{number}" for number in range(1, 10)]
