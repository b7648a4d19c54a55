"""Data quality: assertions and tests of datasets and runs, their results, and metrics."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from msgspec import Struct

from lineage.database.statements import StatementFile
from lineage.query.archive import RunArchive, read_archive_during
from lineage.query.display import Tabular
from lineage.query.names import resolve_dataset, resolve_run
from lineage.query.records import Dataset, Job, Run, dataset_of, job_of
from lineage.query.run_history import row_of_run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lineage.query.session import Session

Part: TypeAlias = Literal["dataset", "test", "output", "input", "before"]

_RUN_ID = "SELECT r.id FROM lineage.run r WHERE r.run_id = %s"
_METRICS = """
SELECT r.run_id, lineage.iso8601(m.measured), m.metrics
FROM lineage.latest_metrics(%s) AS m LEFT JOIN lineage.run r ON r.id = m.run
"""


class CheckRow(NamedTuple):
    """A result, the checked dataset, and the run and job that reported it."""

    part: Part
    distance: int
    dataset: int | None
    namespace: str | None
    name: str | None
    run: list[Any] | None
    job: int | None
    job_namespace: str | None
    job_name: str | None
    checked_at: str | None
    assertion: str | None
    check_name: str | None
    column_name: str | None
    success: bool | None
    severity: str | None
    expected: str | None
    actual: str | None
    description: str | None


_SQL = StatementFile(__file__)
_SELECT_CHECKS = _SQL.statement("select_checks_of_datasets", CheckRow)
_SELECT_CHECKS_OF_RUN = _SQL.statement("select_checks_of_run", CheckRow)


class Check(Struct, frozen=True, gc=False):
    """One result of a check.

    ``success``: None if a test was skipped or its result cannot be interpreted. ``part``:
    ``dataset`` in a result for a dataset; in a result for a run, ``test`` (of no particular
    dataset), ``output`` or ``input`` (checked by the run itself) or ``before`` (last check of an
    input before the run read it). ``distance``: number of steps upstream. ``severity``: "warn" if
    a failure does not stop the run. ``run``: None if a DatasetEvent reported the result.
    """

    part: Part = "dataset"
    distance: int = 0
    dataset: Dataset | None = None
    run: Run | None = None
    job: Job | None = None
    checked_at: str | None = None
    assertion: str | None = None
    name: str | None = None
    column: str | None = None
    success: bool | None = None
    severity: str | None = None
    expected: str | None = None
    actual: str | None = None
    description: str | None = None

    @property
    def check_title(self) -> str:
        """The assertion with its column, as ``not_null(id)``, or the name of the test."""
        column = f"({self.column})" if self.column else ""
        kind = self.assertion or "check"
        if self.name and self.name != kind:
            return f"{self.name} [{kind}{column}]" if self.assertion or column else self.name
        return f"{kind}{column}"

    @property
    def describe_result(self) -> str:
        """The result; for a failure with severity, expected and actual value."""
        how = {True: "passed", False: "failed", None: "not known"}[self.success]
        if self.success is False and self.severity:
            how += f" ({self.severity})"
        parts = [f"expected {self.expected}"] if self.expected is not None else []
        parts += [f"actual {self.actual}"] if self.actual is not None else []
        return f"{how}: {', '.join(parts)}" if parts and self.success is False else how


@dataclass(frozen=True, slots=True)
class Metrics:
    """Latest metrics of a dataset in the form of the facet, and the run that measured them."""

    run_id: str | None
    measured: str
    metrics: Mapping[str, Any]


@dataclass(frozen=True, slots=True, repr=False)
class Quality(Tabular):
    """Checks of the dataset ``root`` and its upstream datasets, or of the accesses of a run.

    ``passed``, ``failed``, ``unknown``: counts of all results. ``checks``: the selected results
    within the limit. ``omitted``: number of selected results over the limit. ``archive``: None
    unless a run began before its time; earlier checks of its inputs may be archived.
    """

    root: Dataset | Run
    checks: tuple[Check, ...]
    passed: int
    failed: int
    unknown: int
    omitted: int
    archive: RunArchive | None = None


def check_quality(
    session: Session,
    name: str,
    *,
    upstream: bool = False,
    failed: bool = False,
    depth: int | None = None,
    limit: int | None = None,
) -> Quality:
    """Read the latest results of the checks of a dataset, for each job that checks it.

    ``upstream``: include the datasets upstream, up to ``depth`` steps away (None: all).
    ``failed``: return only failed checks. ``limit``: maximum number of checks.
    """
    root = resolve_dataset(session, name)
    rows = session.fetch(_SELECT_CHECKS, id=root.id, depth=depth if upstream else 0)
    return _count_results(root, rows, failed, limit)


def check_run_quality(
    session: Session, run_id: str, *, failed: bool = False, limit: int | None = None
) -> Quality:
    """Read the checks by a run, and the latest checks of its inputs before it read them.

    ``run_id``: a name that ``resolve_run`` accepts. Raises NotFound.
    """
    run_id = resolve_run(session, run_id)
    [(id,)] = [row_of_run(session.fetch_rows(_RUN_ID, (run_id,)), run_id)]
    run = Run(run_id, None, None, None, None, None)
    result = _count_results(run, session.fetch(_SELECT_CHECKS_OF_RUN, id=id), failed, limit)
    return replace(result, archive=read_archive_during(session, id))


def read_dataset_checks(session: Session, id: int) -> tuple[Check, ...]:
    """Read the latest checks of a dataset, by its vertex id."""
    return tuple(_read_check(row) for row in session.fetch(_SELECT_CHECKS, id=id, depth=0))


def read_run_checks(session: Session, id: int) -> tuple[Check, ...]:
    """Read the checks by a run itself, by its vertex id."""
    rows = session.fetch(_SELECT_CHECKS_OF_RUN, id=id)
    return tuple(_read_check(row) for row in rows if row.part != "before")


def read_metrics(session: Session, id: int) -> Metrics | None:
    """Read the latest metrics of a dataset, by its vertex id."""
    rows = session.fetch_rows(_METRICS, (id,))
    return Metrics(*rows[0]) if rows else None


def _count_results(
    root: Dataset | Run, rows: Sequence[CheckRow], failed: bool, limit: int | None
) -> Quality:
    every = [_read_check(row) for row in rows]
    selected = [each for each in every if each.success is False] if failed else every
    listed = selected[:limit]
    results = [each.success for each in every]
    return Quality(
        root, tuple(listed), results.count(True), results.count(False), results.count(None),
        len(selected) - len(listed),
    )  # fmt: skip


def _read_check(row: CheckRow) -> Check:
    return Check(
        row.part,
        row.distance,
        dataset_of(row.dataset, row.namespace, row.name),
        Run(*row.run) if row.run else None,
        job_of(row.job, row.job_namespace, row.job_name),
        row.checked_at,
        row.assertion,
        row.check_name,
        row.column_name,
        row.success,
        row.severity,
        row.expected,
        row.actual,
        row.description,
    )
