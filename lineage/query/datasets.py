"""Dataset lineage: datasets upstream and downstream of a dataset, from the FEEDS summary."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.statements import StatementFile
from lineage.query.edges import is_stale
from lineage.query.filters import ALL, FilterMatcher, Filters, Step, Traversal, prune
from lineage.query.names import resolve_dataset, resolve_job
from lineage.query.records import CollapsedPath, Dataset, Direction, Edge, Job, Node, Run, Trace

if TYPE_CHECKING:
    from lineage.query.session import Session


class TraceRow(NamedTuple):
    """An edge, a dataset or a job.

    A dataset has its id in ``source`` and no ``target``; a job has neither. ``more``: the tags of a
    dataset; latest run, type and last successful write of a job.
    """

    source: int | None
    target: int | None
    job: int | None
    distance: int | None
    upstream: bool | None
    runs: int | None
    first_seen: int | None
    last_seen: int | None
    declared: bool | None
    confidence: float | None
    namespace: str | None
    name: str | None
    more: Any


_SQL = StatementFile(__file__)
_SELECT_TRACE = _SQL.tuples("select_trace", TraceRow)
_EPOCH = datetime(1970, 1, 1)  # times are UTC


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
    rows = session.fetch(
        _SELECT_TRACE,
        root=root.id,
        depth=depth,
        upstream=direction != "downstream",
        downstream=direction != "upstream",
        tags=bool(filters.tags),
        observed=filters.observed,
        min_confidence=filters.min_confidence,
    )
    pruned = prune(_read_traversal(root, depth, rows, matcher), filters)
    return Trace(
        root, direction, depth,
        tuple(Node(*node) for node in pruned.nodes), pruned.edges,
        tuple(CollapsedPath(*way) for way in pruned.collapsed_paths),
        pruned.filtered_out, pruned.omitted, pruned.omitted_adjacent,
    )  # fmt: skip


def _read_traversal(
    root: Dataset, depth: int | None, rows: list[tuple[Any, ...]], matcher: FilterMatcher
) -> Traversal[Dataset, Edge]:
    """Build the complete trace from ``rows`` of _SELECT_TRACE."""
    datasets = {root.id: root}
    jobs: dict[int | None, tuple[Job | None, Run | None, str | None, bool]] = {}
    # An edge without a job does not match a filter on jobs or types.
    jobs[None] = None, None, None, not matcher.jobs and not matcher.types
    fitting = set()
    for source, target, job, *_, namespace, name, more in rows:
        if source is None:
            last_run, type, last_write = more
            known = Run(*last_run) if last_run else None
            fits = matcher.matches_job(job) and matcher.matches_type(type)
            jobs[job] = Job(job, namespace, name), known, last_write, fits
        elif target is None:
            dataset = datasets[source] = Dataset(source, namespace, name)
            if matcher.matches_entity(dataset.namespace, more):
                fitting.add(source)
    steps, texts = [], _Texts()
    for source, target, job, distance, upstream, runs, first, last, declared, sure, *_ in rows:
        if target is not None:
            by, last_run, last_write, fits = jobs[job]
            seen = texts[last]
            edge = Edge(
                datasets[source],
                datasets[target],
                by,
                runs,
                texts[first],
                seen,
                last_run,
                is_stale(runs, seen, last_write),
                declared,
                1.0 if sure is None else sure,
            )
            near, far = (target, source) if upstream else (source, target)
            steps.append(Step(near, far, distance, upstream, edge, fits and seen >= matcher.since))
    tied: dict[int, Dataset | Job] = {**datasets}
    tied.update((known[0].id, known[0]) for known in jobs.values() if known[0])
    return Traversal(root, depth, steps, datasets, tied, frozenset(fitting))


class _Texts(dict[int, str]):
    """Times in the format of records, keyed by microseconds since 1970."""

    def __missing__(self, microseconds: int) -> str:
        time = _EPOCH + timedelta(microseconds=microseconds)
        text = self[microseconds] = f"{time.isoformat(timespec='microseconds')}Z"
        return text
