"""Dataset lineage: datasets upstream and downstream of a dataset, from the FEEDS summary."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import chain, repeat, starmap
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.binary_arrays import decode_optional_times, decode_times
from lineage.database.statements import StatementFile
from lineage.garbage import pause_collection
from lineage.openlineage.timestamps import of_datetime
from lineage.query.arguments import need_direction
from lineage.query.edges import is_stale
from lineage.query.filters import ALL, FilterMatcher, Filters
from lineage.query.names import resolve_dataset, resolve_job
from lineage.query.pruning import Steps, Traversal, prune
from lineage.query.records import CollapsedPath, Dataset, Direction, Edge, Job, Node, Run, Trace

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lineage.query.session import Session


class StepRow(NamedTuple):
    """The edges of one distance and direction: a list for each column.

    Times are arrays of PostgreSQL in binary format.
    """

    upstream: bool
    distance: int
    sources: list[int]
    targets: list[int]
    jobs: list[int | None]
    runs: list[int]
    first_seen: bytes
    last_seen: bytes
    declared: list[bool]
    confidences: list[float | None]


class TraceRow(NamedTuple):
    """The edges of a trace, its datasets and its jobs: a list for each column.

    ``steps``: columns of ``StepRow``. ``rewritten``: targets that a run wrote after the newest run
    of its job that showed an edge to it, with their jobs and the times of their last successful
    writes; None if there are none. ``tags``: those of each dataset, None if not queried.
    ``run_ids`` and the columns after it: latest run of each job, None if it has no run. If no edge
    has a job, all columns of jobs are None. Times are arrays of PostgreSQL in binary format.
    """

    steps: list[tuple[Any, ...]]
    rewritten: list[int]
    rewriting_jobs: list[int | None]
    last_writes: bytes | None
    datasets: list[int]
    dataset_namespaces: list[str]
    dataset_names: list[str]
    tags: list[list[str] | None]
    job_ids: list[int] | None
    job_namespaces: list[str]
    job_names: list[str]
    job_types: list[str | None]
    run_ids: list[str | None]
    run_states: list[str | None]
    run_times: bytes
    run_starts: bytes
    run_ends: bytes
    run_errors: list[str | None]


_SQL = StatementFile(__file__)
_SELECT_TRACE = _SQL.statement("select_trace", TraceRow, binary=True)
_ENDS_AND_COUNTS = attrgetter("sources", "targets", "jobs", "runs", "declared", "confidences")
_TIMES = attrgetter("first_seen", "last_seen")
_EPOCH = datetime(2000, 1, 1)  # times are UTC


def trace_datasets(
    session: Session,
    name: str,
    direction: Direction = "upstream",
    depth: int | None = None,
    filters: Filters = ALL,
) -> Trace:
    """Trace a dataset; ``both`` combines upstream and downstream.

    Raises UsageError if the direction is unknown or ``filters.since`` is not a time, NotFound if a
    job of ``filters`` does not exist.
    """
    need_direction(direction, both=True)
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
        return Traversal(root, depth, Steps(), {root.id: root}, {}, frozenset())
    listed = list(map(Dataset, row.datasets, row.dataset_namespaces, row.dataset_names))
    datasets = {root.id: root, **{dataset.id: dataset for dataset in listed}}
    fitting = {
        dataset.id
        for dataset, tags in zip(listed, row.tags, strict=True)
        if matcher.matches_entity(dataset.namespace, tags)
    }
    texts = _Texts()
    jobs = _read_jobs(row, matcher, texts)
    steps = _read_steps(row, datasets, jobs, texts, matcher)
    tied: dict[int, Dataset | Job] = {**datasets}
    tied.update((each.job.id, each.job) for each in jobs.values() if each.job)
    return Traversal(root, depth, steps, datasets, tied, frozenset(fitting))


def _read_steps(
    row: TraceRow,
    datasets: Mapping[int, Dataset],
    jobs: Mapping[int | None, _TracedJob],
    texts: _Texts,
    matcher: FilterMatcher,
) -> Steps[Edge]:
    """Build the steps column by column."""
    steps = list(starmap(StepRow, row.steps))
    sources, targets, job_ids, runs, declared, confidences = (
        list(chain.from_iterable(column))
        for column in zip(*map(_ENDS_AND_COUNTS, steps), strict=True)
    )
    first_seen, last_seen = (
        [texts[time] for times in column for time in decode_times(times)]
        for column in zip(*map(_TIMES, steps), strict=True)
    )
    upstream = [each for step in steps for each in repeat(step.upstream, len(step.sources))]
    traced = [jobs[id] for id in job_ids]
    edges = map(
        Edge,
        [datasets[id] for id in sources],
        [datasets[id] for id in targets],
        [each.job for each in traced],
        runs,
        first_seen,
        last_seen,
        [each.last_run for each in traced],
        _read_stale(row, zip(targets, job_ids, strict=True), runs, last_seen, texts),
        declared,
        [1.0 if sure is None else sure for sure in confidences],
    )
    fits = zip(traced, last_seen, strict=True)
    ends = list(zip(sources, targets, upstream, strict=True))
    return Steps(
        list(edges),
        far=[source if up else target for source, target, up in ends],
        distances=[each for step in steps for each in repeat(step.distance, len(step.sources))],
        entity_ids=list(zip(sources, targets, job_ids, strict=True)),
        near=(target if up else source for source, target, up in ends),
        upstream=upstream,
        fits=(job.fits and seen >= matcher.since for job, seen in fits),
    )


def _read_stale(
    row: TraceRow,
    ends: Iterable[tuple[int, int | None]],
    runs: Iterable[int],
    last_seen: Iterable[str],
    texts: _Texts,
) -> Iterable[bool]:
    """Return whether each edge is stale. ``ends``: its target and its job."""
    if row.last_writes is None:
        return repeat(False)
    pairs = zip(row.rewritten, row.rewriting_jobs, strict=True)
    times = map(texts.of, decode_optional_times(row.last_writes))
    last_writes: dict[tuple[int, int | None], str | None] = dict(zip(pairs, times, strict=True))
    return map(is_stale, runs, last_seen, map(last_writes.get, ends))


class _TracedJob(NamedTuple):
    """A job with its latest run. ``fits``: it matches the filters."""

    job: Job | None
    last_run: Run | None
    fits: bool


def _read_jobs(
    row: TraceRow, matcher: FilterMatcher, texts: _Texts
) -> dict[int | None, _TracedJob]:
    """Return the jobs by id."""
    # An edge without a job does not match a filter on jobs or types.
    jobs: dict[int | None, _TracedJob] = {
        None: _TracedJob(None, None, not matcher.jobs and not matcher.types)
    }
    if row.job_ids is None:
        return jobs
    for job, type, run, state, time, start, end, error in zip(
        map(Job, row.job_ids, row.job_namespaces, row.job_names), row.job_types,
        row.run_ids, row.run_states,
        decode_optional_times(row.run_times), decode_optional_times(row.run_starts),
        decode_optional_times(row.run_ends), row.run_errors, strict=True,
    ):  # fmt: skip
        fits = matcher.matches_job(job.id) and matcher.matches_type(type)
        last_run = None
        if run is not None:
            last_run = Run(run, state, texts.of(time), texts.of(start), texts.of(end), error)
        jobs[job.id] = _TracedJob(job, last_run, fits)
    return jobs


class _Texts(dict[int, str]):
    """Times in the format of records, keyed by microseconds since 2000."""

    def __missing__(self, microseconds: int) -> str:
        text = of_datetime(_EPOCH + timedelta(microseconds=microseconds))
        self[microseconds] = text
        return text

    def of(self, microseconds: int | None) -> str | None:
        """Return the text of a time; None if there is none."""
        return None if microseconds is None else self[microseconds]
