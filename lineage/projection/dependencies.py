"""Dependencies between jobs that runs report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.database.binary_arrays import define_columns, execute_rows, moments, numbers
from lineage.database.statements import StatementFile

if TYPE_CHECKING:
    import psycopg

    from lineage.events.merge import Batch
    from lineage.projection.rows import Ids

_SQL = StatementFile(__file__)
_MERGE = _SQL.statement("merge_dependencies")
_DEPENDENCY = define_columns(upstream=numbers, downstream=numbers, first=moments, last=moments)


def merge_dependencies(conn: psycopg.Connection[Any], batch: Batch, ids: Ids) -> None:
    """Write on which jobs others depend."""
    jobs = ids.entities.jobs
    rows = sorted(
        (jobs[upstream], jobs[downstream], seen.first, seen.last)
        for (upstream, downstream), seen in batch.dependencies.items()
    )
    execute_rows(conn, _MERGE, _DEPENDENCY, rows)
