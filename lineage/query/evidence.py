"""Reports of runs and designs in the fact tables, from which events can be exported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from lineage.database.statements import StatementFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lineage.query.records import ColumnEdge, Edge
    from lineage.query.session import Session

# Source, target and job of an edge by the ids of their vertices; type, subtype and masking of a
# column edge.
EdgeKey: TypeAlias = tuple[int, int, int]
ColumnEdgeKey: TypeAlias = tuple[int, int, int, str, str, bool]

_LAST_RUN = """
SELECT r.run_id FROM lineage.execution e JOIN lineage.run r ON r.id = e.run
WHERE e.job = %s AND e.last_seen IS NOT NULL ORDER BY e.last_seen DESC, r.run_id LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class ReportedMapping:
    """The report of a run of a job about some datasets; one record for each job of the run.

    ``streamed``: whether the job is a stream and the run was running. ``accesses``: is_output,
    namespace, name, first and last time, facets of the access, and column mapping entries (source
    namespace, name and field, target field, type, subtype, masking).
    """

    run_id: str
    state: str | None
    started_at: str | None
    ended_at: str | None
    streamed: bool
    run_facets: Mapping[str, Any]
    job: tuple[str, str]
    job_facets: Mapping[str, Any]
    first_seen: str
    last_seen: str
    accesses: tuple[tuple[bool, str, str, str, str, dict[str, Any], list[list[Any]] | None], ...]


class Design(NamedTuple):
    """A pair of datasets reported by the design of a job, or by a facet of the target if no job."""

    job_namespace: str | None
    job: str | None
    source_namespace: str
    source: str
    target_namespace: str
    target: str
    first_seen: str
    last_seen: str
    confidence: float


class UnpairedAccess(NamedTuple):
    """An input or output of the design of a job that is in no pair."""

    job_namespace: str
    job: str
    namespace: str
    name: str
    output: bool
    first_seen: str
    last_seen: str
    confidence: float


class ColumnDesign(NamedTuple):
    """A pair of columns like ``Design``; an empty ``target_field`` is the whole dataset."""

    job_namespace: str | None
    job: str | None
    source_namespace: str
    source: str
    source_field: str
    target_namespace: str
    target: str
    target_field: str
    type: str
    subtype: str
    masking: bool
    first_seen: str
    last_seen: str


class AccessRow(NamedTuple):
    """The latest run of an access and its newest FEEDS edge; None if there is none."""

    run_id: str | None
    source: int | None
    target: int | None
    job: int | None


class ReportedMappingRow(NamedTuple):
    """The report of a run of a job; the columns are the fields of ``ReportedMapping``."""

    run_id: str
    state: str | None
    started_at: str | None
    ended_at: str | None
    streamed: bool
    run_facets: dict[str, Any]
    namespace: str
    name: str
    job_facets: dict[str, Any]
    first_seen: str
    last_seen: str
    accesses: list[list[Any]] | None


class ArchivedBound(NamedTuple):
    """The first or last time of an edge that only archived runs prove."""

    job_namespace: str
    job: str
    time: str
    source_namespace: str
    source: str
    target_namespace: str
    target: str


class ArchivedColumnBound(NamedTuple):
    """A time like ``ArchivedBound``; an empty ``target_field`` is the whole dataset."""

    job_namespace: str
    job: str
    time: str
    source_namespace: str
    source: str
    source_field: str
    target_namespace: str
    target: str
    target_field: str
    type: str
    subtype: str
    masking: bool


class DescribedRow(NamedTuple):
    """Time of the last event of a dataset, its latest schema facet and its aliases."""

    namespace: str
    name: str
    last_seen: str
    schema: Any
    aliases: list[list[str]]


