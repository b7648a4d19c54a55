"""Impact of a change to a dataset or column: dependent datasets, jobs and owners."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lineage.query.archive import read_archive_since
from lineage.query.columns import trace_reported_columns
from lineage.query.display import Portable
from lineage.query.edges import by_name, read_edges_between
from lineage.query.impact_scope import ImpactScope
from lineage.query.names import resolve_dataset
from lineage.query.records import Dataset, Job, Run
from lineage.query.unreported import read_unreported

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lineage.query.archive import RunArchive
    from lineage.query.records import Column, ColumnEdge, Edge, NestedColumn, UnreportedColumns
    from lineage.query.session import Session

DAYS = 30

_WINDOW = """
SELECT lineage.iso8601(t.latest - make_interval(days => %s)), lineage.iso8601(t.latest)
FROM (SELECT lineage.latest_event_time() AS latest OFFSET 0) AS t
"""


@dataclass(frozen=True, slots=True)
class AffectedDataset:
    """A dataset downstream of the root. ``distance``: minimum number of edges from the root.

    ``columns``: affected columns if the root is a column; ``*`` means all of them.
    ``last_written``: by a run that did not fail. ``last_read``: by any run. ``writes``, ``reads``:
    numbers of such runs in the window of the result.
    """

    dataset: Dataset
    distance: int
    columns: tuple[str, ...]
    owners: tuple[str, ...]
    tags: tuple[str, ...]
    last_written: str | None
    last_read: str | None
    writes: int
    reads: int


@dataclass(frozen=True, slots=True)
class AffectedJob:
    """A job that reads the root or a dataset downstream of it, in runs or by its design.

    ``distance``: number of the step that the job performs; 1 if it reads the root. ``inputs``:
    those datasets. ``runs``: number of its runs in the window of the result. ``declared``: only
    its design reports that it reads them.
    """

    job: Job
    distance: int
    type: str | None
    owners: tuple[str, ...]
    tags: tuple[str, ...]
    inputs: tuple[Dataset, ...]
    last_run: Run | None
    runs: int
    declared: bool


@dataclass(frozen=True, slots=True)
class Owner:
    """An owner with the numbers of affected datasets and jobs; ``name`` None for unowned ones."""

    name: str | None
    datasets: int
    jobs: int


@dataclass(frozen=True, slots=True, repr=False)
class Impact(Portable):
    """Datasets and jobs that depend on ``root``, nearest and most used first, and their owners.

    Runs are counted from ``since``, that is ``window_days`` before the newest event, to ``until``;
    both are None if there are no events. ``itself``: dataset of the root. ``…_omitted``: numbers
    of entries over the limit. ``owners`` and ``datasets_in_use`` (number of datasets that a run
    read in the window) ignore the limit. ``edges``: those between the returned datasets.
    ``nested``: pairs of their ends of which one contains the other. ``unreported``: steps without
    column lineage, if the root is a column. ``archive``: the archive of runs, which are not
    counted, if it has runs of the window.
    """

    root: Dataset | Column
    depth: int | None
    window_days: int
    since: str | None
    until: str | None
    itself: AffectedDataset
    datasets: tuple[AffectedDataset, ...]
    datasets_omitted: int
    datasets_in_use: int
    jobs: tuple[AffectedJob, ...]
    jobs_omitted: int
    owners: tuple[Owner, ...]
    unreported: tuple[UnreportedColumns, ...]
    unreported_omitted: int
    edges: tuple[Edge, ...] | tuple[ColumnEdge, ...]
    nested: tuple[NestedColumn, ...] = ()
    archive: RunArchive | None = None


def find_impact(
    session: Session,
    name: str,
    column: str | None = None,
    depth: int | None = None,
    *,
    window_days: int = DAYS,
    limit: int | None = None,
    observed: bool = False,
    min_confidence: float = 0,
) -> Impact:
    """Find the datasets, jobs and owners that depend on a dataset or on one of its columns.

    ``limit``: maximum number of datasets, of jobs and of unreported steps. ``observed``: ignore
    edges that only a design reports. ``min_confidence``: ignore declared edges below it; edges of
    columns have no confidence.
    """
    with session.snapshot():
        reach = _find_reach(session, name, column, depth, (observed, min_confidence))
        [(since, until)] = session.fetch_rows(_WINDOW, (window_days,))
        archive = read_archive_since(session, since)
        datasets = reach.affected_datasets(session, since, limit)
        jobs = reach.affected_jobs(session, since, limit)
        columns = reach.affected_columns()
        itself, *affected = (_read_dataset(row, columns) for row in datasets.rows)
        edges = _read_edges_between(session, reach, (itself, *affected))
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
        jobs=tuple(_read_job(row) for row in jobs.rows),
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
    return AffectedDataset(
        dataset, distance, columns.get(id, ()), tuple(owners), tuple(tags or ()), *used
    )


def _read_job(row: Sequence[Any]) -> AffectedJob:
    id, namespace, name, distance, kind, owners, tags, inputs, run, runs, declared = row
    read = sorted((Dataset(*each) for each in inputs), key=str)
    return AffectedJob(
        Job(id, namespace, name), distance, kind, tuple(owners), tuple(tags or ()), tuple(read),
        Run(*run) if run else None, runs, declared,
    )  # fmt: skip


def _count_owners(
    datasets: Mapping[str | None, int], jobs: Mapping[str | None, int]
) -> tuple[Owner, ...]:
    """Count entities by owner, the largest count first and unowned ones last."""
    owners = [
        Owner(name, datasets.get(name, 0), jobs.get(name, 0)) for name in {**datasets, **jobs}
    ]
    return tuple(sorted(owners, key=lambda o: (o.name is None, -o.datasets - o.jobs, o.name or "")))
