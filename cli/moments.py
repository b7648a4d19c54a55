"""The answer of ``lineage query --at`` and ``--run``: whose writes were there when it was read."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from lineage.questions.answers import Run
from lineage.questions.moments import Moments

from . import graphs, render, tree

if TYPE_CHECKING:
    from lineage.questions.answers import Link, Moment

SHOWN = ["distance", "reader", "dataset", "version", "writer", "job", "written", "link"]
NOTHING_AT = "No run is known to have written it by then."
NOTHING_READ = "The run is not known to have read anything."


@dataclass(frozen=True, slots=True)
class Question:
    """About a dataset at a time or about a run, and how many steps."""

    dataset: str | None
    at: str | None
    run: str | None
    depth: int | None


def answer(question: Question, form: str, dsn: str | None) -> None:
    """Write the links of the moment as ``form``."""
    found = _found(question, dsn)
    graphs.emit([found], form, SHOWN, lambda: _picture(found), dsn)


def _found(question: Question, dsn: str | None) -> Moment:
    if question.run is not None:
        if question.dataset is not None or question.at is not None:
            raise click.UsageError("--run names the run alone: leave out DATASET and --at.")
        with Moments(dsn) as graph:
            return graph.read_by(question.run, question.depth)
    if question.dataset is None or question.at is None:
        raise click.UsageError("--at is about a DATASET: name it.")
    with Moments(dsn) as graph:
        return graph.at(question.dataset, question.at, question.depth)


def _picture(found: Moment) -> str:
    if isinstance(found.root, Run):
        root, start = f"run {found.root.run_id}", found.root.run_id
        title, nothing = f"{root}  [{found.root.state or 'state not known'}]", NOTHING_READ
    else:
        start = ""
        title, nothing = f"{found.root.full_name}  at {render.moment(found.at)}", NOTHING_AT
    if not found.links:
        return f"{title}\n{nothing}"
    by_reader: dict[str, list[Link]] = defaultdict(list)
    for link in found.links:
        by_reader[link.reader.run_id if link.reader else ""].append(link)

    def behind(node: tuple[str, str]) -> list[tree.Branch[tuple[str, str]]]:
        run, _ = node
        links = by_reader.get(run, []) if run or node == ("", "") else []
        return [(_node(link), _name(link), _note(link)) for link in links]

    return "\n".join([title, *tree.branches((start, ""), behind)])


def _node(link: Link) -> tuple[str, str]:
    """What stands behind a link: the run that wrote it, or a source."""
    return (link.writer.run_id, "") if link.writer else ("", link.dataset.full_name)


def _name(link: Link) -> str:
    return f"{link.dataset.full_name}{f' version {link.version}' if link.version else ''}"


def _note(link: Link) -> str:
    if not link.writer:
        return "[no run is known to have written it]"
    job = link.job.name if link.job else "a job that is not known"
    return f"[{job}, {render.moment(link.written)}, run {link.writer.run_id}, {_kind(link)}]"


def _kind(link: Link) -> str:
    return "by version" if link.exact else "by time"
