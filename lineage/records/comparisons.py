"""Conditions on the rows of a table, as comparisons of columns with literals."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Literal, TypeAlias

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from lineage.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

Operator: TypeAlias = Literal["=", "<", "<=", ">", ">="]
Value: TypeAlias = str | bool | int | float | Decimal | date

_OPERATORS: dict[type[exp.Expr], Operator] = {
    exp.EQ: "=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_SELECT = "SELECT 1 WHERE "
_MIRRORED: dict[Operator, Operator] = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True)
class Comparison:
    """A column compared with a literal. ``=`` with several values is IN. ``text``: as SQL."""

    column: str
    operator: Operator
    values: tuple[Value, ...]
    text: str


@dataclass(frozen=True)
class Condition:
    """Comparisons that all hold for each matching row. ``unused``: the other parts, as SQL."""

    text: str
    comparisons: tuple[Comparison, ...]
    unused: tuple[str, ...]


def parse_condition(text: str) -> Condition:
    """Read a condition in the SQL of Spark. Raises UsageError if it is not a condition."""
    comparisons: list[Comparison] = []
    unused: list[str] = []
    for part in _split_conjuncts(_parse_where(text)):
        if read := list(_read_comparisons(part)):
            comparisons += read
        else:
            unused.append(part.sql(dialect="spark"))
    return Condition(text, tuple(comparisons), tuple(unused))


def _parse_where(text: str) -> exp.Expr:
    try:
        statements = sqlglot.parse(_SELECT + text, read="spark")
    except SqlglotError:
        statements = []
    select = statements[0] if len(statements) == 1 else None
    if isinstance(select, exp.Select):
        clauses = {name for name, clause in select.args.items() if clause}
        if clauses - {"kind"} == {"expressions", "where"}:
            where: exp.Expr = select.args["where"].this
            return where
    raise UsageError(f"{text} is not a condition.", "Compare columns with literals: airline = 'UA'")


def _split_conjuncts(condition: exp.Expr) -> Iterator[exp.Expr]:
    condition = condition.unnest()
    if isinstance(condition, exp.And):
        for part in condition.flatten():
            yield from _split_conjuncts(part)
    else:
        yield condition


def _read_comparisons(part: exp.Expr) -> Iterator[Comparison]:
    """Yield the comparisons that a part consists of; none if it has another form."""
    text = part.sql(dialect="spark")
    if isinstance(part, exp.Between):
        column, low, high = (
            _column_name(part.this),
            *map(_literal_value, _child_expressions(part, "low", "high")),
        )
        if column is not None and low is not None and high is not None:
            yield Comparison(column, ">=", (low,), text)
            yield Comparison(column, "<=", (high,), text)
    elif isinstance(part, exp.In):
        column, values = (
            _column_name(part.this),
            [_literal_value(each) for each in part.expressions],
        )
        if column is not None and values and None not in values:
            yield Comparison(column, "=", tuple(v for v in values if v is not None), text)
    elif operator := _OPERATORS.get(type(part)):
        left, right = _child_expressions(part, "this", "expression")
        if _column_name(left) is None:
            left, right, operator = right, left, _MIRRORED[operator]
        column, value = _column_name(left), _literal_value(right)
        if column is not None and value is not None:
            yield Comparison(column, operator, (value,), text)


def _child_expressions(part: exp.Expr, *names: str) -> list[exp.Expr]:
    return [part.args[name].unnest() for name in names]


def _column_name(part: exp.Expr) -> str | None:
    """Return the name of a column; None for other expressions, and for nested columns."""
    part = part.unnest()
    if isinstance(part, exp.Column) and not part.table and isinstance(part.this, exp.Identifier):
        return part.name
    return None


def _literal_value(part: exp.Expr) -> Value | None:
    """Return the value of a literal; None for NULL and other expressions."""
    part = part.unnest()
    if isinstance(part, exp.Neg) and isinstance(part.this, exp.Literal) and part.this.is_number:
        return _parse_number(f"-{part.this.name}")
    if isinstance(part, exp.Boolean):
        return bool(part.this)
    if isinstance(part, exp.Literal):
        return str(part.this) if part.is_string else _parse_number(part.name)
    if isinstance(part, exp.Cast) and part.is_type("date") and isinstance(part.this, exp.Literal):
        return _parse_date(part.this.name)
    return None


def _parse_number(text: str) -> Value | None:
    """Return a number with the type that Spark gives it: an exponent makes it a double."""
    try:
        if "e" in text.lower():
            return float(text)
        return Decimal(text) if "." in text else int(text)
    except (ValueError, ArithmeticError):
        return None


def _parse_date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
