"""The order of jobs with full names: as rows, and as an object of JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import to_builtins

if TYPE_CHECKING:
    from lineage.orchestration.records import JobCycle, Plan, PlannedJob, Precedence

COLUMNS = ("level", "job", "type", "after", "seconds", "seconds_p90", "durations", "slack",
           "starts", "last_successful_run", "outputs", "own", "declared", "stale")  # fmt: skip


def job_rows(plan: Plan) -> list[dict[str, Any]]:
    """Return a row for each job, in order. ``after``: jobs directly before it, not implied ones."""
    after: dict[int, list[str]] = {}
    for edge in plan.edges:
        if not edge.implied:
            after.setdefault(edge.after.id, []).append(edge.before.full_name)
    return [_job_row(each, after.get(each.job.id, [])) for each in plan.jobs]


def plan_object(plan: Plan) -> dict[str, Any]:
    """Return the whole order with full names, for other orchestrators."""
    return {
        "roots": [root.full_name for root in plan.roots],
        "direction": plan.direction,
        "since": plan.since,
        "until": plan.until,
        "archive": to_builtins(plan.archive),
        "jobs": job_rows(plan),
        "edges": [_edge_object(edge) for edge in plan.edges],
        "cycles": [_cycle_object(cycle) for cycle in plan.cycles],
        "levels": [[each.job.full_name for each in level] for level in plan.jobs_by_level],
        "width": plan.width,
        "critical_path": [job.full_name for job in plan.critical_path],
        "critical_seconds": plan.critical_seconds,
        "work": plan.work,
        "workers": plan.workers,
        "seconds": plan.seconds,
        "isolated": [job.full_name for job in plan.isolated],
        "shared_outputs": [
            {
                "dataset": each.dataset.full_name,
                "job": each.job.full_name,
                "last_written": each.last_written,
                "modes": list(each.modes),
            }
            for each in plan.shared_outputs
        ],
        "omitted_jobs": [
            {"job": each.job.full_name, "reason": each.reason} for each in plan.omitted_jobs
        ],
        "feedback": [
            {"dataset": each.dataset.full_name, "pairs": each.pairs} for each in plan.feedback
        ],
    }


def _job_row(each: PlannedJob, after: list[str]) -> dict[str, Any]:
    return {
        "level": each.level,
        "job": each.job.full_name,
        "type": each.type,
        "after": after,
        "seconds": each.seconds,
        "seconds_p90": each.seconds_p90,
        "durations": each.durations,
        "slack": each.slack,
        "starts": each.starts,
        "last_successful_run": each.last_successful_run,
        "outputs": [dataset.full_name for dataset in each.outputs],
        "own": [dataset.full_name for dataset in each.own],
        "declared": each.declared,
        "stale": each.stale,
    }


def _edge_object(edge: Precedence) -> dict[str, Any]:
    return {
        "before": edge.before.full_name,
        "after": edge.after.full_name,
        "implied": edge.implied,
        "reasons": [
            {
                "dataset": reason.dataset.full_name,
                "first_seen": reason.first_seen,
                "written": reason.written,
                "read": reason.read,
                "declared": reason.declared,
                "view": reason.view and reason.view.full_name,
            }
            for reason in edge.reasons
        ],
    }


def _cycle_object(cycle: JobCycle) -> dict[str, Any]:
    return {
        "jobs": [job.full_name for job in cycle.jobs],
        "steps": [
            {
                "before": step.before.full_name,
                "after": step.after.full_name,
                "datasets": [dataset.full_name for dataset in step.datasets],
                "days": step.days,
                "days_after": step.days_after,
            }
            for step in cycle.steps
        ],
        "feedback": cycle.feedback and cycle.feedback.full_name,
    }
