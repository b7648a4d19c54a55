"""Causes of the end of a run, and their descriptions as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from lineage.failures import first_line

if TYPE_CHECKING:
    from lineage.query.records import Dataset, Job, Run
    from lineage.query.schema_diff import ColumnChange

Kind: TypeAlias = Literal["stale input", "failed", "aborted", "not ended", "took long", "late",
                          "few rows", "other columns", "failed check"]  # fmt: skip
Fault: TypeAlias = Literal["failed", "aborted", "running", "unended"]


@dataclass(frozen=True, slots=True)
class Cause:
    """A problem of ``run``, ``distance`` steps upstream; 0 is the analyzed run.

    For a stale input, ``fault`` is the state of the run that was to write ``dataset`` when
    ``reader`` read it at ``read_at``; the latest visible write was by ``seen`` at ``seen_at``.
    ``observed``: duration of the run, delay of its end after its nominal time (seconds), number of
    rows written, or number of failed checks. ``expected``, ``spread``: median of the ``runs``
    previous runs, and median of their absolute deviations from it. ``columns``: columns that differ
    from those written by the previous run of the same job. ``checks``: checks that failed when
    ``run`` checked ``dataset`` at ``checked_at``; with a ``reader``, before it read the dataset.
    ``describe_cause`` formats a cause as text.
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
    observed: float | None = None
    expected: float | None = None
    spread: float | None = None
    runs: int | None = None
    columns: tuple[ColumnChange, ...] = ()
    checks: tuple[str, ...] = ()
    checked_at: str | None = None

    @property
    def reason(self) -> str:
        """The description of the cause."""
        return describe_cause(self)


def describe_cause(cause: Cause) -> str:
    """Describe a cause in one or two sentences."""
    if cause.kind == "stale input":
        return f"{_describe_stale_input(cause)} {_describe_read(cause)}"
    if cause.kind == "other columns":
        changes = ", ".join(_describe_column_change(change) for change in cause.columns)
        return f"It wrote {cause.dataset}. The columns differ from the previous run: {changes}."
    if cause.kind == "failed check":
        return _failed_checks(cause)
    if cause.kind == "few rows":
        return (
            f"It wrote {cause.observed or 0:,.0f} rows of {cause.dataset}. {_compared_runs(cause)}"
            f" is {cause.expected or 0:,.0f}, with a spread of {cause.spread or 0:,.0f}."
        )
    if cause.kind in ("took long", "late"):
        did = "It took" if cause.kind == "took long" else "The delay from nominal time to end was"
        return (
            f"{did} {_format_seconds(cause.observed)}. {_compared_runs(cause)}"
            f" is {_format_seconds(cause.expected)},"
            f" with a spread of {_format_seconds(cause.spread)}."
        )
    return _describe_end(cause.kind, cause.run)


def _failed_checks(cause: Cause) -> str:
    of = f" of {cause.dataset}" if cause.dataset else ""
    checks = f"{len(cause.checks)} check{'' if len(cause.checks) == 1 else 's'}{of}"
    text = f"{checks} failed at {_format_time(cause.checked_at)}: {'; '.join(cause.checks)}."
    if cause.reader is None:
        return text
    return f"{text} Run {cause.reader.run_id} read it later, at {_format_time(cause.read_at)}."


def _describe_stale_input(cause: Cause) -> str:
    run, job, dataset = cause.run, cause.job.name, cause.dataset
    if cause.fault == "running":
        return (
            f"{job} should have written {dataset}, but was still running when it was read. It"
            f" ended at {_format_time(run.ended_at)} ({run.state})."
        )
    if cause.fault == "unended":
        return f"{job} should have written {dataset}, but never reported its end."
    return f"{job} should have written {dataset}. {_describe_end(cause.fault or '', run)}"


def _describe_read(cause: Cause) -> str:
    reader = f"Run {cause.reader.run_id}" if cause.reader else "The reader"
    when = f"{reader} read it at {_format_time(cause.read_at)}"
    if cause.seen is None:
        return f"{when}; no run is known to have written the data it read."
    return f"{when}, as run {cause.seen.run_id} wrote it at {_format_time(cause.seen_at)}."


def _describe_end(how: str, run: Run) -> str:
    if how == "not ended":
        return f"It began at {_format_time(run.started_at or run.event_time)} and has not ended."
    error = first_line(run.error, max_length=200).rstrip(".")
    what = "failed" if how == "failed" else "was aborted"
    return f"It {what} at {_format_time(run.ended_at)}{f': {error}' if error else ''}."


def _compared_runs(cause: Cause) -> str:
    return f"The median of the {cause.runs} previous runs of {cause.job.name}"


def _describe_column_change(change: ColumnChange) -> str:
    before, after = (f" {type}" if type else "" for type in (change.before, change.after))
    if change.change == "changed":
        return f"~ {change.name}{before} ->{after}"
    return f"+ {change.name}{after}" if change.change == "added" else f"- {change.name}{before}"


def _format_seconds(seconds: float | None) -> str:
    """Format a number of seconds as hours, minutes and seconds."""
    total = round(seconds or 0)
    hours, rest = divmod(abs(total), 3600)
    parts = [f"{hours} h"] if hours else []
    parts += [f"{rest // 60} min"] if rest // 60 else []
    parts += [f"{rest % 60} s"] if rest % 60 or not parts else []
    return ("-" if total < 0 else "") + " ".join(parts)


def _format_time(time: str | None) -> str:
    return f"{time[:10]} {time[11:19]}Z" if time else "an unknown time"
