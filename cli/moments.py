"""The answer of ``lineage query --level run``: whose writes were there when something was read."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from lineage.errors import NotFound
from lineage.questions.answers import Run
from lineage.questions.moments import Moments

from . import graphs, render, tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.questions.answers import Link, Moment, OneWay

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
NOTHING_AT = "No run is known to have written it by then."
NOTHING_READ = "The run is not known to have read anything."
NOBODY_READ = "No run is known to have read what it wrote."


@dataclass(frozen=True, slots=True)
class Question:
    """About a run, or a dataset at a time or now; and how many steps. ``name`` may be either."""

    name: str | None
    at: str | None
    run: str | None
    depth: int | None


def answer(question: Question, directions: Sequence[OneWay], form: str, dsn: str | None) -> None:
    """Write the links of the moment as ``form``."""
    with Moments(dsn) as graph:
        found = [_found(graph, question, direction) for direction in directions]
    graphs.emit(found, form, SHOWN, lambda: tree.pictures(found, _picture), dsn)


def _found(graph: Moments, question: Question, direction: OneWay) -> Moment:
    if question.run is not None:
        if question.name is not None or question.at is not None:
            raise click.UsageError("--run names the run alone: leave out NAME and --at.")
        return _of_run(graph, question.run, direction, question.depth)
    if question.name is None:
        raise click.UsageError("--at is about a dataset: give its NAME." if question.at
                               else "Give the NAME of a dataset, or the id of a run.")  # fmt: skip
    if question.at is None:
        with contextlib.suppress(NotFound):
            return _of_run(graph, question.name, direction, question.depth)
        _check_dataset(graph, question.name)
    if direction == "downstream":
        raise click.UsageError(
            "At the level of runs, a dataset is only asked about upstream. "
            "--downstream begins at a run: give its id."
        )
    return graph.at(question.name, question.at, question.depth)


def _check_dataset(graph: Moments, name: str) -> None:
    try:
        graph.resolve(name)
    except NotFound as error:
        said = f'No run has the id "{name}", and no dataset is called so.'
        raise NotFound(said, error.hint) from None


def _of_run(graph: Moments, run: str, direction: OneWay, depth: int | None) -> Moment:
    return (graph.read_by if direction == "upstream" else graph.read_from)(run, depth)


def _picture(found: Moment) -> list[str]:
    downstream = found.direction == "downstream"
    if isinstance(found.root, Run):
        root, start = f"run {found.root.run_id}", found.root.run_id
        title = f"{root}  [{found.root.state or 'state not known'}]"
        nothing = NOBODY_READ if downstream else NOTHING_READ
    else:
        start = ""
        title, nothing = f"{found.root.full_name}  at {render.moment(found.at)}", NOTHING_AT
    if not found.links:
        return [title, nothing]
    by_run: dict[str, list[Link]] = defaultdict(list)
    for link in found.links:
        near = link.writer if downstream else link.reader
        by_run[near.run_id if near else ""].append(link)

    def behind(node: tuple[str, str]) -> list[tree.Branch[tuple[str, str]]]:
        run, _ = node
        links = by_run.get(run, []) if run or node == ("", "") else []
        ends = [(link, link.reader if downstream else link.writer) for link in links]
        return [(_node(link, far), _name(link), _note(link, far)) for link, far in ends]

    return [title, *tree.branches((start, ""), behind)]


def _node(link: Link, far: Run | None) -> tuple[str, str]:
    """What stands behind a link: the run at its far end, or a source."""
    return (far.run_id, "") if far else ("", link.dataset.full_name)


def _name(link: Link) -> str:
    return f"{link.dataset.full_name}{f' version {link.version}' if link.version else ''}"


def _note(link: Link, far: Run | None) -> str:
    if not far:
        return "[no run is known to have written it]"
    job = link.job.name if link.job else "a job that is not known"
    if far is link.reader:
        state = (far.state or "state not known").lower()
        return f"[read by {job}, run {far.run_id}, {state}, {link.tie}]"
    return f"[{job}, {render.moment(link.written)}, run {far.run_id}, {link.tie}]"
