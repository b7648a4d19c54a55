"""Build edges from ids; each dataset and each job is read once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from lineage.database.statements import StatementFile
from lineage.query.names import read_datasets
from lineage.query.records import Edge, Job, Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.query.session import Session

# source, target, job, runs, first_seen, last_seen, declared, confidence
Fed: TypeAlias = tuple[int, int, int | None, int, str, str, bool, float | None]


class JobRow(NamedTuple):
    """A job, its latest run, and the time of the last event of that run."""

    id: int
    namespace: str
    name: str
    run: list[Any] | None
    last_seen: str | None


class LastWriteRow(NamedTuple):
    """The time of the last successful write of a dataset by a job; None if there is none."""

    target: int
    job: int
    time: str | None


class EdgeRow(NamedTuple):
    """An edge by the ids of its datasets and its job."""

    source: int
    target: int
    job: int | None
    runs: int
    first_seen: str
    last_seen: str
    declared: bool
    confidence: float | None


_SQL = StatementFile(__file__)
_SELECT_JOBS = _SQL.statement("select_jobs", JobRow)
_SELECT_LAST_WRITES = _SQL.statement("select_last_writes", LastWriteRow)
_SELECT_EDGES = _SQL.tuples("select_edges_between", EdgeRow)


def read_edges_between(
    session: Session,
    sources: Sequence[int],
    targets: Sequence[int],
    *,
    observed: bool,
    min_confidence: float = 0,
) -> list[Edge]:
    """Read the edges from some datasets to others, by their vertex ids.

    ``observed``: omit edges that only a design reports. ``min_confidence``: omit those below it.
    """
    rows = session.fetch(
        _SELECT_EDGES,
        sources=list(sources),
        targets=list(targets),
        observed=observed,
        min_confidence=min_confidence,
    )
    return read_edges(session, rows)


def read_edges(session: Session, fed: Sequence[Fed]) -> list[Edge]:
    """Build an edge for each row, in the same order."""
    return build_edges(session, fed, session.fetch(_SELECT_JOBS, ids=jobs_of(fed)))


def jobs_of(fed: Sequence[Fed]) -> list[int]:
    """Return the ids of the jobs of rows."""
    return list({job for _, _, job, *_ in fed if job})


def build_edges(
    session: Session, fed: Sequence[Fed], job_rows: Sequence[JobRow], time: str = "infinity"
) -> list[Edge]:
    """Build an edge for each row, in the same order, from the rows of all jobs as of ``time``."""
    ids = {id for source, target, *_ in fed for id in (source, target)}
    datasets = read_datasets(session, ids)
    last_writes = _read_last_writes(session, fed, job_rows, time)
    jobs: dict[int | None, tuple[Job | None, Run | None]] = {None: (None, None)}
    for row in job_rows:
        run = Run(*row.run) if row.run else None
        jobs[row.id] = Job(row.id, row.namespace, row.name), run
    edges = []
    for source, target, by, runs, first, last, declared, confidence in fed:
        job, latest = jobs[by]
        last_write = last_writes.get((target, by))
        edge = Edge(
            datasets[source], datasets[target], job, runs, first, last, latest,
            is_stale(runs, last, last_write), declared, 1.0 if confidence is None else confidence,
        )  # fmt: skip
        edges.append(edge)
    return edges


def _read_last_writes(
    session: Session, fed: Sequence[Fed], job_rows: Sequence[JobRow], time: str
) -> dict[tuple[int, int | None], str | None]:
    """Return the time of the last successful write by target and job.

    An edge that the latest run of its job showed is not stale; the others are few.
    """
    latest = {row.id: row.last_seen for row in job_rows}
    pairs = {
        (target, job)
        for _, target, job, runs, _, last_seen, *_ in fed
        if job and runs and last_seen < (latest.get(job) or "")
    }
    if not pairs:
        return {}
    targets, jobs = (list(ids) for ids in zip(*pairs, strict=True))
    rows = session.fetch(_SELECT_LAST_WRITES, targets=targets, jobs=jobs, time=time)
    return {(row.target, row.job): row.time for row in rows}


def is_stale(runs: int, last_seen: str, last_write: str | None) -> bool:
    """Return whether the last successful write of its target by its job is newer than an edge.

    The same as lineage.is_stale() in SQL. An edge without runs is declared, and never stale.
    """
    return runs > 0 and last_write is not None and last_seen < last_write


def by_name(edge: Edge) -> tuple[str, ...]:
    """Return the sort key of an edge: source, target, job."""
    return (
        edge.source.namespace, edge.source.name, edge.target.namespace, edge.target.name,
        edge.job.namespace if edge.job else "", edge.job.name if edge.job else "",
    )  # fmt: skip
