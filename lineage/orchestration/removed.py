"""Jobs whose nodes were removed from their project of dbt: they are part of the past only."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lineage.database.statements import StatementFile

if TYPE_CHECKING:
    from lineage.orchestration.accesses import JobAccesses
    from lineage.query.session import Session


class RemovedRow(NamedTuple):
    """A job whose node was removed, and that has not run since."""

    id: int


_SQL = StatementFile(__file__)
_SELECT_REMOVED = _SQL.statement("select_removed_jobs", RemovedRow)


def remove_ended(session: Session, accesses: JobAccesses) -> None:
    """Find the units to be left out of the order because their nodes were removed.

    Their commands would select nothing, or a node that has another relation now.
    """
    units = sorted(accesses.all_jobs | accesses.failed)
    accesses.removed.update(row.id for row in session.fetch(_SELECT_REMOVED, ids=units))
    accesses.failed.difference_update(accesses.removed)
