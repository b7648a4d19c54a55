"""Titles and tree of the lineage of a run, or of a dataset at a time, job by job."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from lineage.query.records import Run

from ..output import job_names, render, terminal, tree

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lineage.query.records import Job
    from lineage.query.run_records import RunLineage
    from lineage.query.run_steps import RunStep, RunSteps

    Node = tuple[str, int]

TABLE_COLUMNS = ["direction", "distance", "reader", "dataset", "writer", "runs", "first", "last",
"perhaps",
         "since", "matched_by"]  # fmt: skip
NOTHING_AT = "No known run had written it by then."
NOTHING_READ = "No reads of the run are known."
NOBODY_READ = "No known run read its writes."

_ROOT: Node = ("root", 0)


def step_titles(result: RunLineage | RunSteps) -> tuple[str, str]:
    """Return the first line of a result, and the text for an empty result."""
    if isinstance(result.root, Run):
        nothing = NOBODY_READ if result.direction == "downstream" else NOTHING_READ
        return f"run {result.root.run_id}  [{result.root.state or 'unknown state'}]", nothing
    return f"{result.root.full_name}  at {render.format_time(result.at)}", NOTHING_AT


def picture_lines(result: RunSteps, title: str, names: Mapping[Job, str]) -> list[str]:
    """Return the steps as a tree below a title, with a branch for each dataset and job."""
    downstream = result.direction == "downstream"
    by_job: dict[Node, list[RunStep]] = defaultdict(list)
    for step in result.steps:
        near = step.writer if downstream else step.reader
        if near:
            by_job["job", near.id].append(step)
        if step.distance == 1:
            by_job[_ROOT].append(step)

    def next_branches(node: Node) -> list[tree.Branch[Node]]:
        return [
            (
                _far_end(step, downstream),
                step.dataset.full_name,
                _step_note(step, downstream, names),
            )
            for step in by_job.get(node, [])
        ]

    return [title, *tree.branch_lines(_ROOT, next_branches)]


def _far_end(step: RunStep, downstream: bool) -> Node:
    far = step.reader if downstream else step.writer
    return ("job", far.id) if far else ("source", step.dataset.id)


def _step_note(step: RunStep, downstream: bool, names: Mapping[Job, str]) -> str:
    far = step.reader if downstream else step.writer
    if not far:
        return "[no known writer]"
    writer = job_names.beside_target(far, step.dataset, names)
    parts = [f"read by {names[far]}" if downstream else writer]
    if step.runs == 1 and step.run:
        state = (step.run.state or "unknown state").lower()
        parts += [f"run {step.run.run_id}", state] if downstream else [
            render.format_time(step.last), f"run {step.run.run_id}"]  # fmt: skip
    elif step.runs:
        parts += [
            f"{step.runs:,} runs",
            f"{render.format_time(step.first)} to {render.format_time(step.last)}",
        ]
    if step.matched_by:
        parts.append(step.matched_by)
    if step.perhaps:
        when = "later" if downstream else "earlier"
        more = render.count_of(step.perhaps, f"{when} run")
        parts.append(f"perhaps {more} since {render.format_time(step.since)}")
    return f"[{', '.join(parts)}]"


def report_further_runs(results: Sequence[RunSteps]) -> None:
    """Report how many runs lines by run leave out because a write mode is not known."""
    runs = sum(step.perhaps for result in results for step in result.steps)
    if runs:
        terminal.write_line(
            f"Perhaps {render.count_of(runs, 'further run')} of jobs whose write mode is not known."
            " Without --runs, they are counted by job; --perhaps follows them."
        )
