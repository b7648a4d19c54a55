"""Edges between datasets as of a time: their runs, their last times and whether they were stale."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lineage.database.statements import StatementFile
from lineage.query.edges import EdgeRow, JobRow, build_edges, jobs_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.query.edges import Fed
    from lineage.query.records import Edge
    from lineage.query.session import Session


class EdgeRunsRow(NamedTuple):
    """The runs of an edge."""

    source: int
    target: int
    job: int
    runs: int
    last_seen: str


_SQL = StatementFile(__file__)
_SELECT_EDGES = _SQL.tuples("select_edges_between_as_of", EdgeRow)
_SELECT_RUNS = _SQL.statement("select_runs_of_edges", EdgeRunsRow)
_SELECT_JOBS = _SQL.statement("select_jobs_as_of", JobRow)


def read_edges_between_as_of(
    session: Session, ids: Sequence[int], time: str, *, observed: bool, min_confidence: float = 0
) -> list[Edge]:
    """Read the edges between some datasets that existed at ``time``, by their vertex ids."""
    rows = session.fetch(
        _SELECT_EDGES, ids=list(ids), observed=observed, min_confidence=min_confidence, time=time
    )
    return read_edges_as_of(session, rows, time)


def read_edges_as_of(session: Session, fed: Sequence[Fed], time: str) -> list[Edge]:
    """Build an edge for each row, in the same order, with runs, times and ``stale`` as of ``time``.

    An edge is stale if a run of its job, whose last event is not after ``time``, had completed and
    written its target after all runs that had shown the edge until then.
    """
    known = _read_runs(session, fed, time)
    rows: list[Fed] = []
    for source, target, job, runs, first, last, declared, confidence in fed:
        runs, last = known.get((source, target, job), (runs, last))
        rows.append((source, target, job, runs, first, last, declared, confidence))
    job_rows = session.fetch(_SELECT_JOBS, ids=jobs_of(fed), time=time)
    return build_edges(session, rows, job_rows, time)


def _read_runs(
    session: Session, fed: Sequence[Fed], time: str
) -> dict[tuple[int, int, int | None], tuple[int, str]]:
    """Return number and last time of the runs of edges that runs also showed after ``time``."""
    later = [
        (source, target, job)
        for source, target, job, runs, _, last, *_ in fed
        if runs and last > time
    ]
    if not later:
        return {}
    sources, targets, jobs = (list(ids) for ids in zip(*later, strict=True))
    rows = session.fetch(_SELECT_RUNS, sources=sources, targets=targets, jobs=jobs, time=time)
    return {(row.source, row.target, row.job): (row.runs, row.last_seen) for row in rows}
