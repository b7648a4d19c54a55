"""Options, trees and other formats of ``query run`` and ``query at``."""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click

from lineage.query.records import Run
from lineage.query.run_steps import RunSteps

from ..archived_runs import report_archive
from ..child_jobs import NO_DATASETS, child_lines
from ..output import graph_formats, job_names, render, terminal, tree
from . import run_steps

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lineage.query.child_runs import ChildRow
    from lineage.query.records import Job
    from lineage.query.run_records import RunDependency, RunLineage
    from lineage.query.run_steps import RunStep

    F = TypeVar("F", bound="Callable[..., Any]")

TABLE_COLUMNS = [
    "direction",
    "distance",
    "reader",
    "dataset",
    "version",
    "writer",
    "job",
    "written",
    "matched_by",
]


def run_options(command: F) -> F:
    """Declare ``--runs`` and ``--perhaps``."""
    command = click.option(
        "--perhaps",
        is_flag=True,
        help="Also follow writes that a newer write of the same job may have replaced.",
    )(command)
    return click.option("--runs", is_flag=True, help="One line for each run, not for each job.")(
        command
    )


def emit_results(
    results: Sequence[RunLineage | RunSteps],
    form: str,
    dsn: str | None,
    children: Sequence[ChildRow] = (),
) -> None:
    """Write results as ``form``; either all are by job or all are by run.

    ``children``: jobs of the child runs, if the run itself has no datasets.
    """
    by_run = not isinstance(results[0], RunSteps)
    what, cells = ("dependencies", TABLE_COLUMNS) if by_run else ("steps", run_steps.TABLE_COLUMNS)
    names = job_names.of_records(record for each in results for record in result_rows(each))
    picture = partial(_picture_lines, names=names, children=children)
    graph_formats.emit_results(
        results, form, cells, lambda: tree.picture_lines(results, picture), dsn
    )
    for each in results:
        if each.omitted:
            listed = len(result_rows(each))
            terminal.write_line(
                f"The {listed:,} nearest of {listed + each.omitted:,} {what}"
                f" {each.direction} are shown. --limit 0 shows all.",
                err=form != "tree",
            )
    report_archive(results[0].archive)


def result_rows(result: RunLineage | RunSteps) -> Sequence[RunStep | RunDependency]:
    """Return the steps, or the dependencies, of a result."""
    return result.steps if isinstance(result, RunSteps) else result.dependencies


def _picture_lines(
    result: RunLineage | RunSteps, names: Mapping[Job, str], children: Sequence[ChildRow]
) -> list[str]:
    title, nothing = run_steps.step_titles(result)
    if not result_rows(result):
        return [title, NO_DATASETS, *child_lines(children)] if children else [title, nothing]
    if isinstance(result, RunSteps):
        return run_steps.picture_lines(result, title, names)
    downstream = result.direction == "downstream"
    start = result.root.run_id if isinstance(result.root, Run) else ""
    by_run: dict[str, list[RunDependency]] = defaultdict(list)
    for edge in result.dependencies:
        near = edge.writer if downstream else edge.reader
        by_run[near.run_id if near else ""].append(edge)

    def next_branches(node: tuple[str, str]) -> list[tree.Branch[tuple[str, str]]]:
        run, _ = node
        edges = by_run.get(run, []) if run or node == ("", "") else []
        ends = [(edge, edge.reader if downstream else edge.writer) for edge in edges]
        return [
            (_far_node(edge, far), _node_name(edge), _dependency_note(edge, far, names))
            for edge, far in ends
        ]

    return [title, *tree.branch_lines((start, ""), next_branches)]


def _far_node(edge: RunDependency, far: Run | None) -> tuple[str, str]:
    """Return the node at the far end of a dependency: a run, or a source dataset."""
    return (far.run_id, "") if far else ("", edge.dataset.full_name)


def _node_name(edge: RunDependency) -> str:
    return f"{edge.dataset.full_name}{f' version {edge.version}' if edge.version else ''}"


def _dependency_note(edge: RunDependency, far: Run | None, names: Mapping[Job, str]) -> str:
    if not far:
        return "[no known writer]"
    job = "unknown job"
    if edge.job and far is edge.reader:
        job = names[edge.job]
    elif edge.job:
        job = job_names.beside_target(edge.job, edge.dataset, names)
    if far is edge.reader:
        state = (far.state or "unknown state").lower()
        return f"[read by {job}, run {far.run_id}, {state}, {edge.matched_by}]"
    return f"[{job}, {render.format_time(edge.written)}, run {far.run_id}, {edge.matched_by}]"
