"""Dataset lineage: datasets upstream and downstream of a dataset, from the FEEDS summary."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from lineage.database.binary_arrays import decode_optional_times, decode_times
from lineage.database.statements import StatementFile
from lineage.garbage import pause_collection
from lineage.query.edges import is_stale
from lineage.query.filters import ALL, FilterMatcher, Filters, Step, Traversal, prune
from lineage.query.names import resolve_dataset, resolve_job
from lineage.query.records import CollapsedPath, Dataset, Direction, Edge, Job, Node, Run, Trace

if TYPE_CHECKING:
    from lineage.query.session import Session


class TraceRow(NamedTuple):
    """The edges of a trace, its datasets and its jobs: a list for each column.

    ``tags``: those of each dataset, None if not queried. ``last_writes``: time of the last
    successful write of each job. ``run_ids`` and the columns after it: latest run of each job, None
    if it has no run. If no edge has a job, all columns of jobs are None. Times are arrays of
    PostgreSQL in binary format.
    """

    sources: list[int]
    targets: list[int]
    jobs: list[int | None]
    distances: list[int]
    upstream: list[bool]
    runs: list[int]
    first_seen: bytes
    last_seen: bytes
    declared: list[bool]
    confidences: list[float | None]
    datasets: list[int]
    dataset_namespaces: list[str]
    dataset_names: list[str]
    tags: list[list[str] | None]
    job_ids: list[int] | None
    job_namespaces: list[str]
    job_names: list[str]
    job_types: list[str | None]
    last_writes: bytes
    run_ids: list[str | None]
    run_states: list[str | None]
    run_times: bytes
    run_starts: bytes
    run_ends: bytes
    run_errors: list[str | None]


_SQL = StatementFile(__file__)
_SELECT_TRACE = _SQL.statement("select_trace", TraceRow, binary=True)
_EPOCH = datetime(2000, 1, 1)  # times are UTC


def trace_datasets(
    session: Session,
    name: str,
    direction: Direction = "upstream",
    depth: int | None = None,
    filters: Filters = ALL,
) -> Trace:
    """Trace a dataset; ``both`` combines upstream and downstream.

    Raises UsageError if ``filters.since`` is not a time, NotFound if a job of ``filters`` does not
    exist.
    """
    root = resolve_dataset(session, name)
    jobs = [resolve_job(session, job).id for job in filters.jobs]
    matcher = FilterMatcher.of_filters(filters, jobs)
    with pause_collection():
        row = session.fetch_one(
            _SELECT_TRACE,
            root=root.id,
            depth=depth,
            upstream=direction != "downstream",
            downstream=direction != "upstream",
            tags=bool(filters.tags),
            observed=filters.observed,
            min_confidence=filters.min_confidence,
        )
        pruned = prune(_read_traversal(root, depth, row, matcher), filters)
        nodes = tuple(Node(*node) for node in pruned.nodes)
    return Trace(
        root, direction, depth,
        nodes, pruned.edges,
        tuple(CollapsedPath(*way) for way in pruned.collapsed_paths),
        pruned.filtered_out, pruned.omitted, pruned.omitted_adjacent,
    )  # fmt: skip


def _read_traversal(
    root: Dataset, depth: int | None, row: TraceRow | None, matcher: FilterMatcher
) -> Traversal[Dataset, Edge]:
    """Build the complete trace; ``row`` is None if it has no edges."""
    if row is None:
        return Traversal(root, depth, [], {root.id: root}, {}, frozenset())
    datasets = {root.id: root}
    fitting = set()
    for dataset, tags in zip(
        map(Dataset, row.datasets, row.dataset_namespaces, row.dataset_names), row.tags, strict=True
    ):
        datasets[dataset.id] = dataset
        if matcher.matches_entity(dataset.namespace, tags):
            fitting.add(dataset.id)
    steps, texts = [], _Texts()
    jobs = _read_jobs(row, matcher, texts)
    for source, target, by, distance, upstream, runs, first, last, declared, sure in zip(
        row.sources, row.targets, row.jobs, row.distances, row.upstream, row.runs,
        decode_times(row.first_seen), decode_times(row.last_seen), row.declared, row.confidences,
        strict=True,
    ):  # fmt: skip
        known, latest, last_write, fits = jobs[by]
        seen = texts[last]
        edge = Edge(
            datasets[source],
            datasets[target],
            known,
            runs,
            texts[first],
            seen,
            latest,
            is_stale(runs, seen, last_write),
            declared,
            1.0 if sure is None else sure,
        )
        near, far = (target, source) if upstream else (source, target)
        steps.append(Step(near, far, distance, upstream, edge, fits and seen >= matcher.since))
    tied: dict[int, Dataset | Job] = {**datasets}
    tied.update((known.id, known) for known, *_ in jobs.values() if known)
    return Traversal(root, depth, steps, datasets, tied, frozenset(fitting))


def _read_jobs(
    row: TraceRow, matcher: FilterMatcher, texts: _Texts
) -> dict[int | None, tuple[Job | None, Run | None, str | None, bool]]:
    """Return jobs by id, with the latest run, the last write and whether the filters match."""
    # An edge without a job does not match a filter on jobs or types.
    jobs: dict[int | None, tuple[Job | None, Run | None, str | None, bool]] = {
        None: (None, None, None, not matcher.jobs and not matcher.types)
    }
    if row.job_ids is None:
        return jobs
    for job, type, last_write, run, state, time, start, end, error in zip(
        map(Job, row.job_ids, row.job_namespaces, row.job_names), row.job_types,
        decode_optional_times(row.last_writes), row.run_ids, row.run_states,
        decode_optional_times(row.run_times), decode_optional_times(row.run_starts),
        decode_optional_times(row.run_ends), row.run_errors, strict=True,
    ):  # fmt: skip
        fits = matcher.matches_job(job.id) and matcher.matches_type(type)
        last_run = None
        if run is not None:
            last_run = Run(run, state, texts.of(time), texts.of(start), texts.of(end), error)
        jobs[job.id] = job, last_run, texts.of(last_write), fits
    return jobs


class _Texts(dict[int, str]):
    """Times in the format of records, keyed by microseconds since 2000."""

    def __missing__(self, microseconds: int) -> str:
        time = _EPOCH + timedelta(microseconds=microseconds)
        text = self[microseconds] = f"{time.isoformat(timespec='microseconds')}Z"
        return text

    def of(self, microseconds: int | None) -> str | None:
        """Return the text of a time; None if there is none."""
        return None if microseconds is None else self[microseconds]
