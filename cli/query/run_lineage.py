"""The answer of ``lineage query --level run``: whose writes were there when something was read."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import click

from lineage.errors import NotFound
from lineage.query.names import resolve_dataset, resolve_run_id
from lineage.query.records import Run
from lineage.query.run_steps import RunSteps, trace_run_steps, trace_steps_at
from lineage.query.runs import trace_runs, trace_runs_at
from lineage.query.session import Session

from .. import options
from ..output import graph_formats, job_names, render, terminal, tree
from . import run_steps

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lineage.query.records import Job, Link, Moment, OneWay
    from lineage.query.run_steps import RunStep

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


@dataclass(frozen=True, slots=True)
class Question:
    """About a run, or a dataset at a time or now; and how many steps. ``name`` may be either.

    ``runs``: each run, not a step for all runs of a job. ``limit`` is None for the default and 0
    for all.
    """

    name: str | None
    at: str | None
    run: str | None
    depth: int | None
    runs: bool = False
    perhaps: bool = False
    limit: int | None = None

    @property
    def most(self) -> int | None:
        """At most so many steps or links; None for all."""
        return options.MOST if self.limit is None else self.limit or None


def answer(question: Question, directions: Sequence[OneWay], form: str, dsn: str | None) -> None:
    """Write the answer as ``form``: from job to job, or run by run."""
    by_run = question.runs or form == "openlineage"
    with Session(dsn) as session:
        found = [_found(session, question, direction, by_run) for direction in directions]
    what, cells = ("links", SHOWN) if by_run else ("steps", run_steps.SHOWN)
    names = job_names.of_records(record for each in found for record in _records(each))
    picture = partial(_picture, names=names)
    graph_formats.emit(found, form, cells, lambda: tree.pictures(found, picture), dsn)
    for each in found:
        if each.left_out:
            shown = len(_records(each))
            terminal.write_line(
                f"The {shown:,} nearest of {shown + each.left_out:,} {what}"
                f" {each.direction} are shown. --limit 0 shows all.",
                err=form != "tree",
            )


def _found(
    session: Session, question: Question, direction: OneWay, by_run: bool
) -> Moment | RunSteps:
    if question.run is not None:
        if question.name is not None or question.at is not None:
            raise click.UsageError("--run names the run alone: leave out NAME and --at.")
        return _of_run(session, question, question.run, direction, by_run)
    if question.name is None:
        raise click.UsageError("--at is about a dataset: give its NAME." if question.at
                               else "Give the NAME of a dataset, or the id of a run.")  # fmt: skip
    if question.at is None:
        with contextlib.suppress(NotFound):
            return _of_run(
                session, question, resolve_run_id(session, question.name), direction, by_run
            )
        _check_dataset(session, question.name)
    if direction == "downstream":
        raise click.UsageError(
            "At the level of runs, a dataset is only asked about upstream. "
            "--downstream begins at a run: give its id."
        )
    trace = trace_runs_at if by_run else trace_steps_at
    return trace(
        session, question.name, question.at, question.depth,
        limit=question.most, perhaps=question.perhaps,
    )  # fmt: skip


def _check_dataset(session: Session, name: str) -> None:
    try:
        resolve_dataset(session, name)
    except NotFound as error:
        said = f'No run has the id "{name}", and no dataset is called so.'
        raise NotFound(said, error.hint) from None


def _of_run(
    session: Session, question: Question, run: str, direction: OneWay, by_run: bool
) -> Moment | RunSteps:
    depth, limit, perhaps = question.depth, question.most, question.perhaps
    trace = trace_runs if by_run else trace_run_steps
    return trace(session, run, direction, depth, limit=limit, perhaps=perhaps)


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
    job = names[link.job] if link.job else "a job that is not known"
    if far is link.reader:
        state = (far.state or "state not known").lower()
        return f"[read by {job}, run {far.run_id}, {state}, {link.tie}]"
    return f"[{job}, {render.moment(link.written)}, run {far.run_id}, {link.tie}]"
