"""What was checked of datasets and by runs: assertions, tests, their results, and metrics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from msgspec import Struct

from lineage.questions.answers import Dataset, Job, Run
from lineage.questions.names import Names
from lineage.questions.portable import Tabular
from lineage.questions.runs import RUN, row_of_run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Part: TypeAlias = Literal["dataset", "test", "output", "input", "before"]

# A statement about checks with all its results; ``c`` is where it comes from.
_RESULTS = """
SELECT {part}, {distance}, d.id, d.namespace, d.name, {run}, j.id, j.namespace, j.name,
       lineage.iso(c.checked), s.assertion, s.name, s.column_name, s.success, s.severity,
       s.expected, s.actual, s.description
FROM {checks}
LEFT JOIN lineage.dataset d ON d.id = c.dataset
LEFT JOIN lineage.job j ON j.id = c.job
LEFT JOIN lineage.run r ON r.id = c.run
CROSS JOIN LATERAL lineage.check_results(c.entry) AS s
"""
_OF_DATASETS = """
(SELECT c.*, t.distance
 FROM (SELECT t.id, t.distance FROM lineage.trace(%(id)s, 'upstream', %(depth)s) AS t) AS t
 CROSS JOIN LATERAL lineage.newest_checks(ARRAY[t.id]) AS c) AS c
"""
_ORDER = "ORDER BY c.distance, d.namespace, d.name, j.namespace, j.name, s.ordinal"
_ORDER_OF_RUN = """
ORDER BY array_position('{test,output,input,before}', c.part), d.namespace, d.name, j.namespace,
         j.name, c.checked, s.ordinal
"""
_RUN_OR_NONE = f"CASE WHEN r.id IS NOT NULL THEN {RUN} END"

_QUALITY = (
    _RESULTS.replace("{part}", "'dataset'")
    .replace("{distance}", "c.distance")
    .replace("{run}", _RUN_OR_NONE)
    .replace("{checks}", _OF_DATASETS)
    + _ORDER
)
_RUN_QUALITY = (
    _RESULTS.replace("{part}", "c.part")
    .replace("{distance}", "0")
    .replace("{run}", _RUN_OR_NONE)
    .replace("{checks}", "lineage.checks_of_run(%(id)s) AS c")
    + _ORDER_OF_RUN
)
_RUN_ID = "SELECT r.id FROM lineage.run r WHERE r.run_id = %s"
_METRICS = """
SELECT r.run_id, lineage.iso(m.measured), m.metrics
FROM lineage.newest_metrics(%s) AS m LEFT JOIN lineage.run r ON r.id = m.run
"""


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
    checked: str | None = None
    assertion: str | None = None
    name: str | None = None
    column: str | None = None
    success: bool | None = None
    severity: str | None = None
    expected: str | None = None
    actual: str | None = None
    description: str | None = None

    @property
    def title(self) -> str:
        """What is checked, in a few words: ``not_null(id)``, or the name of the test."""
        column = f"({self.column})" if self.column else ""
        kind = self.assertion or "check"
        if self.name and self.name != kind:
            return f"{self.name} [{kind}{column}]" if self.assertion or column else self.name
        return f"{kind}{column}"

    @property
    def result(self) -> str:
        """How it ended, with what was expected and found."""
        how = {True: "passed", False: "failed", None: "not known"}[self.success]
        if self.success is False and self.severity:
            how += f" ({self.severity})"
        found = [f"expected {self.expected}"] if self.expected is not None else []
        found += [f"actual {self.actual}"] if self.actual is not None else []
        return f"{how}: {', '.join(found)}" if found and self.success is False else how


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


class QualityChecks(Names):
    """Questions about checks and metrics."""

    def quality(
        self,
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
        root = self.resolve(name)
        given = {"id": root.id, "depth": depth if upstream else 0}
        return _quality(root, self._rows(_QUALITY, given), failed, limit)

    def run_quality(
        self, run_id: str, *, failed: bool = False, limit: int | None = None
    ) -> Quality:
        """Return what a run checked, and what was last checked of its inputs before it read them.

        ``run_id`` is what ``resolve_run`` takes. Raises NotFound.
        """
        run_id = self.resolve_run(run_id)
        [(id,)] = [row_of_run(self._rows(_RUN_ID, (run_id,)), run_id)]
        run = Run(run_id, None, None, None, None, None)
        return _quality(run, self._rows(_RUN_QUALITY, {"id": id}), failed, limit)

    def checks_of_dataset(self, id: int) -> tuple[Check, ...]:
        """Return what was last checked of a dataset, by the id of its vertex."""
        rows = self._rows(_QUALITY, {"id": id, "depth": 0})
        return tuple(_check(row) for row in rows)

    def checks_of_run(self, id: int) -> tuple[Check, ...]:
        """Return what a run itself checked, by the id of its vertex."""
        rows = self._rows(_RUN_QUALITY, {"id": id})
        return tuple(_check(row) for row in rows if row[0] != "before")

    def metrics_of(self, id: int) -> Metrics | None:
        """Return what was last measured of a dataset, by the id of its vertex."""
        rows = self._rows(_METRICS, (id,))
        return Metrics(*rows[0]) if rows else None


def _quality(
    root: Dataset | Run, rows: Sequence[tuple[Any, ...]], failed: bool, limit: int | None
) -> Quality:
    every = [_check(row) for row in rows]
    wanted = [each for each in every if each.success is False] if failed else every
    told = wanted[:limit]
    results = [each.success for each in every]
    return Quality(
        root, tuple(told), results.count(True), results.count(False), results.count(None),
        len(wanted) - len(told),
    )  # fmt: skip


def _check(row: Sequence[Any]) -> Check:
    part, distance, *rest = row
    dataset, run, job, said = rest[:3], rest[3], rest[4:7], rest[7:]
    return Check(
        part,
        distance,
        Dataset(*dataset) if dataset[0] is not None else None,
        Run(*run) if run else None,
        Job(*job) if job[0] is not None else None,
        *said,
    )
