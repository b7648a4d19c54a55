"""Job lineage: jobs upstream and downstream of a job or a dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.statements import StatementFile
from lineage.errors import UsageError
from lineage.query.arguments import need_direction
from lineage.query.filters import ALL, FilterMatcher, Filters
from lineage.query.names import resolve_job_or_dataset
from lineage.query.pruning import Steps, Traversal, prune
from lineage.query.records import CollapsedPath, Dataset, Job, JobEdge, JobNode, JobTrace, OneWay

if TYPE_CHECKING:
    from lineage.query.session import Session


class JobEdgeRow(NamedTuple):
    """A step, a dataset or a job, by ``kind``.

    A dataset or job has its id in ``source``, its namespace in ``written`` and its name in
    ``read``. A job has its type in ``depended``.
    """

    kind: str
    source: int | None
    dataset: int | None
    target: int | None
    distance: int | None
    stale: bool | None
    written: str | None
    read: str | None
    depended: str | None
    declared: bool | None
    tags: list[str] | None


_SQL = StatementFile(__file__)
_SELECT_EDGES = _SQL.tuples("select_job_edges", JobEdgeRow)


def trace_jobs(
    session: Session,
    name: str,
    direction: OneWay = "upstream",
    depth: int | None = None,
    filters: Filters = ALL,
) -> JobTrace:
    """Trace the jobs upstream or downstream of a job or a dataset.

    A name that matches both resolves to the job if it is the full name of the job. Raises
    UsageError if ``filters.since`` is not a time or ``filters.jobs`` is set: in a trace of jobs,
    edges have no job.
    """
    need_direction(direction)
    if filters.jobs:
        raise UsageError("A trace of jobs cannot be filtered by job.", "Trace that job instead.")
    root = resolve_job_or_dataset(session, name)
    matcher = FilterMatcher.of_filters(filters)
    rows = session.fetch(
        _SELECT_EDGES,
        root=root.id,
        direction=direction,
        depth=depth,
        observed=filters.observed,
        min_confidence=filters.min_confidence,
        tags=bool(filters.tags),
    )
    pruned = prune(_read_traversal(root, direction, depth, rows, matcher), filters)
    return JobTrace(
        root, direction, depth,
        tuple(JobNode(*node) for node in pruned.nodes), pruned.edges,
        tuple(CollapsedPath(*way) for way in pruned.collapsed_paths),
        pruned.filtered_out, pruned.omitted, pruned.omitted_adjacent,
    )  # fmt: skip


def _read_traversal(
    root: Job | Dataset,
    direction: OneWay,
    depth: int | None,
    rows: list[tuple[Any, ...]],
    matcher: FilterMatcher,
) -> Traversal[Job | Dataset, JobEdge]:
    """Build the complete trace from ``rows`` of _SELECT_EDGES."""
    datasets = {id: Dataset(id, *cells[4:6]) for kind, id, *cells in rows if kind == "dataset"}
    jobs: dict[int | None, Job] = {}
    fitting = set()
    for kind, id, *cells in rows:
        if kind == "job":
            job = jobs[id] = Job(id, *cells[4:6])
            if matcher.matches_entity(job.namespace, cells[8]) and matcher.matches_type(cells[6]):
                fitting.add(id)
    steps = []
    is_upstream = direction == "upstream"
    for kind, source, dataset, target, distance, *flags, _ in rows:
        if kind == "step":
            stale, written, read, depended, declared = flags
            edge = JobEdge(
                jobs.get(source), jobs.get(target), datasets.get(dataset), written, read, stale,
                depended, declared,
            )  # fmt: skip
            near, far = (target, source) if is_upstream else (source, target)
            ids, fits = (source, target, dataset), edge.last_seen >= matcher.since
            steps.append((edge, far, distance, ids, near or root.id, is_upstream, fits))
    entities: dict[int, Job | Dataset] = {job.id: job for job in jobs.values()}
    tied = {**datasets, **entities}
    columns: Steps[JobEdge] = Steps(*zip(*steps, strict=True))
    return Traversal(root, depth, columns, {root.id: root, **entities}, tied, frozenset(fitting))
