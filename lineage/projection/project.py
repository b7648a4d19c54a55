"""Project logged events to facts, summaries and graph: a fixed number of statements per batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.database.writer_lock import acquire_lock
from lineage.projection import aliases, derives, feeds
from lineage.projection import deferred as deferral
from lineage.projection.accesses import add_explicit_sources, write_accesses
from lineage.projection.archived_runs import omit_archived
from lineage.projection.assets import apply_assets
from lineage.projection.column_mappings import write_column_mappings
from lineage.projection.declared import apply_designs
from lineage.projection.dependencies import merge_dependencies
from lineage.projection.edges import write_access_edges
from lineage.projection.entities import merge_entities, resolve_entities
from lineage.projection.executions import merge_executions
from lineage.projection.fields import write_fields
from lineage.projection.rows import Ids
from lineage.projection.runs import compare_runs, merge_runs, resolve_runs, update_contributing
from lineage.projection.transaction import NeedsExclusiveLock, prepare_transaction
from lineage.projection.vertices import write_dataset_vertices

if TYPE_CHECKING:
    import psycopg

    from lineage.events.merge import Batch
    from lineage.projection.rows import Reassignment


def project_batch(
    conn: psycopg.Connection[Any],
    batch: Batch,
    *,
    exclusive: bool = False,
    deferred: bool = False,
    is_rebuild: bool = False,
) -> None:
    """Apply ``batch`` to facts, summaries and graph, inside the caller's transaction.

    If ``deferred``, contributions to the summaries are stored if possible; the caller adds them by
    ``deferred.finish_summaries``. Unless ``is_rebuild``, events of archived runs are omitted, and
    their number is stored.

    Rows are locked in one global order, so that no writers wait for each other in a cycle; see
    docs/explanation/projection.md. The row of a run is locked before its contribution is read.
    Therefore, two writers of two halves of one run cannot both miss the other half.

    Raises NeedsExclusiveLock if the batch changes the canonical dataset of an alias or reports a
    design or a graph model; the caller rolls back and retries with ``exclusive=True``.
    """
    batch = _prepare_batch(conn, batch, exclusive=exclusive, is_rebuild=is_rebuild)
    # 1. Resolve names to ids; insert new datasets, jobs and runs.
    ids = Ids(resolve_entities(conn, batch), resolve_runs(conn, batch))
    # 2. Lock and merge existing runs. No other transaction can then change their contribution.
    claims = aliases.record_claims(conn, batch, ids) if exclusive else []
    merged = merge_runs(conn, batch, ids)
    periods = merge_executions(conn, batch, ids)
    # 3. Aliases. Canonical ids change only under the exclusive lock.
    deferral.add_before(conn, claims)
    moved = aliases.reassign_aliases(conn, claims)
    changes = compare_runs(conn, batch, ids, merged, moved)
    # 4. Read the counted contributions before the facts change.
    feeds_before = feeds.read_before(conn, batch, ids, changes, moved)
    derives_before = derives.read_before(conn, batch, ids, changes, moved)
    # 5. Facts. Existing datasets and jobs, which all writers share, are locked last.
    aliases.move_facts(conn, moved)
    ids = ids.after_reassignment(moved)
    accesses = write_accesses(conn, batch, ids)
    add_explicit_sources(conn, batch, ids)
    mappings = write_column_mappings(conn, batch, ids, moved)
    update_contributing(conn, changes)
    merge_entities(conn, batch, ids)
    if not exclusive and aliases.record_claims(conn, batch, ids):
        raise NeedsExclusiveLock
    # 6. Graph: dataset vertices, edges of runs, fields.
    schemas = write_dataset_vertices(
        conn, {*ids.entities.canonical.values(), *moved.changed_datasets}
    )
    write_access_edges(conn, {*accesses.runs_to_rewrite, *moved.runs})
    write_fields(conn, mappings.new_columns, schemas, moved.changed_datasets)
    # 7. and 8. Summaries: the difference between before and after, with their edges.
    feeds_after = feeds.read_after(conn, feeds_before, accesses, periods, changes)
    feeds.apply_difference(conn, feeds_before, feeds_after, deferred=deferred)
    derives_after = derives.read_after(conn, derives_before, mappings, periods, changes)
    derives.apply_difference(conn, derives_before, derives_after, deferred=deferred)
    # 9. Facts that do not depend on accesses.
    _write_other_facts(conn, batch, ids, moved)


def _prepare_batch(
    conn: psycopg.Connection[Any], batch: Batch, *, exclusive: bool, is_rebuild: bool
) -> Batch:
    """Lock and prepare the transaction; return the batch without events of archived runs."""
    acquire_lock(conn, exclusive=exclusive)
    # After the lock, because runs are archived under the exclusive lock.
    if prepare_transaction(conn) and not is_rebuild:
        batch = omit_archived(conn, batch)
    # Designs are compared with accesses of runs, edges of graph models with their nodes; other
    # transactions may be writing both.
    has_others = batch.designs or batch.assets
    if not exclusive and (has_others or aliases.may_change(conn, batch.aliases)):
        raise NeedsExclusiveLock
    return batch


def _write_other_facts(
    conn: psycopg.Connection[Any], batch: Batch, ids: Ids, moved: Reassignment
) -> None:
    """Write dependencies between jobs, designs and graph models."""
    merge_dependencies(conn, batch, ids)
    apply_designs(conn, batch, ids, moved)
    apply_assets(conn, batch, ids, moved)
