"""Lines about the child runs of a run or a job without datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .output import render

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lineage.query.child_runs import ChildRow

NO_DATASETS = "It has no datasets. Runs that it started have, those of these jobs:"
NOT_COMPARED = "Runs that they started are not compared:"


def child_lines(children: Iterable[ChildRow], mark: str = "") -> Iterator[str]:
    """Yield a line for each job of child runs, after a mark."""
    for each in children:
        failed = [f"{each.failed:,} failed"] if each.failed else []
        counts = [render.count_of(each.runs, "run"), *failed, f"newest {each.newest}"]
        yield f"  {mark}{each.namespace}/{each.name}  [{', '.join(counts)}]"
