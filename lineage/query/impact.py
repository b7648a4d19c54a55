"""Impact of a change to a dataset or column: dependent datasets, jobs and owners."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lineage.parameters import WINDOW_DAYS
from lineage.query.archive import read_archive_since
from lineage.query.arguments import need_in_range
from lineage.query.columns import trace_reported_columns
from lineage.query.edges import by_name, read_edges_between
from lineage.query.impact_records import AffectedDataset, AffectedJob, Impact, JobRead, Owner
from lineage.query.impact_scope import ImpactScope
from lineage.query.names import resolve_dataset
from lineage.query.records import Dataset, Edge, Job, Run
from lineage.query.stale_dependents import (
    find_stale_datasets,
    find_stale_datasets_of_columns,
    last_times_of_columns,
)
from lineage.query.unreported import read_unreported
from lineage.query.windows import window_of_days

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lineage.query.records import ColumnEdge, ColumnTrace, NestedColumn, UnreportedColumns
    from lineage.query.session import Session


def find_impact(
    session: Session,
    name: str,
    column: str | None = None,
    depth: int | None = None,
    *,
    window_days: int = WINDOW_DAYS,
    limit: int | None = None,
    observed: bool = False,
    min_confidence: float = 0,
) -> Impact:
    """Find the datasets, jobs and owners that depend on a dataset or on one of its columns.

    ``limit``: maximum number of datasets, of jobs and of unreported steps. ``observed``: ignore
    edges that only a design reports. ``min_confidence``: ignore declared edges below it; edges of
    columns have no confidence.
    """
    need_in_range(limit=limit, depth=depth, min_confidence=min_confidence)
    with session.snapshot():
        reach = _find_reach(session, name, column, depth, (observed, min_confidence))
        since, until = window_of_days(session, window_days)
        archive = read_archive_since(session, since)
        datasets = reach.affected_datasets(session, since, limit)
        jobs = reach.affected_jobs(session, since, limit)
        columns, of_columns = reach.affected_columns(), _reads_of_columns(reach.traced)
        itself, *affected = (_read_dataset(row, columns) for row in datasets.rows)
        edges = _read_edges_between(session, reach, (itself, *affected))
        affected = _mark_stale(session, reach, (itself, *affected), edges)[1:]
        unreported = _read_unreported(session, reach) if reach.traced else ()
    return Impact(
        root=reach.root,
        depth=depth,
        window_days=window_days,
        since=since,
        until=until,
        itself=itself,
        datasets=tuple(affected),
        datasets_omitted=datasets.count - len(affected),
        datasets_in_use=datasets.in_use,
        jobs=tuple(_read_job(row, of_columns) for row in jobs.rows),
        jobs_omitted=jobs.count - len(jobs.rows),
        owners=_count_owners(datasets.owned, jobs.owned),
        unreported=unreported[:limit],
        unreported_omitted=len(unreported[limit:]) if limit is not None else 0,
        edges=edges,
        nested=_nested_columns(reach, edges),
        archive=archive,
    )


def _find_reach(
    session: Session,
    name: str,
    column: str | None,
    depth: int | None,
    designs: tuple[bool, float],
) -> ImpactScope:
    observed, min_confidence = designs
    if column is None:
        return ImpactScope(resolve_dataset(session, name), depth, None, observed, min_confidence)
    traced = trace_reported_columns(session, name, column, "downstream", depth, observed=observed)
    return ImpactScope(traced.root, depth, traced, observed)


def _read_edges_between(
    session: Session, reach: ImpactScope, affected: Sequence[AffectedDataset]
) -> tuple[Edge, ...] | tuple[ColumnEdge, ...]:
    """Read the edges between the returned datasets."""
    distances = {each.dataset.id: each.distance for each in affected}
    if reach.traced:
        return tuple(
            edge
            for edge in reach.traced.edges
            if edge.source.dataset.id in distances and edge.target.dataset.id in distances
        )
    near = [id for id, distance in distances.items() if distance != reach.depth]
    edges = read_edges_between(
        session,
        near,
        list(distances),
        observed=reach.observed,
        min_confidence=reach.min_confidence,
    )
    return tuple(sorted(edges, key=lambda e: (distances[e.source.id], by_name(e))))


def _mark_stale(
    session: Session,
    reach: ImpactScope,
    affected: Sequence[AffectedDataset],
    edges: tuple[Edge, ...] | tuple[ColumnEdge, ...],
) -> list[AffectedDataset]:
    """Mark the datasets that only stale edges lead to, and add the times of column edges."""
    fed: Mapping[int, str | None]
    if reach.traced is None:
        fed = {each.dataset.id: each.last_fed for each in affected}
        between = [edge for edge in edges if isinstance(edge, Edge)]
        stale = find_stale_datasets(session, reach, list(fed), between)
    else:
        fed = last_times_of_columns(reach.traced)
        stale = find_stale_datasets_of_columns(reach.traced)
    return [
        replace(each, last_fed=fed.get(each.dataset.id), stale=each.dataset.id in stale)
        for each in affected
    ]


def _read_unreported(session: Session, reach: ImpactScope) -> tuple[UnreportedColumns, ...]:
    near = [id for id, distance in reach.dataset_distances().items() if distance != reach.depth]
    return read_unreported(session, near, "downstream", readers=True, observed=reach.observed)


def _nested_columns(
    reach: ImpactScope, edges: tuple[Edge, ...] | tuple[ColumnEdge, ...]
) -> tuple[NestedColumn, ...]:
    """Return the pairs of edge ends, or the root, of which one contains the other."""
    if not reach.traced:
        return ()
    ends = {end.id for edge in edges for end in (edge.source, edge.target)} | {reach.root.id}
    return tuple(each for each in reach.traced.nested if {each.column.id, each.within.id} <= ends)


def _read_dataset(row: Sequence[Any], columns: Mapping[int, tuple[str, ...]]) -> AffectedDataset:
    id, namespace, name, distance, owners, tags, *used = row
    dataset = Dataset(id, namespace, name)
    affected = columns.get(id, ())
    return AffectedDataset(dataset, distance, affected, tuple(owners), tuple(tags or ()), *used)


def _read_job(row: Sequence[Any], of_columns: Mapping[tuple[int, int], JobRead]) -> AffectedJob:
    id, namespace, name, distance, kind, owners, tags, inputs, run, *counted = row
    read = [
        of_columns.get((id, dataset[0])) or JobRead(Dataset(*dataset), *last)
        for dataset, *last in inputs
    ]
    read.sort(key=lambda each: str(each.dataset))
    return AffectedJob(
        Job(id, namespace, name), distance, kind, tuple(owners), tuple(tags or ()), tuple(read),
        Run(*run) if run else None, *counted,
    )  # fmt: skip


def _reads_of_columns(trace: ColumnTrace | None) -> dict[tuple[int, int], JobRead]:
    """Return the last reads of the columns that a trace follows, by job and dataset."""
    edges: dict[tuple[int, int], list[ColumnEdge]] = defaultdict(list)
    for edge in trace.edges if trace else ():
        if edge.job:
            edges[edge.job.id, edge.source.dataset.id].append(edge)
    return {
        key: JobRead(
            group[0].source.dataset,
            max((edge.last_seen for edge in group if edge.runs and edge.last_seen), default=None),
            all(edge.stale for edge in group),
        )
        for key, group in edges.items()
    }


def _count_owners(
    datasets: Mapping[str | None, int], jobs: Mapping[str | None, int]
) -> tuple[Owner, ...]:
    """Count entities by owner, the largest count first and unowned ones last."""
    owners = [
        Owner(name, datasets.get(name, 0), jobs.get(name, 0)) for name in {**datasets, **jobs}
    ]
    return tuple(sorted(owners, key=lambda o: (o.name is None, -o.datasets - o.jobs, o.name or "")))
