"""The tasks of an orchestrator: a command for each job, and one pull for each repository."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lineage.errors import UsageError
from lineage.orchestration.commands import find_rule, job_command, names_job, pull_command
from lineage.orchestration.configuration import FILE
from lineage.orchestration.merges import choose_merges, replace_jobs
from lineage.orchestration.order import MAX_REDUCED_JOBS, reduce_edges, sort_jobs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lineage.orchestration.configuration import Configuration, JobRule, Repository
    from lineage.orchestration.records import Plan, PlannedJob

_MAX_ID_LENGTH = 100
_OTHER = re.compile(r"[^A-Za-z0-9_]+")


@dataclass(frozen=True, slots=True)
class Task:
    """A task. ``command``: for bash. ``after``: ids of the tasks before it, sorted.

    ``job``: full name of the job; None if the task pulls a repository.
    """

    id: str
    job: str | None
    command: str
    after: tuple[str, ...]
    owner: str | None = None
    retries: int | None = None


def task_ids(names: Iterable[str]) -> dict[str, str]:
    """Map names to distinct ids of letters, digits and ``_``.

    An id that differs from its name ends in a hash of it, so that it does not depend on other
    names; the hash is long if two would be equal.
    """
    ids: dict[str, str] = {}
    names = list(dict.fromkeys(names))
    for digits in (8, 64):
        ids.update({name: _task_id(name, digits) for name in names})
        used: dict[str, list[str]] = {}
        for name, id in ids.items():
            used.setdefault(id.lower(), []).append(name)
        names = [name for each in used.values() if len(each) > 1 for name in each]
    return ids


def _task_id(name: str, digits: int) -> str:
    id = _OTHER.sub("_", name).strip("_")[:_MAX_ID_LENGTH] or "job"
    if id == name and digits == 8:
        return id
    return f"{id}_{hashlib.sha256(name.encode()).hexdigest()[:digits]}"


def list_tasks(plan: Plan, settings: Configuration, *, skip_unmatched: bool = False) -> list[Task]:
    """Return the tasks of a plan without cycles, each after those before it.

    ``skip_unmatched``: omit jobs without a command; the predecessors of one then precede its
    successors. Raises UsageError otherwise. Jobs with one command, in which they are named, are one
    task unless another job must run between them.
    """
    jobs = {each.job.id: each for each in plan.jobs}
    by_job = {id: find_rule(each.job, settings.jobs) for id, each in jobs.items()}
    rules = {id: rule for id, rule in by_job.items() if rule is not None}
    unmatched = [id for id in jobs if id not in rules]
    if unmatched and not skip_unmatched:
        names = [jobs[id].job.full_name for id in unmatched]
        number = "1 job" if len(names) == 1 else f"{len(names):,} jobs"
        raise UsageError(
            f"No command fits {number}: {_some_names(names)}.",
            f"Add a match for them to {FILE}, or --skip-unmatched.",
        )
    successors: dict[int, list[int]] = {id: [] for id in jobs}
    for edge in plan.edges:
        if not edge.implied:
            successors[edge.before.id].append(edge.after.id)
    _bridge_jobs(list(jobs), successors, unmatched)
    commands = {id: job_command(jobs[id], rule, settings) for id, rule in rules.items()}
    merges = choose_merges(successors, _find_equal(commands, rules))
    successors = replace_jobs(successors, merges)
    rules = {id: rule for id, rule in rules.items() if id in successors}
    pulls = _add_pulls(rules, successors, settings)
    order = _sort_tasks(successors, jobs)
    labels = {
        id: f"pull_{pulls[id].name}" if id in pulls else jobs[id].job.full_name for id in order
    }
    ids = task_ids(labels.values())
    before = _find_direct(order, successors)
    tasks = []
    for id in order:
        after = tuple(sorted(ids[labels[each]] for each in before[id]))
        if id in pulls:
            tasks.append(Task(ids[labels[id]], None, pull_command(pulls[id]), after))
        else:
            command, rule = commands[id], rules[id]
            tasks.append(
                Task(ids[labels[id]], labels[id], command, after, rule.owner, rule.retries)
            )
    return tasks


def _some_names(names: Sequence[str]) -> str:
    more = f" and {len(names) - 10:,} more" if len(names) > 10 else ""
    return ", ".join(names[:10]) + more


def _bridge_jobs(
    order: Sequence[int], successors: dict[int, list[int]], omitted: Sequence[int]
) -> None:
    """Remove jobs; the predecessors of one then directly precede its successors."""
    left = set(omitted)
    for job in reversed(order):
        targets: dict[int, None] = {}
        for target in successors[job]:
            targets.update(dict.fromkeys(successors[target] if target in left else [target]))
        successors[job] = list(targets)
    for job in omitted:
        del successors[job]


def _find_equal(commands: Mapping[int, str], rules: Mapping[int, JobRule]) -> dict[int, int]:
    """Map jobs to the first one with the same command, if that names them."""
    first: dict[str, int] = {}
    named = (id for id in commands if names_job(rules[id]))
    same = {id: first.setdefault(commands[id], id) for id in named}
    return {id: other for id, other in same.items() if id != other}


def _add_pulls(
    rules: Mapping[int, JobRule], successors: dict[int, list[int]], settings: Configuration
) -> dict[int, Repository]:
    """Add a task for each repository in use, before its jobs; return them by negative ids."""
    pulls: dict[int, Repository] = {}
    for number, repository in enumerate(settings.repositories, start=1):
        if jobs := [id for id, rule in rules.items() if rule.repository == repository.name]:
            pulls[-number] = repository
            successors[-number] = jobs
    return pulls


def _sort_tasks(
    successors: Mapping[int, Sequence[int]], jobs: Mapping[int, PlannedJob]
) -> list[int]:
    """Return the ids by level, pulls first, then by name."""
    return sort_jobs(
        successors, key=lambda id: (id > 0, jobs[id].job.full_name if id > 0 else -id)
    ).jobs


def _find_direct(
    order: Sequence[int], successors: Mapping[int, Sequence[int]]
) -> dict[int, list[int]]:
    """Return the tasks directly before each task, without those that others already imply."""
    few = len(order) <= MAX_REDUCED_JOBS
    edges: Mapping[int, Sequence[int]] = reduce_edges(order, successors) if few else successors
    before: dict[int, list[int]] = {id: [] for id in order}
    for id, targets in edges.items():
        for target in targets:
            before[target].append(id)
    return before
