"""DECLARED edges: pairs of datasets or columns that a design reports and no run produced.

A batch that reports designs or reassigns names is projected under the exclusive lock. The edges of
all its designs are rewritten as a whole. In other batches, runs may begin or cease to produce a
declared pair: then the edge of the design is deleted or restored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.binary_arrays import (
    bigint_array,
    boolean_array,
    define_columns,
    execute_rows,
    float_array,
    optional_numbers,
    text_array,
    timestamptz_array,
)
from lineage.database.statements import StatementFile
from lineage.projection import column_mappings
from lineage.projection.rows import EdgePair, list_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    import psycopg

    from lineage.events.designs import Statement
    from lineage.events.merge import Batch
    from lineage.projection.rows import Ids, Reassignment

    Connection = psycopg.Connection[Any]


class DeclaredPair(NamedTuple):
    """A pair that a design declares. ``holder``: the job or dataset of the design."""

    source: int
    target: int
    holder: int


_SQL = StatementFile(__file__)
_MERGE_DESIGNS = _SQL.statement("merge_designs")
_MERGE_SOURCES = _SQL.statement("merge_design_sources")
_MERGE_ACCESSES = _SQL.statement("merge_design_accesses")
_MERGE_MAPPINGS = _SQL.statement("merge_design_mappings")
_SELECT_HOLDERS = _SQL.statement("select_holders", int)
_SELECT_CANONICAL = _SQL.statement("select_canonical_holders", int)
_DELETE = _SQL.statement("delete_declared", EdgePair)
_ADD = _SQL.statement("add_declared", EdgePair)
_ADD_COLUMNS = _SQL.statement("add_declared_columns")
_WRITE = _SQL.statement("write_declared_edges")
_WRITE_COLUMNS = _SQL.statement("write_declared_column_edges")
_MARK_FEEDS = _SQL.statement("mark_feeds")
_LOCK = _SQL.statement("lock_declared", DeclaredPair)
_RESTORE = _SQL.statement("restore_declared")

_DESIGN = define_columns(holders=bigint_array, jobs=optional_numbers, revisions=text_array)
_TIMES = define_columns(first=timestamptz_array, last=timestamptz_array, revisions=text_array)
_SOURCE = define_columns(
    holders=bigint_array,
    sources=bigint_array,
    targets=bigint_array,
    **_TIMES,
    confidences=float_array,
)
_ACCESS = define_columns(
    holders=bigint_array,
    datasets=bigint_array,
    outputs=boolean_array,
    **_TIMES,
    confidences=float_array,
)
_MAPPING = define_columns(
    holders=bigint_array, targets=bigint_array, mappings=bigint_array, **_TIMES
)


def apply_designs(conn: Connection, batch: Batch, ids: Ids, moved: Reassignment) -> None:
    """Write the designs of the batch; rewrite their edges and those of reassigned names.

    Fields must have been written, and FEEDS must include the runs of the batch.
    """
    if not batch.designs and not moved.new:
        return
    named = _merge_designs(conn, batch, ids)
    if moved.new:
        named.update(_SELECT_HOLDERS.fetch(conn, names=sorted(moved.new)))
    canonical = set(_SELECT_CANONICAL.fetch(conn, holders=sorted(named)))
    if not (holders := sorted(canonical.union(moved.old.values()))):
        return
    changed = _DELETE.fetch(conn, holders=holders)
    changed += _ADD.fetch(conn, holders=holders)
    _ADD_COLUMNS.execute(conn, holders=holders)
    _WRITE.execute(conn, holders=holders)
    _WRITE_COLUMNS.execute(conn, holders=holders)
    if changed:
        sources, targets = _pairs_of(changed)
        _MARK_FEEDS.execute(conn, sources=sources, targets=targets)


def restore_declared(conn: Connection, gone: Sequence[EdgePair]) -> None:
    """Restore the DECLARED edges of pairs that no run produces any more."""
    sources, targets = _pairs_of(gone)
    if locked := _LOCK.fetch(conn, sources=sources, targets=targets):
        sources, targets, holders = list_columns(locked)
        _RESTORE.execute(conn, sources=sources, targets=targets, holders=holders)


def _merge_designs(conn: Connection, batch: Batch, ids: Ids) -> set[int]:
    """Write the designs of the batch, and return their holders."""
    jobs, datasets = ids.entities.jobs, ids.entities.datasets
    designs = {
        (jobs if of_job else datasets)[name]: (of_job, design)
        for (of_job, name), design in batch.designs.items()
    }
    rows = [(id, id if of_job else None, each.revision) for id, (of_job, each) in designs.items()]
    execute_rows(conn, _MERGE_DESIGNS, _DESIGN, sorted(rows))
    accesses = [
        (id, datasets[name], output, *_columns_of(seen))
        for id, (_, design) in designs.items()
        for (name, output), seen in design.accesses.items()
    ]
    execute_rows(conn, _MERGE_ACCESSES, _ACCESS, sorted(accesses))
    sources = [
        (id, datasets[source], datasets[target], *_columns_of(seen))
        for id, (_, design) in designs.items()
        for (source, target), seen in design.sources.items()
    ]
    execute_rows(conn, _MERGE_SOURCES, _SOURCE, sorted(sources))
    known = column_mappings.mapping_ids_of(
        conn, [key for _, each in designs.values() for key in each.columns]
    )
    mappings = [
        (id, datasets[target], known[target, digest], seen.first, seen.last, seen.revision)
        for id, (_, design) in designs.items()
        for (target, digest), seen in design.columns.items()
    ]
    execute_rows(conn, _MERGE_MAPPINGS, _MAPPING, sorted(mappings))
    return set(designs)


def _columns_of(seen: Statement) -> tuple[str, str, str, float]:
    return seen.first, seen.last, seen.revision, seen.confidence


def _pairs_of(rows: Sequence[EdgePair]) -> list[list[int]]:
    """Return the sources and the targets of the distinct pairs."""
    return list_columns(sorted({(row.source, row.target) for row in rows}))