_SQL = StatementFile(__file__)
_RUNS_OF_EDGES = _SQL.statement("select_runs_of_edges", str)
_RUNS_OF_COLUMN_EDGES = _SQL.statement("select_runs_of_column_edges", str)
_RUNS_OF_ACCESSES = _SQL.statement("select_runs_of_accesses", AccessRow)
_RUNS_SEEN = _SQL.statement("select_runs_seen", str)
_RUNS_THAT_ADD = _SQL.statement("select_runs_that_add", str)
_SELECT_REPORTED_MAPPINGS = _SQL.statement("select_reported_runs", ReportedMappingRow)
_SELECT_DESIGNS = _SQL.statement("select_designs", Design)
_DESIGNS_OF_JOBS = _SQL.statement("select_designs_of_jobs", Design)
_SELECT_UNPAIRED = _SQL.statement("select_unpaired_accesses", UnpairedAccess)
_SELECT_COLUMN_DESIGNS = _SQL.statement("select_column_designs", ColumnDesign)
_SELECT_ARCHIVED_BOUNDS = _SQL.statement("select_archived_bounds", ArchivedBound)
_SELECT_ARCHIVED_COLUMN_BOUNDS = _SQL.statement(
    "select_archived_column_bounds", ArchivedColumnBound
)
_SELECT_DESCRIBED = _SQL.statement("select_described", DescribedRow)

_EDGE = ("sources", "targets", "jobs")
_COLUMN_EDGE = (*_EDGE, "types", "subtypes", "maskings")


def keys_of_edges(edges: Iterable[Edge]) -> set[EdgeKey]:
    """Return the keys of the edges that runs produced."""
    return {
        (edge.source.id, edge.target.id, edge.job.id) for edge in edges if edge.job and edge.runs
    }


def keys_of_column_edges(edges: Iterable[ColumnEdge]) -> set[ColumnEdgeKey]:
    """Return the keys of the edges between columns that runs produced."""
    return {
        (e.source.id, e.target.id, e.job.id, e.type, e.subtype or "", e.masking)
        for e in edges
        if e.job and e.runs
    }


def runs_of_edges(session: Session, keys: Iterable[EdgeKey]) -> set[str]:
    """Return ids of runs that together prove the first and last time of each edge.

    Archived runs are omitted; see ``archived_bounds``.
    """
    return set(session.fetch(_RUNS_OF_EDGES, **_key_arrays(sorted(keys), _EDGE)))


def runs_of_accesses(
    session: Session, accesses: Iterable[tuple[int, int, bool]]
) -> tuple[set[str], set[EdgeKey]]:
    """Return ids of runs that prove accesses, and the keys of the newest edges of their jobs.

    ``accesses``: vertex ids of job and dataset, and is_output. The runs are, for each access, the
    latest run that did not fail, and the runs of the newest FEEDS edge of the job at the dataset as
    in ``runs_of_edges``.
    """
    keys = _key_arrays(sorted(set(accesses)), ("jobs", "datasets", "outputs"))
    rows = session.fetch(_RUNS_OF_ACCESSES, **keys)
    passed = {
        (row.source, row.target, row.job)
        for row in rows
        if row.source is not None and row.target is not None and row.job is not None
    }
    return runs_of_edges(session, passed) | {row.run_id for row in rows if row.run_id}, passed


def last_run_of_job(session: Session, job: int) -> set[str]:
    """Return a set with the id of the latest run of a job (vertex id), or an empty set."""
    return {run for (run,) in session.fetch_rows(_LAST_RUN, (job,))}


def runs_seen_by(session: Session, runs: Iterable[str], datasets: Iterable[int]) -> set[str]:
    """Return ids of the runs whose writes of ``datasets`` were visible to reads by ``runs``."""
    return set(session.fetch(_RUNS_SEEN, runs=list(runs), datasets=list(datasets)))


def runs_that_add(session: Session, runs: Iterable[str], datasets: Iterable[int]) -> set[str]:
    """Return ids of runs that prove that the jobs of ``runs`` append to ``datasets``.

    For each job and dataset of writes by ``runs``, that is the first run of the job that reported
    an append to the dataset.
    """
    return set(session.fetch(_RUNS_THAT_ADD, runs=list(runs), datasets=list(datasets)))


