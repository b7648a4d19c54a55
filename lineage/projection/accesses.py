"""Accesses of runs to datasets, and edges that can be written from one access alone."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, TypeAlias

from lineage.database.binary_arrays import (
    bigint_array,
    boolean_array,
    define_columns,
    execute_rows,
    optional_numbers,
    text_array,
    timestamptz_array,
)
from lineage.database.statements import StatementFile
from lineage.projection import copy
from lineage.projection.facets import as_json
from lineage.projection.rows import WrittenAccesses

if TYPE_CHECKING:
    from collections.abc import Sequence

    import psycopg

    from lineage.events.merge import Batch
    from lineage.projection.rows import Ids

    # Run, job, dataset, is_output, first and last time, facets; and the canonical dataset, if the
    # access is the only one of its run, dataset and direction.
    Row: TypeAlias = tuple[int, int, int, bool, str, str, str, int | None]

_SQL = StatementFile(__file__)
_MERGE = _SQL.statement("merge_accesses")
_WRITE_EDGES = _SQL.statement("write_edges_of_accesses")
_ADD_JOBS = _SQL.statement("add_jobs_of_datasets")
_ADD_EXPLICIT = _SQL.statement("add_explicit_sources")
_ACCESS = define_columns(
    runs=bigint_array,
    jobs=bigint_array,
    datasets=bigint_array,
    outputs=boolean_array,
    first=timestamptz_array,
    last=timestamptz_array,
    facets=text_array,
    canonical=optional_numbers,
)
_EXPLICIT = define_columns(runs=bigint_array, datasets=bigint_array)
_DATASET_JOB = define_columns(datasets=bigint_array, outputs=boolean_array, jobs=bigint_array)


def write_accesses(conn: psycopg.Connection[Any], batch: Batch, ids: Ids) -> WrittenAccesses:
    """Write the accesses of runs, and the jobs of each dataset.

    The edges of a new run are written from the same rows, because no other transaction can have
    written accesses of it.
    """
    canonical = ids.entities.canonical
    rows = _rows_of(batch, ids)
    new, others = copy.split_new(rows, ids.runs.existing)
    copy.copy_accesses(conn, new)
    _write_edges(conn, new)
    execute_rows(conn, _MERGE, _ACCESS, others)
    pairs = {(dataset, output, job) for _, job, dataset, output, *_ in rows}
    execute_rows(conn, _ADD_JOBS, _DATASET_JOB, sorted(pairs))
    keys = [(run, job, canonical[dataset], output) for run, job, dataset, output, *_ in rows]
    return WrittenAccesses(keys, {run for run, *_, sole in rows if sole is None})


def _rows_of(batch: Batch, ids: Ids) -> list[Row]:
    """Return a row for each access of a batch, sorted."""
    runs, jobs, existing = ids.runs.ids, ids.entities.jobs, ids.runs.existing
    datasets, canonical = ids.entities.datasets, ids.entities.canonical
    rows: list[tuple[Any, ...]] = [
        (
            runs[run_id],
            jobs[job],
            datasets[dataset],
            is_output,
            seen.first,
            seen.last,
            as_json(seen),
        )
        for (run_id, job), work in batch.executions.items()
        for (dataset, is_output), seen in work.accesses.items()
    ]
    rows.sort()
    # An edge is written with its access if no other access can contribute to the edge.
    parts = Counter((run, canonical[dataset], output) for run, _, dataset, output, *_ in rows)
    placed = []
    for row in rows:
        run, _, dataset, is_output, _, _, _ = row
        vertex = canonical[dataset]
        is_sole = run not in existing and parts[run, vertex, is_output] == 1
        placed.append((*row, vertex if is_sole else None))
    return placed


def _write_edges(conn: psycopg.Connection[Any], rows: Sequence[Row]) -> None:
    """Write the edges that consist of exactly one access."""
    inputs, outputs, others = [], [], []
    for row in rows:
        run, _, _, is_output, first, last, facets, canonical = row
        if canonical is None:
            continue
        if facets != "{}":  # the edge has properties besides its time
            others.append(row)
        elif is_output:
            outputs.append((run, canonical, last))
        else:
            inputs.append((run, canonical, first))
    copy.copy_input_edges(conn, inputs)
    copy.copy_output_edges(conn, outputs)
    execute_rows(conn, _WRITE_EDGES, _ACCESS, others)


def add_explicit_sources(conn: psycopg.Connection[Any], batch: Batch, ids: Ids) -> None:
    """Record datasets that runs name only in lineage facets; these may be reassigned."""
    rows = sorted(
        (ids.runs.ids[run_id], ids.entities.datasets[name])
        for run_id, names in batch.explicit.items()
        for name in names
    )
    execute_rows(conn, _ADD_EXPLICIT, _EXPLICIT, rows)
