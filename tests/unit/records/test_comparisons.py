"""Conditions as comparisons: what is read from them, and what is left out."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from lineage.errors import UsageError
from lineage.records.comparisons import parse_condition


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = 'x'", [("a", "=", ("x",))]),
        ("5 < a", [("a", ">", (5,))]),
        ("`a b` >= -1.50", [("a b", ">=", (Decimal("-1.50"),))]),
        ("a <= 1e3", [("a", "<=", (1000.0,))]),
        ("a IN (1, 2)", [("a", "=", (1, 2))]),
        ("a BETWEEN 1 AND 3", [("a", ">=", (1,)), ("a", "<=", (3,))]),
        ("a = DATE '2013-02-01'", [("a", "=", (date(2013, 2, 1),))]),
        ("a = true AND (b = 1 AND c = 'it\\'s')",
         [("a", "=", (True,)), ("b", "=", (1,)), ("c", "=", ("it's",))]),
    ],
)  # fmt: skip
def test_a_part_is_a_column_an_operator_and_values(text: str, expected: object) -> None:
    condition = parse_condition(text)
    assert [(c.column, c.operator, c.values) for c in condition.comparisons] == expected
    assert condition.unused == ()


@pytest.mark.parametrize(
    "part",
    ["a = 1 OR b = 2", "NOT a = 1", "a IS NULL", "upper(a) = 'X'", "a = b", "a IN (1, NULL)",
     "a <=> 1", "t.a = 1", "a <> 1", "a IN (SELECT 1)", "a = NULL"],
)  # fmt: skip
def test_a_part_of_another_form_is_unused(part: str) -> None:
    condition = parse_condition(f"({part}) AND z = 3")
    assert [c.column for c in condition.comparisons] == ["z"]
    assert len(condition.unused) == 1


@pytest.mark.parametrize(
    "text", ["", "a =", "a = 1 GROUP BY a", "a = 1; SELECT 2", "a = 1 LIMIT 1"]
)
def test_other_text_is_an_error_that_names_it(text: str) -> None:
    with pytest.raises(UsageError, match="is not a condition"):
        parse_condition(text)
