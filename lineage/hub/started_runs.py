"""The runs of this process that have started and not ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lineage.hub.active_run import ActiveRun

STARTED_RUNS: dict[str, ActiveRun] = {}


def find_only_run() -> ActiveRun | None:
    """Return the only run of the process that is not the parent of another; None if there are more.

    In the thread of a library it is the run that the library works for.
    """
    runs = list(STARTED_RUNS.values())
    parents = {run.identity.parent.run_id for run in runs if run.identity.parent}
    innermost = [run for run in runs if run.run_id not in parents]
    return innermost[0] if len(innermost) == 1 else None
