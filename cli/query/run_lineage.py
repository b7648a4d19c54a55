"""Results by runs: options, trees and the other formats of ``query run`` and ``query at``."""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click

from lineage.query.records import Run
from lineage.query.run_steps import RunSteps

from ..output import graph_formats, job_names, render, terminal, tree
from . import run_steps

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lineage.query.records import Job, Link, Moment
    from lineage.query.run_steps import RunStep

    F = TypeVar("F", bound="Callable[..., Any]")

SHOWN = [
    "direction",
    "distance",
    "reader",
    "dataset",
    "version",
    "writer",
    "job",
    "written",
    "link",
]


def run_options(command: F) -> F:
    """Declare ``--runs`` and ``--perhaps``."""
    command = click.option(
        "--perhaps",
        is_flag=True,
        help="Also follow writes that a newer one of the same job may have replaced.",
    )(command)
    return click.option("--runs", is_flag=True, help="One line for each run, not for each job.")(
        command
    )


def emit(results: Sequence[Moment | RunSteps], form: str, dsn: str | None) -> None:
    """Write results as ``form``, all of them by job or all by run."""
    by_run = not isinstance(results[0], RunSteps)
    what, cells = ("links", SHOWN) if by_run else ("steps", run_steps.SHOWN)
    names = job_names.of_records(record for each in results for record in _records(each))
    picture = partial(_picture, names=names)
    graph_formats.emit(results, form, cells, lambda: tree.pictures(results, picture), dsn)
    for each in results:
        if each.left_out:
            shown = len(_records(each))
            terminal.write_line(
                f"The {shown:,} nearest of {shown + each.left_out:,} {what}"
                f" {each.direction} are shown. --limit 0 shows all.",
                err=form != "tree",
            )


def _records(found: Moment | RunSteps) -> Sequence[RunStep | Link]:
    return found.steps if isinstance(found, RunSteps) else found.links


def _picture(found: Moment | RunSteps, names: Mapping[Job, str]) -> list[str]:
    title, nothing = run_steps.title(found)
    if isinstance(found, RunSteps):
        return run_steps.picture(found, title, names) if found.steps else [title, nothing]
    if not found.links:
        return [title, nothing]
    downstream = found.direction == "downstream"
    start = found.root.run_id if isinstance(found.root, Run) else ""
    by_run: dict[str, list[Link]] = defaultdict(list)
    for link in found.links:
        near = link.writer if downstream else link.reader
        by_run[near.run_id if near else ""].append(link)

    def behind(node: tuple[str, str]) -> list[tree.Branch[tuple[str, str]]]:
        run, _ = node
        links = by_run.get(run, []) if run or node == ("", "") else []
        ends = [(link, link.reader if downstream else link.writer) for link in links]
        return [(_node(link, far), _name(link), _note(link, far, names)) for link, far in ends]

    return [title, *tree.branches((start, ""), behind)]


def _node(link: Link, far: Run | None) -> tuple[str, str]:
    """What stands behind a link: the run at its far end, or a source."""
    return (far.run_id, "") if far else ("", link.dataset.full_name)


def _name(link: Link) -> str:
    return f"{link.dataset.full_name}{f' version {link.version}' if link.version else ''}"


def _note(link: Link, far: Run | None, names: Mapping[Job, str]) -> str:
    if not far:
        return "[no run is known to have written it]"
    job = "a job that is not known"
    if link.job and far is link.reader:
        job = names[link.job]
    elif link.job:
        job = job_names.beside_target(link.job, link.dataset, names)
    if far is link.reader:
        state = (far.state or "state not known").lower()
        return f"[read by {job}, run {far.run_id}, {state}, {link.tie}]"
    return f"[{job}, {render.moment(link.written)}, run {far.run_id}, {link.tie}]"
