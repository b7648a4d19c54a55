"""Details of one dataset, job or run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from lineage.database.statements import StatementFile
from lineage.query.archive import RunArchive, read_archive_during
from lineage.query.assets import Asset, read_assets
from lineage.query.display import Tabular
from lineage.query.names import resolve_dataset, resolve_job, resolve_run_id
from lineage.query.quality import Check, Metrics, read_dataset_checks, read_metrics, read_run_checks
from lineage.query.ranking import RANK_FACET, StoredRank, stored_rank
from lineage.query.records import Dataset, Job, Run
from lineage.query.run_history import Access, row_of_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lineage.query.session import Session

T = TypeVar("T", Dataset, Job)


class DatasetRow(NamedTuple):
    """A dataset with its aliases."""

    aliases: list[str] | None
    first_seen: str | None
    last_seen: str | None
    tags: list[str] | None
    facets: dict[str, Any]
    written_by: list[list[Any]] | None
    read_by: list[list[Any]] | None
    declared_written_by: list[list[Any]] | None
    declared_read_by: list[list[Any]] | None


class DeclaredRow(NamedTuple):
    """A declared edge; whether the dataset is its target, its source or both."""

    is_target: bool
    is_source: bool
    source: int
    source_namespace: str
    source_name: str
    target: int
    target_namespace: str
    target_name: str


class JobRow(NamedTuple):
    """A job with the datasets that it reads and writes."""

    type: str | None
    first_seen: str | None
    last_seen: str | None
    facets: dict[str, Any]
    inputs: list[list[Any]] | None
    outputs: list[list[Any]] | None
    declared_inputs: list[list[Any]] | None
    declared_outputs: list[list[Any]] | None


class RunRow(NamedTuple):
    """A run with its jobs, parents, children and accesses."""

    run: list[Any]
    jobs: list[list[Any]] | None
    parents: list[str] | None
    children: list[str] | None
    facets: dict[str, Any]
    accesses: list[list[Any]] | None
    id: int


_SQL = StatementFile(__file__)
_SELECT_DATASET = _SQL.statement("select_dataset_details", DatasetRow)
_SELECT_DECLARED = _SQL.statement("select_declared_edges", DeclaredRow)
_SELECT_JOB = _SQL.statement("select_job_details", JobRow)
_SELECT_RUN = _SQL.statement("select_run_details", RunRow)


@dataclass(frozen=True, slots=True, repr=False)
class DatasetDetails(Tabular):
    """Details of a dataset. ``facets``: each complete, as reported by its latest event.

    ``declared_…``: entities that designs report and no run accessed. ``declared_inputs``: datasets
    that feed it. ``declared_outputs``: datasets that it feeds. ``assets``: nodes of graph models.
    ``rank``: if ``lineage rank --store`` stored it.
    """

    dataset: Dataset
    aliases: tuple[str, ...]
    first_seen: str | None
    last_seen: str | None
    tags: tuple[str, ...]
    facets: Mapping[str, Any]
    written_by: tuple[Job, ...]
    read_by: tuple[Job, ...]
    checks: tuple[Check, ...] = ()
    metrics: Metrics | None = None
    declared_written_by: tuple[Job, ...] = ()
    declared_read_by: tuple[Job, ...] = ()
    declared_inputs: tuple[Dataset, ...] = ()
    declared_outputs: tuple[Dataset, ...] = ()
    assets: tuple[Asset, ...] = ()
    rank: StoredRank | None = None


@dataclass(frozen=True, slots=True, repr=False)
class JobDetails(Tabular):
    """Details of a job. ``declared_…``: datasets that its design reports and no run accessed.

    ``assets``: nodes of graph models.
    """

    job: Job
    type: str | None
    first_seen: str | None
    last_seen: str | None
    facets: Mapping[str, Any]
    inputs: tuple[Dataset, ...]
    outputs: tuple[Dataset, ...]
    declared_inputs: tuple[Dataset, ...] = ()
    declared_outputs: tuple[Dataset, ...] = ()
    assets: tuple[Asset, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class RunDetails(Tabular):
    """Details of a run. ``parents``, ``children``: run ids.

    ``archive``: None unless the run began before its time; further children may be archived.
    """

    run: Run
    jobs: tuple[Job, ...]
    parents: tuple[str, ...]
    children: tuple[str, ...]
    facets: Mapping[str, Any]
    accesses: tuple[Access, ...]
    checks: tuple[Check, ...] = ()
    archive: RunArchive | None = None


def describe_dataset(session: Session, name: str) -> DatasetDetails:
    """Read the details of a dataset."""
    dataset = resolve_dataset(session, name)
    [row] = session.fetch(_SELECT_DATASET, id=dataset.id)
    writers, readers = _to_jobs(row.written_by), _to_jobs(row.read_by)
    declared_writers, declared_readers = (
        tuple(job for job in _to_jobs(jobs) if job not in known)
        for jobs, known in ((row.declared_written_by, writers), (row.declared_read_by, readers))
    )
    declared = session.fetch(_SELECT_DECLARED, id=dataset.id)
    into, out = ([d for d in declared if d.is_target], [d for d in declared if d.is_source])
    return DatasetDetails(
        dataset, tuple(row.aliases or ()), row.first_seen, row.last_seen,
        tuple(row.tags or ()), row.facets, writers, readers,
        read_dataset_checks(session, dataset.id), read_metrics(session, dataset.id),
        declared_writers, declared_readers,
        _sort_names(Dataset(d.source, d.source_namespace, d.source_name) for d in into),
        _sort_names(Dataset(d.target, d.target_namespace, d.target_name) for d in out),
        read_assets(session, dataset.id), stored_rank(row.facets.get(RANK_FACET)),
    )  # fmt: skip


def describe_job(session: Session, name: str) -> JobDetails:
    """Read the details of a job."""
    job = resolve_job(session, name)
    [row] = session.fetch(_SELECT_JOB, id=job.id)
    inputs, outputs = _to_datasets(row.inputs), _to_datasets(row.outputs)
    return JobDetails(
        job, row.type, row.first_seen, row.last_seen, row.facets, inputs, outputs,
        tuple(each for each in _to_datasets(row.declared_inputs) if each not in inputs),
        tuple(each for each in _to_datasets(row.declared_outputs) if each not in outputs),
        read_assets(session, job.id),
    )  # fmt: skip


def describe_run(session: Session, run_id: str) -> RunDetails:
    """Read the details of a run, by its id or a unique prefix of the id."""
    run_id = resolve_run_id(session, run_id)
    row = row_of_run(session.fetch(_SELECT_RUN, run_id=run_id), run_id)
    own = Run(*row.run)
    return RunDetails(
        own, tuple(Job(*job) for job in row.jobs or ()), tuple(row.parents or ()),
        tuple(row.children or ()), row.facets,
        tuple(
            Access(own, Job(*entry[4:7]), Dataset(*entry[1:4]), entry[0], *entry[7:])
            for entry in row.accesses or ()
        ),
        read_run_checks(session, row.id), read_archive_during(session, row.id),
    )  # fmt: skip


def _to_jobs(rows: list[list[Any]] | None) -> tuple[Job, ...]:
    return _sort_names(Job(*row) for row in rows or ())


def _to_datasets(rows: list[list[Any]] | None) -> tuple[Dataset, ...]:
    return _sort_names(Dataset(*row) for row in rows or ())


def _sort_names(entities: Iterable[T]) -> tuple[T, ...]:
    """Return the distinct entities, sorted by name."""
    return tuple(sorted(set(entities), key=lambda each: (each.namespace, each.name)))
