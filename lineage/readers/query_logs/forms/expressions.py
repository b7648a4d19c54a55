"""Expressions of PL/pgSQL, which auto_explain and pgaudit log as they are in the body."""

from __future__ import annotations

import re

# The target of an assignment: a variable, a field or an element.
_ASSIGNMENT = re.compile(r"\s*(?:[\w$]+|\"[^\"]+\")(?:\.[\w$]+|\[[^\]]*\])*\s*:?=(?!=)\s*")
_STATEMENT = re.compile(
    r"\s*(?:--|/\*|(?:SELECT|WITH|VALUES|TABLE|INSERT|UPDATE|DELETE|MERGE|COPY|CREATE|ALTER|DROP"
    r"|TRUNCATE|REFRESH|CALL|DO|EXECUTE|PREPARE|DEALLOCATE|DECLARE|FETCH|MOVE|CLOSE|EXPLAIN|SET"
    r"|RESET|SHOW|DISCARD|COMMIT|ROLLBACK|BEGIN|START|END|SAVEPOINT|RELEASE|LOCK|ANALYZE|VACUUM"
    r"|CLUSTER|REINDEX|COMMENT|GRANT|REVOKE|SECURITY|IMPORT|LISTEN|NOTIFY|UNLISTEN|LOAD"
    r"|CHECKPOINT|REASSIGN|ABORT)\b)",
    re.IGNORECASE,
)


def complete_expression(text: str) -> str:
    """Return the query by which PL/pgSQL computes an expression; a statement as it is."""
    if match := _ASSIGNMENT.match(text):
        return "SELECT " + text[match.end() :]
    return text if _STATEMENT.match(text) else "SELECT " + text
