"""The order of jobs as lines for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import job_names, render, terminal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lineage.orchestration.checks import DagChanges
    from lineage.orchestration.records import CycleStep, JobCycle, Plan
    from lineage.query.records import Job

TITLES = {
    "no run succeeded": "OMITTED: no run of them succeeded",
    "stream": "OMITTED: streams, which run all the time",
    "ignored": "OMITTED: ignored in the configuration",
    "removed": "OMITTED: removed from their project of dbt, and not run since",
    "no place in the order": "OMITTED: they write no rows, and read nothing that a job writes",
}


def plan_lines(plan: Plan, *, is_stale: bool) -> Iterator[str]:
    """Yield the jobs by level, then the critical path and undecided points of the order."""
    names = job_names.short_names(
        (each.job for each in plan.jobs), (each for job in plan.jobs for each in job.outputs)
    )
    yield _summary_line(plan, is_stale=is_stale)
    rows = [
        {
            "level": f"{each.level}",
            "job": names[each.job],
            "median": "" if each.seconds is None else render.format_seconds(each.seconds),
            "slack": "" if each.slack is None else render.format_seconds(each.slack),
            "remark": each.stale or ("only declared" if each.declared else ""),
        }
        for each in plan.jobs
    ]
    columns = ["level", "job", "median", "slack"]
    if any(row["remark"] for row in rows):
        columns.append("remark")
    if rows:
        yield from ("", *render.table_lines(rows, columns, terminal.line_width()))
    yield from _path_lines(plan, names)
    yield from _remark_lines(plan, names)


def _summary_line(plan: Plan, *, is_stale: bool) -> str:
    if not plan.jobs:
        if is_stale:
            return "No job must run again."
        after = " or ".join(root.full_name for root in plan.roots)
        return f"No job runs after {after}." if after else "There is no job."
    jobs, levels = len(plan.jobs), len(plan.jobs_by_level)
    again = " must run again" if is_stale else ""
    return (
        f"{render.count_of(jobs, 'job')}{again}, on {render.count_of(levels, 'level')}, at most"
        f" {plan.width:,} at once; by runs from {render.format_time(plan.since)}"
        f" to {render.format_time(plan.until)}."
    )


def _path_lines(plan: Plan, names: Mapping[Job, str]) -> Iterator[str]:
    if plan.critical_seconds:
        yield ""
        yield f"CRITICAL PATH  {render.format_seconds(plan.critical_seconds)}"
        yield " → ".join(names[job] for job in plan.critical_path)
        yield f"Run one after another, the jobs take {render.format_seconds(plan.work)}."
    if plan.workers is not None and plan.seconds is not None:
        workers = render.count_of(plan.workers, "worker")
        yield f"With {workers}: {render.format_seconds(plan.seconds)}."
    unknown = [each for each in plan.jobs if each.seconds is None]
    if unknown and plan.critical_seconds:
        yield (f"{render.count_of(len(unknown), 'job')} without a duration counted as 0: "
               + ", ".join(names[each.job] for each in unknown[:5])
               + (" …" if len(unknown) > 5 else ""))  # fmt: skip


def _remark_lines(plan: Plan, names: Mapping[Job, str]) -> Iterator[str]:
    own = [each for each in plan.jobs if each.own]
    if own:
        yield from ("", "READ WHAT THEY WRITE: this orders nothing")
        for each in own:
            yield f"{names[each.job]}  {', '.join(map(str, each.own))}"
    if plan.shared_outputs:
        yield from ("", "SEVERAL WRITERS: the order does not decide between them")
        for shared in plan.shared_outputs:
            mode = f", {' and '.join(shared.modes)}" if shared.modes else ""
            last = render.format_time(shared.last_written)
            yield f"{shared.dataset}  by {names[shared.job]}  [last {last}{mode}]"
    for feedback in plan.feedback:
        pairs = render.count_of(feedback.pairs, "pair")
        yield ""
        yield f"FEEDBACK {feedback.dataset}: {pairs} of jobs on a cycle not ordered by it"
    if plan.isolated:
        yield from ("", f"ISOLATED: not connected to another job ({len(plan.isolated):,})")
        yield from (names[job] for job in plan.isolated)
    for reason, title in TITLES.items():
        omitted = [each.job for each in plan.omitted_jobs if each.reason == reason]
        if omitted:
            yield from ("", f"{title} ({len(omitted):,})", *(job.full_name for job in omitted))


def cycle_lines(plan: Plan) -> Iterator[str]:
    """Yield each cycle by its shortest way round, and a way out."""
    jobs = sum(len(cycle.jobs) for cycle in plan.cycles)
    number = render.count_of(len(plan.cycles), "cycle")
    yield f"There is no order: {number} of {render.count_of(jobs, 'job')}."
    for cycle in plan.cycles:
        yield from ("", f"{len(cycle.jobs):,} jobs. The shortest cycle:")
        yield from _step_lines(cycle)
        if cycle.feedback:
            step = next(s for s in cycle.steps if s.datasets[0] == cycle.feedback)
            yield (
                f"On {step.days - step.days_after} of {render.count_of(step.days, 'day')}"
                f" {step.after.full_name} read {cycle.feedback} before it was written on that day."
                f" If this is intended: --feedback {cycle.feedback}"
            )
    yield ""
    yield (
        "A job that is not part of the order, such as a correction by hand, can be left out:"
        ' ignore: ["NAMESPACE/NAME"] in lineage-plan.yml'
    )


def _step_lines(cycle: JobCycle) -> Iterator[str]:
    before = max(len(step.before.full_name) for step in cycle.steps)
    after = max(len(step.after.full_name) for step in cycle.steps)
    for step in cycle.steps:
        datasets = ", ".join(map(str, step.datasets))
        ends = f"{step.before.full_name:<{before}} → {step.after.full_name:<{after}}"
        yield f"  {ends}  by {datasets}  ({_describe_days(step)})"


def _describe_days(step: CycleStep) -> str:
    if not step.days:
        return "only declared"
    of_days = f"{step.days_after} of {render.count_of(step.days, 'day')}"
    return f"read after it was written on that day: {of_days}"


def change_lines(changes: DagChanges) -> Iterator[str]:
    """Yield a line for each difference of two DAG files."""
    yield from (f"+ task {id}" for id in changes.added)
    yield from (f"- task {id}" for id in changes.removed)
    yield from (f"! task {id}: other command, owner or retries" for id in changes.changed)
    yield from (f"+ edge {before} → {after}" for before, after in changes.edges_added)
    yield from (f"- edge {before} → {after}" for before, after in changes.edges_removed)
    if changes.settings:
        yield "! settings of the DAG"
