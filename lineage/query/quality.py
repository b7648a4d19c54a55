"""What was checked of datasets and by runs: assertions, tests, their results, and metrics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from msgspec import Struct

from lineage.database.statements import StatementFile
from lineage.query.names import resolve_dataset, resolve_run
from lineage.query.portable import Tabular
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
    """A result, the dataset that was checked, and the run and job that said it."""

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
    """One result. ``success`` is None where a test was skipped, or its result cannot be read.

    ``part`` is ``dataset`` where it was asked about datasets, ``distance`` steps upstream. Of a run
    it is ``test`` (of no dataset in particular), ``output`` or ``input`` where the run itself
    checked these, and ``before`` for what was last checked of an input before the run read it. A
    ``severity`` of warn says that a failure stops nothing. Without a run a DatasetEvent said it.
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
        """What is checked, in a few words: ``not_null(id)``, or the name of the test."""
        column = f"({self.column})" if self.column else ""
        kind = self.assertion or "check"
        if self.name and self.name != kind:
            return f"{self.name} [{kind}{column}]" if self.assertion or column else self.name
        return f"{kind}{column}"

    @property
    def describe_result(self) -> str:
        """How it ended, with what was expected and found."""
        how = {True: "passed", False: "failed", None: "not known"}[self.success]
        if self.success is False and self.severity:
            how += f" ({self.severity})"
        parts = [f"expected {self.expected}"] if self.expected is not None else []
        parts += [f"actual {self.actual}"] if self.actual is not None else []
        return f"{how}: {', '.join(parts)}" if parts and self.success is False else how


@dataclass(frozen=True, slots=True)
class Metrics:
    """What was last measured of a dataset, and by which run; as the facet has it."""

    run_id: str | None
    measured: str
    metrics: Mapping[str, Any]


@dataclass(frozen=True, slots=True, repr=False)
class Quality(Tabular):
    """Checks of ``root`` and what it was made from, or of what a run touched.

    ``passed``, ``failed`` and ``unknown`` count all of them; ``checks`` are those that were asked
    for, at most so many, and ``omitted`` how many more there are.
    """

    root: Dataset | Run
    checks: tuple[Check, ...]
    passed: int
    failed: int
    unknown: int
    omitted: int


def check_quality(
    session: Session,
    name: str,
    *,
    upstream: bool = False,
    failed: bool = False,
    depth: int | None = None,
    limit: int | None = None,
) -> Quality:
    """Return what was last checked of a dataset, of each job that checks it the newest result.

    With ``upstream`` also of all that it was made from, ``depth`` steps back or all the way;
    with ``failed`` only what failed.
    """
    root = resolve_dataset(session, name)
    rows = session.fetch(_SELECT_CHECKS, id=root.id, depth=depth if upstream else 0)
    return _count_results(root, rows, failed, limit)


def check_run_quality(
    session: Session, run_id: str, *, failed: bool = False, limit: int | None = None
) -> Quality:
    """Return what a run checked, and what was last checked of its inputs before it read them.

    ``run_id`` is what ``resolve_run`` takes. Raises NotFound.
    """
    run_id = resolve_run(session, run_id)
    [(id,)] = [row_of_run(session.fetch_rows(_RUN_ID, (run_id,)), run_id)]
    run = Run(run_id, None, None, None, None, None)
    return _count_results(run, session.fetch(_SELECT_CHECKS_OF_RUN, id=id), failed, limit)


def read_dataset_checks(session: Session, id: int) -> tuple[Check, ...]:
    """Return what was last checked of a dataset, by the id of its vertex."""
    return tuple(_read_check(row) for row in session.fetch(_SELECT_CHECKS, id=id, depth=0))


def read_run_checks(session: Session, id: int) -> tuple[Check, ...]:
    """Return what a run itself checked, by the id of its vertex."""
    rows = session.fetch(_SELECT_CHECKS_OF_RUN, id=id)
    return tuple(_read_check(row) for row in rows if row.part != "before")


def read_metrics(session: Session, id: int) -> Metrics | None:
    """Return what was last measured of a dataset, by the id of its vertex."""
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
