"""Build edges from ids; each dataset and each job is read once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from msgspec.structs import replace

from lineage.database.statements import StatementFile
from lineage.query.names import read_datasets
from lineage.query.records import Edge, Job, Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.query.records import Dataset
    from lineage.query.session import Session

# source, target, job, runs, first_seen, last_seen, declared, confidence
Fed: TypeAlias = tuple[int, int, int | None, int, str, str, bool, float | None]

# Separate queries instead of a join: the planner cannot estimate the number of edges.
_LAST_WRITES = """
SELECT j.id, lineage.iso8601(lineage.last_successful_write(j.id)) FROM lineage.job j
WHERE j.id = ANY (%(ids)s::bigint[])
"""


class JobRow(NamedTuple):
    """A job and its latest run."""

    id: int
    namespace: str
    name: str
    run: list[Any] | None


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
_SELECT_JOBS = _SQL.statement("select_jobs_with_latest_run", JobRow)
_SELECT_EDGES = _SQL.tuples("select_edges_between", EdgeRow)


def read_edges_between(
    session: Session,
    sources: Sequence[int],
    targets: Sequence[int],
    *,
    observed: bool,
    min_confidence: float = 0,
) -> list[Edge]:
    """Read the edges from some datasets to others, by their vertex ids, with ``stale`` set.

    ``observed``: omit edges that only a design reports. ``min_confidence``: omit those below it.
    """
    rows = session.fetch(
        _SELECT_EDGES,
        sources=list(sources),
        targets=list(targets),
        observed=observed,
        min_confidence=min_confidence,
    )
    return mark_stale(session, read_edges(session, rows))


def read_datasets_of(session: Session, fed: Sequence[Fed]) -> dict[int, Dataset]:
    """Return the sources and targets of rows by vertex id."""
    return read_datasets(session, {id for source, target, *_ in fed for id in (source, target)})


def read_edges(session: Session, fed: Sequence[Fed]) -> list[Edge]:
    """Build an edge for each row, in the same order."""
    datasets = read_datasets_of(session, fed)
    jobs: dict[int | None, tuple[Job | None, Run | None]] = {None: (None, None)}
    for id, namespace, name, run in session.fetch(
        _SELECT_JOBS, ids=list({job for _, _, job, *_ in fed if job})
    ):
        jobs[id] = Job(id, namespace, name), Run(*run) if run else None
    return [
        Edge(
            datasets[source], datasets[target], jobs[job][0], runs, first, last, jobs[job][1],
            declared=declared, confidence=1.0 if confidence is None else confidence,
        )
        for source, target, job, runs, first, last, declared, confidence in fed
    ]  # fmt: skip


def mark_stale(session: Session, edges: Sequence[Edge]) -> list[Edge]:
    """Return the edges with ``stale`` set, which ``read_edges`` does not determine."""
    params = {"ids": list({edge.job.id for edge in edges if edge.job and edge.runs})}
    last_writes = dict(session.fetch_rows(_LAST_WRITES, params))
    return [
        replace(edge, stale=is_stale(edge.runs, edge.last_seen, last_writes[edge.job.id]))
        if edge.job and edge.runs
        else edge
        for edge in edges
    ]


def is_stale(runs: int, last_seen: str, last_write: str | None) -> bool:
    """Return whether the last successful write of its job is newer than all runs of an edge.

    The same as lineage.is_stale() in SQL. An edge without runs is declared, and never stale.
    """
    return runs > 0 and last_write is not None and last_seen < last_write


def by_name(edge: Edge) -> tuple[str, ...]:
    """Return the sort key of an edge: source, target, job."""
    return (
        edge.source.namespace, edge.source.name, edge.target.namespace, edge.target.name,
        edge.job.namespace if edge.job else "", edge.job.name if edge.job else "",
    )  # fmt: skip
