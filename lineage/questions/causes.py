"""Why a run failed, was late or gave a bad result: what is wrong with what it read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from lineage.questions import stated
from lineage.questions.answers import Dataset, Job, Run
from lineage.questions.changes import Changes
from lineage.questions.limits import limited, no_more
from lineage.questions.portable import Tabular
from lineage.questions.quality import Check
from lineage.questions.reasons import reason
from lineage.questions.runs import RUN, row_of_run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineage.questions.changes import ColumnChange

Kind: TypeAlias = Literal["stale input", "failed", "aborted", "not ended", "took long", "late",
                          "few rows", "other columns", "failed check"]  # fmt: skip
Fault: TypeAlias = Literal["failed", "aborted", "running", "unended"]

# Writes whose columns are compared with those of the run before: the nearest.
MOST_SCHEMAS = 500

_ASKED = """
SELECT r.id, {run},
       (SELECT jsonb_agg(jsonb_build_array(j.id, j.namespace, j.name) ORDER BY j.namespace, j.name)
        FROM lineage.execution e JOIN lineage.job j ON j.id = e.job WHERE e.run = r.id)
FROM lineage.run r WHERE r.run_id = %s
"""

_BEHIND = "SELECT run, job, distance FROM lineage.runs_behind(%(id)s, %(depth)s)"

_CAUSES = """
SELECT c.kind, c.distance, {run}, j.id, j.namespace, j.name, d.id, d.namespace, d.name, c.fault,
       {reader}, lineage.iso(c.read_at), {seen}, lineage.iso(c.seen_at),
       c.found, c.median, c.spread, c.runs
FROM lineage.causes(%(id)s, %(depth)s) WITH ORDINALITY AS c
JOIN lineage.run r ON r.id = c.run
JOIN lineage.job j ON j.id = c.job
LEFT JOIN lineage.dataset d ON d.id = c.dataset
LEFT JOIN lineage.run reader ON reader.id = c.reader
LEFT JOIN lineage.run seen ON seen.id = c.seen
ORDER BY c.ordinality
"""

# What failed of checks, each result a row.
_CHECKS = """
SELECT c.distance, {run}, j.id, j.namespace, j.name, d.id, d.namespace, d.name, {reader},
       (SELECT lineage.iso(min(a.first_seen)) FROM lineage.access a
        JOIN lineage.dataset n ON n.id = a.dataset
        WHERE a.run = c.reader AND NOT a.output AND n.canonical = c.dataset),
       lineage.iso(c.checked), c.part, s.assertion, s.name, s.column_name, s.severity,
       s.expected, s.actual
FROM lineage.failed_checks(%(id)s, %(depth)s) AS c
JOIN lineage.run r ON r.id = coalesce(c.run, c.reader)
JOIN lineage.job j ON j.id = coalesce(c.job, c.reader_job)
LEFT JOIN lineage.dataset d ON d.id = c.dataset
LEFT JOIN lineage.run reader ON reader.id = c.reader AND c.part = 'before'
CROSS JOIN LATERAL lineage.check_results(c.entry) AS s
WHERE s.success IS FALSE
ORDER BY c.distance, c.checked DESC, r.run_id, d.namespace, d.name, s.ordinal
"""

# Each write behind the run, and the one before it of the same job.
_WRITES = """
SELECT b.distance, {run}, j.id, j.namespace, j.name, c.id, c.namespace, c.name,
       n.namespace, n.name, before.run_id
FROM unnest(%(runs)s::bigint[], %(of)s::bigint[], %(distances)s::int[]) AS b (run, job, distance)
JOIN lineage.run r ON r.id = b.run
JOIN lineage.job j ON j.id = b.job
JOIN lineage.access a ON a.run = b.run AND a.job = b.job AND a.output
JOIN lineage.dataset n ON n.id = a.dataset
JOIN lineage.dataset c ON c.id = n.canonical
CROSS JOIN LATERAL (
    SELECT p.run_id FROM lineage.access e JOIN lineage.run p ON p.id = e.run
    WHERE e.dataset = a.dataset AND e.output AND e.job = a.job AND e.last_seen < a.last_seen
      AND p.feeding AND e.run <> a.run
    ORDER BY e.last_seen DESC, p.run_id DESC LIMIT 1) AS before
