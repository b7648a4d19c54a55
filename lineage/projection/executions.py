"""Executions (runs of jobs), and the parents of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from lineage.database.binary_arrays import (
    bigint_array,
    define_columns,
    execute_rows,
    timestamptz_array,
)
from lineage.database.statements import StatementFile
from lineage.projection import copy
from lineage.projection.edges import write_parent_edges

if TYPE_CHECKING:
    from collections.abc import Set

    import psycopg

    from lineage.events.merge import Batch
    from lineage.projection.rows import Ids, Periods

    Row: TypeAlias = tuple[int, int, str | None, str | None]


class ExecutionKey(NamedTuple):
    """An execution: a run of a job."""

    run: int
    job: int


class ExecutionRow(NamedTuple):
    """An execution with first and last time; null if the run is only named as a parent."""

    run: int
    job: int
    first: str | None
    last: str | None


_SQL = StatementFile(__file__)
_SELECT = _SQL.tuples("select_executions", ExecutionKey)
_MERGE = _SQL.tuples("merge_executions", ExecutionRow)
_KEY = define_columns(runs=bigint_array, jobs=bigint_array)
_EXECUTION = define_columns(**_KEY, first=timestamptz_array, last=timestamptz_array)


def merge_executions(conn: psycopg.Connection[Any], batch: Batch, ids: Ids) -> Periods:
    """Write the executions of the batch and the parents of runs.

    Return first and last time, over all their events, of the executions that the batch reports.
    """
    runs, jobs, existing = ids.runs.ids, ids.entities.jobs, ids.runs.existing
    rows = sorted(
        (runs[run_id], jobs[job], work.first, work.last)
        for (run_id, job), work in batch.executions.items()
    )
    new, others = copy.split_new(_without_existing_parents(conn, rows, existing), existing)
    copy.copy_executions(conn, new)
    merged = execute_rows(conn, _MERGE, _EXECUTION, others)
    write_parent_edges(conn, ((runs[child], runs[parent]) for child, parent in batch.parents))
    # Executions without times are parents named by other runs.
    periods = {(run, job): (first, last) for run, job, first, last in rows if first and last}
    for run, job, first, last in merged:
        if (run, job) in periods:
            periods[run, job] = first, last
    return periods


def _without_existing_parents(
    conn: psycopg.Connection[Any], rows: list[Row], existing: Set[int]
) -> list[Row]:
    """Omit existing parents without new values: many runs name them, and all would lock them."""
    parents = [(run, job) for run, job, first, _ in rows if first is None and run in existing]
    if not parents:
        return rows
    there = set(execute_rows(conn, _SELECT, _KEY, parents))
    return [
        (run, job, first, last)
        for run, job, first, last in rows
        if first or (run, job) not in there
    ]
