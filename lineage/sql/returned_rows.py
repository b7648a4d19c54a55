"""Whether a statement returns rows to its caller: queries, changes with RETURNING or OUTPUT."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lineage.sql.cursor import Cursor
from lineage.sql.dialects import TSQL
from lineage.sql.tsql import prepare_change

if TYPE_CHECKING:
    from lineage.sql.records import Statement

# SELECT @x = …: no query in another one assigns variables.
_ASSIGNMENT = re.compile(
    r"(?i)\bSELECT\s+(?:(?:ALL|DISTINCT)\s+)?(?:TOP\s*\(?\s*[\w@?]+\s*\)?\s+)?@\w+\s*[-+*/%&|^]?="
)


def returns_rows(statement: Statement, dialect: str) -> bool:
    """Return whether a statement returns rows; an assignment of T-SQL returns none."""
    if statement.kind != "SELECT":
        return returns_changes(statement, dialect)
    return dialect not in TSQL or _ASSIGNMENT.search(statement.shape) is None


def returns_changes(statement: Statement, dialect: str) -> bool:
    """Return whether a statement returns the rows that it changes."""
    shape = statement.shape
    if not statement.flows:
        return False
    if dialect in TSQL:
        prepared = prepare_change(shape, dialect) if "OUTPUT" in shape.upper() else None
        return prepared is not None and any(each.target is None for each in prepared.outputs)
    return "RETURNING" in shape.upper() and Cursor(shape, dialect).skip_to("RETURNING")