def runs_of_column_edges(session: Session, keys: Iterable[ColumnEdgeKey]) -> set[str]:
    """Return ids of runs as ``runs_of_edges`` does, for edges between columns."""
    return set(session.fetch(_RUNS_OF_COLUMN_EDGES, **_key_arrays(sorted(keys), _COLUMN_EDGE)))


def archived_bounds(session: Session, keys: Iterable[EdgeKey]) -> list[ArchivedBound]:
    """Return the first and last times of edges that no run in the graph proves."""
    return session.fetch(_SELECT_ARCHIVED_BOUNDS, **_key_arrays(sorted(keys), _EDGE))


def archived_column_bounds(
    session: Session, keys: Iterable[ColumnEdgeKey]
) -> list[ArchivedColumnBound]:
    """Return times as ``archived_bounds`` does, for edges between columns."""
    arrays = _key_arrays(sorted(keys), _COLUMN_EDGE)
    return session.fetch(_SELECT_ARCHIVED_COLUMN_BOUNDS, **arrays)


def read_reported_runs(
    session: Session, runs: Iterable[str], datasets: Iterable[int]
) -> tuple[ReportedMapping, ...]:
    """Read the reports of ``runs`` (run ids) about ``datasets`` (vertex ids)."""
    rows = session.fetch(_SELECT_REPORTED_MAPPINGS, runs=sorted(runs), datasets=list(datasets))
    return tuple(_read_run(row) for row in rows)


def designs_of_edges(session: Session, edges: Iterable[Edge]) -> tuple[Design, ...]:
    """Read the designs of those ``edges`` that are declared."""
    keys = sorted({(e.source.id, e.target.id, e.job.id if e.job else 0) for e in edges
                   if e.declared})  # fmt: skip
    return tuple(session.fetch(_SELECT_DESIGNS, **_key_arrays(keys, _EDGE)))


def designs_of_jobs(session: Session, jobs: Iterable[int]) -> tuple[Design, ...]:
    """Read the complete designs of jobs (vertex ids)."""
    ids = sorted(set(jobs))
    return tuple(session.fetch(_DESIGNS_OF_JOBS, jobs=ids)) if ids else ()


def unpaired_accesses(session: Session, jobs: Iterable[int]) -> tuple[UnpairedAccess, ...]:
    """Read the inputs and outputs of designs of jobs (vertex ids) that are in no pair."""
    ids = sorted(set(jobs))
    return tuple(session.fetch(_SELECT_UNPAIRED, jobs=ids)) if ids else ()


def designs_of_column_edges(
    session: Session, edges: Iterable[ColumnEdge]
) -> tuple[ColumnDesign, ...]:
    """Read the designs of those column edges that are declared."""
    keys = sorted({(e.source.id, e.target.id, e.job.id if e.job else 0, e.type,
                    e.subtype or "", e.masking) for e in edges if e.declared})  # fmt: skip
    return tuple(session.fetch(_SELECT_COLUMN_DESIGNS, **_key_arrays(keys, _COLUMN_EDGE)))


def describe_datasets(
    session: Session, datasets: Iterable[int]
) -> dict[tuple[str, str], DescribedRow]:
    """Read last time, latest schema facet and aliases of datasets, by namespace and name."""
    rows = session.fetch(_SELECT_DESCRIBED, ids=list(datasets))
    return {(row.namespace, row.name): row for row in rows}


def _read_run(row: ReportedMappingRow) -> ReportedMapping:
    return ReportedMapping(
        row.run_id,
        row.state,
        row.started_at,
        row.ended_at,
        row.streamed,
        row.run_facets,
        (row.namespace, row.name),
        row.job_facets,
        row.first_seen,
        row.last_seen,
        tuple(tuple(access) for access in row.accesses or ()),
    )


def _key_arrays(keys: Sequence[tuple[Any, ...]], names: Sequence[str]) -> dict[str, list[Any]]:
    """Split keys into one array for each parameter in ``names``."""
    parts = [list(part) for part in zip(*keys, strict=True)] or [[] for _ in names]
    return dict(zip(names, parts, strict=True))
