"""The answer of ``lineage query --level job``: which jobs feed which."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lineage.query.jobs import trace_jobs
from lineage.query.records import Dataset
from lineage.query.session import Session

from ..output import graph_formats, job_names, terminal, tree
from . import filter_options

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lineage.query.filters import Filters
    from lineage.query.records import Job, JobTrace, OneWay

SHOWN = ["direction", "distance", "source", "target", "dataset", "written", "read", "stale"]
NOTHING = {
    "upstream": "No run that ended well, or still runs, wrote what it read.",
    "downstream": "No run that ended well, or still runs, read what it wrote.",
}
NOTHING_OF_A_DATASET = {
    "upstream": "No run that ended well, or still runs, wrote it.",
    "downstream": "No run that ended well, or still runs, read it.",
}


def answer(
    name: str,
    directions: Sequence[OneWay],
    depth: int | None,
    filters: Filters,
    form: str,
    dsn: str | None,
) -> None:
    """Write the jobs that feed a job or a dataset, or that it feeds, as ``form``."""
    with Session(dsn) as session:
        traces = [trace_jobs(session, name, each, depth, filters) for each in directions]
    picture = partial(_picture, names=job_names.of_records(e for t in traces for e in t.edges))
    graph_formats.emit(traces, form, SHOWN, lambda: tree.pictures(traces, picture), dsn)
    for trace in traces:
        for line in filter_options.left_out(trace, "job"):
            terminal.write_line(line, err=form != "tree")


def _picture(trace: JobTrace, names: Mapping[Job, str]) -> list[str]:
    if len(trace.nodes) > 1 or trace.edges or trace.hidden:
        return tree.draw(trace, names)
    nothing = NOTHING_OF_A_DATASET if isinstance(trace.root, Dataset) else NOTHING
    return [str(trace.root), nothing[trace.direction]]
