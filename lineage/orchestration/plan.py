"""The order of jobs: which must run before which, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lineage.orchestration.accesses import read_accesses, read_durations
from lineage.orchestration.arrangement import Arrangement
from lineage.orchestration.cycles import apply_feedback, find_cyclic_components
from lineage.orchestration.evidence import Step, read_evidence
from lineage.orchestration.job_graph import build_job_graph
from lineage.orchestration.records import Feedback, Plan
from lineage.orchestration.removed import remove_ended
from lineage.orchestration.selection import select_jobs
from lineage.orchestration.stale import find_stale_jobs, last_successful_runs
from lineage.orchestration.window import read_window
from lineage.query.archive import read_archive_since
from lineage.query.names import read_datasets, resolve_dataset, resolve_job_or_dataset

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lineage.orchestration.accesses import JobAccesses
    from lineage.orchestration.job_graph import JobGraph
    from lineage.orchestration.units import UnitRule
    from lineage.query.records import OneWay
    from lineage.query.session import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOptions:
    """The facts that count in a plan, and the part of the order that it has.

    ``since``: the earliest beginning of a run that counts, by default 30 days before the newest
    event. ``observed``: ignore designs. ``units``: rules for the jobs that are parts of others.
    ``feedback``: datasets of which readers within a cycle take the data of the round before.
    ``ignore``: patterns of the names, full or alone, of jobs that are left out.
    ``stale``: only jobs that must run again. ``workers``: compute the time with so many jobs at
    once.
    """

    since: str | None = None
    observed: bool = False
    units: Sequence[UnitRule] = ()
    feedback: Sequence[str] = ()
    ignore: Sequence[str] = ()
    stale: bool = False
    workers: int | None = None


_DEFAULTS = PlanOptions()


def plan_jobs(
    session: Session,
    names: Sequence[str] = (),
    direction: OneWay = "upstream",
    options: PlanOptions = _DEFAULTS,
) -> Plan:
    """Compute the order of jobs from their outputs and inputs.

    ``names``: jobs and datasets; the plan has the jobs that must run before they are fresh
    (upstream), or again after them (downstream). Without names it has all jobs.

    The plan is empty if no job wrote or read in the window. Raises NotFound if there are no events,
    NotFound and Ambiguous for names, and UsageError for ``options.since``.
    """
    with session.snapshot():
        since, until = read_window(session, options.since)
        roots = tuple(resolve_job_or_dataset(session, name) for name in names)
        freed = [resolve_dataset(session, name) for name in options.feedback]
        accesses = read_accesses(session, since, observed=options.observed, rules=options.units)
        archive = read_archive_since(session, since)
        accesses.remove_exposures()
        if not options.observed:
            remove_ended(session, accesses)
        accesses.ignore_jobs(options.ignore)
        omitted_units = accesses.streams | accesses.ignored | accesses.removed
        whole = build_job_graph(accesses, omitted_units)
        graph, omitted = select_jobs(whole, accesses, roots, direction, since)
        graph, pairs = apply_feedback(graph, [dataset.id for dataset in freed])
        durations = read_durations(session, accesses.all_jobs)
        components = find_cyclic_components(graph)
        successes = last_successful_runs(accesses, {id: row.began for id, row in durations.items()})
        mentioned = _mentioned_datasets(graph, accesses)
        reasons: Mapping[int, str] = {}
        if options.stale and not components:
            # In the whole graph: a job of the plan may be stale by one that is not part of it.
            whole, _ = apply_feedback(whole, pairs)
            stale = find_stale_jobs(whole, accesses, successes)
            graph = graph.only_jobs(stale.all_jobs)
            datasets = read_datasets(session, mentioned | stale.new_inputs())
            reasons = stale.describe_reasons(graph.jobs, datasets)
        else:
            datasets = read_datasets(session, mentioned)
        arrangement = Arrangement(graph, accesses, durations, datasets, successes)
        cycles = arrangement.find_cycles(
            components, lambda steps: _read_evidence(session, steps, accesses, since)
        )
    return Plan(
        roots,
        direction,
        since,
        until,
        cycles=cycles,
        omitted_jobs=omitted,
        feedback=tuple(Feedback(dataset, pairs[dataset.id]) for dataset in freed),
        workers=options.workers,
        archive=archive,
        **arrangement.describe_order(reasons, options.workers, is_ordered=not cycles),
    )


def _mentioned_datasets(graph: JobGraph, accesses: JobAccesses) -> set[int]:
    """Return the ids of the datasets that a plan can name."""
    read = {dataset for job in graph.jobs for dataset in accesses.reads.get(job, ())}
    written = {dataset for job in graph.jobs for dataset in accesses.writes.get(job, ())}
    return read | written | {edge.dataset for edges in graph.edges.values() for edge in edges}


def _read_evidence(
    session: Session, steps: Sequence[Step], accesses: JobAccesses, since: str
) -> dict[Step, tuple[int, int]]:
    parts: dict[int, set[int]] = {unit: {unit} for step in steps for unit in (step[0], step[2])}
    for job, units in accesses.units.items():
        for unit in units & parts.keys():
            parts[unit].add(job)
    return read_evidence(session, steps, parts, since)
