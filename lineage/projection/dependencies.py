"""Dependencies between jobs that runs report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.database.binary_arrays import (
    bigint_array,
    define_columns,
    execute_rows,
    timestamptz_array,
)
from lineage.database.statements import StatementFile

if TYPE_CHECKING:
    import psycopg

    from lineage.events.merge import Batch
    from lineage.projection.rows import Ids

_SQL = StatementFile(__file__)
_MERGE = _SQL.statement("merge_dependencies")
_DEPENDENCY = define_columns(
    upstream=bigint_array, downstream=bigint_array, first=timestamptz_array, last=timestamptz_array
)


def merge_dependencies(conn: psycopg.Connection[Any], batch: Batch, ids: Ids) -> None:
    """Write the dependencies between jobs."""
    jobs = ids.entities.jobs
    rows = sorted(
        (jobs[upstream], jobs[downstream], seen.first, seen.last)
        for (upstream, downstream), seen in batch.dependencies.items()
    )
    execute_rows(conn, _MERGE, _DEPENDENCY, rows)