ORDER BY b.distance, a.last_seen DESC, r.run_id, c.namespace, c.name, n.namespace, n.name
LIMIT %(limit)s
"""


def _of(alias: str) -> str:
    return f"CASE WHEN {alias}.id IS NOT NULL THEN {RUN.replace('r.', f'{alias}.')} END"


_ASKED_RUN = _ASKED.replace("{run}", RUN)
_FOUND_CAUSES = (
    _CAUSES.replace("{run}", RUN).replace("{reader}", _of("reader")).replace("{seen}", _of("seen"))
)
_FAILED_CHECKS = _CHECKS.replace("{run}", RUN).replace("{reader}", _of("reader"))
_FOUND_WRITES = _WRITES.replace("{run}", RUN)


@dataclass(frozen=True, slots=True)
class Cause:
    """Something that is wrong with ``run``, ``distance`` steps behind; 0 is what was asked about.

    Of a stale input: ``fault`` is what was wrong with the run that was to write ``dataset`` when
    ``reader`` read it at ``read_at``; what was there had been written by ``seen``, the newest
    write. ``found`` is how long the run took, how long after its nominal time it ended (seconds),
    or how many rows it wrote; ``usual`` and ``spread`` are the median of so many ``runs`` before it
    and the median of how far they are from that. ``columns`` are those that the run before of the
    same job had not written like this. ``checks`` are those that failed when ``run`` checked
    ``dataset`` at ``checked_at``; with a ``reader`` they had failed before it read the dataset.
    ``reason`` says it in words.
    """

    kind: Kind
    distance: int
    run: Run
    job: Job
    dataset: Dataset | None
    fault: Fault | None = None
    reader: Run | None = None
    read_at: str | None = None
    seen: Run | None = None
    seen_at: str | None = None
    found: float | None = None
    usual: float | None = None
    spread: float | None = None
    runs: int | None = None
    columns: tuple[ColumnChange, ...] = ()
    checks: tuple[str, ...] = ()
    checked_at: str | None = None

    @property
    def reason(self) -> str:
        """What is wrong, in words."""
        return reason(self)


@dataclass(frozen=True, slots=True, repr=False)
class RootCause(Tabular):
    """What may be why a run ended as it did; the worst kind first, of a kind the nearest.

    ``looked_at`` is how many runs were: the run, what it started, and the runs behind. Columns were
    compared of the nearest 500 writes at most, where the log has the events of both runs. With a
    limit ``left_out`` counts the causes that are not there.
    """

    run: Run
    jobs: tuple[Job, ...]
    depth: int | None
    causes: tuple[Cause, ...]
    looked_at: int
    left_out: Mapping[str, int] = field(default_factory=no_more)


class Causes(Changes):
    """Questions about what went wrong."""

    def root_cause(
        self,
        run_id: str,
        depth: int | None = None,
        *,
        last_failed: bool = False,
        limit: int | None = None,
    ) -> RootCause:
        """Return what may be why a run failed, was late or gave a bad result.

        Looked at are the run, what it started, and the runs whose writes they read, ``depth``
        steps back or all the way to the sources. The name of a job or dataset stands for its last
        run, with ``last_failed`` the last that failed. Raises NotFound.
        """
        run_id = self.resolve_run(run_id, last_failed=last_failed)
        id, run, jobs = row_of_run(self._rows(_ASKED_RUN, (run_id,)), run_id)
        given = {"id": id, "depth": depth}
        behind = self._rows(_BEHIND, given)
        causes = [_cause(row) for row in self._rows(_FOUND_CAUSES, given)]
        causes += self._failed_checks(given)
        causes += self._other_columns(behind)
        jobs = tuple(Job(*job) for job in jobs or ())
        looked_at = len({row[0] for row in behind} | {id})
        return limited(RootCause(Run(*run), jobs, depth, tuple(causes), looked_at), limit)

    def _failed_checks(self, given: dict[str, Any]) -> list[Cause]:
        """Return a cause for each statement about checks of which some failed."""
        found: dict[Any, list[tuple[Any, ...]]] = {}
        for row in self._rows(_FAILED_CHECKS, given):
            said = row[1][0], row[2], row[5], row[10]
            found.setdefault(said, []).append(row)
        return [_failed(rows) for rows in found.values()]

    def _other_columns(self, behind: list[tuple[Any, ...]]) -> list[Cause]:
        """Return the writes of runs whose columns are not those of the run before."""
        runs, jobs, distances = ([row[part] for row in behind] for part in range(3))
        given = {"runs": runs, "of": jobs, "distances": distances, "limit": MOST_SCHEMAS}
        writes = self._rows(_FOUND_WRITES, given)
        run_ids = {row[1][0] for row in writes} | {row[10] for row in writes}
        said = stated.of_runs(self._rows, sorted(run_ids))
        pairs = [
            (stated.schema(said, row[10], row[8:10]), stated.schema(said, row[1][0], row[8:10]))
            for row in writes
        ]
        known = [place for place, pair in enumerate(pairs) if None not in pair]
        changes = self._columns([pairs[place] for place in known])
        found: dict[Any, Cause] = {}
        for at, place in enumerate(known, start=1):
            if columns := changes.get(at):
                row = writes[place]
                key = row[1][0], row[2], row[5]  # once, under however many names it was written
                cause = Cause("other columns", row[0], Run(*row[1]), Job(*row[2:5]),
                              Dataset(*row[5:8]), columns=columns)  # fmt: skip
                found.setdefault(key, cause)
        return list(found.values())


def _failed(rows: list[tuple[Any, ...]]) -> Cause:
    distance, run, *rest = rows[0]
    job, dataset, (reader, read_at, checked) = rest[:3], rest[3:6], rest[6:9]
    checks = tuple(
        Check(
            assertion=row[12], name=row[13], column=row[14], success=False, severity=row[15],
            expected=row[16], actual=row[17],
        )
        for row in rows
    )  # fmt: skip
    return Cause(
        "failed check", distance, Run(*run), Job(*job),
        Dataset(*dataset) if dataset[0] is not None else None,
        reader=Run(*reader) if reader else None, read_at=read_at if reader else None,
        checked_at=checked, found=len(rows),
        checks=tuple(f"{check.title} {check.result}" for check in checks),
    )  # fmt: skip


def _cause(row: tuple[Any, ...]) -> Cause:
    kind, distance, run, *rest = row
    job, dataset, (fault, reader, read_at, seen, seen_at, *numbers) = rest[:3], rest[3:6], rest[6:]
    return Cause(
        kind, distance, Run(*run), Job(*job), Dataset(*dataset) if dataset[0] else None, fault,
        Run(*reader) if reader else None, read_at, Run(*seen) if seen else None, seen_at, *numbers,
    )  # fmt: skip
