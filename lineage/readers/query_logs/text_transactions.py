"""The transaction of a text of several statements, which PostgreSQL executes as one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.sql.dialects import POSTGRES_FAMILY

if TYPE_CHECKING:
    from lineage.readers.query_logs.stored_rows import LoadedRow


def undone_in_text(loaded: LoadedRow) -> set[int]:
    """Return the numbers of the statements that a ROLLBACK in their own text undoes.

    They are in a transaction also without BEGIN, and a BEGIN after them does not end it.
    """
    undone: set[int] = set()
    if loaded.row.dialect not in POSTGRES_FAMILY:
        return undone
    start = 0
    for number, statement in enumerate(loaded.statements):
        if statement.transaction == "rollback":
            undone.update(range(start, number))
        if statement.transaction in ("commit", "rollback"):
            start = number + 1
    return undone
