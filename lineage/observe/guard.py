"""Add observations to runs, and keep errors of observation away from the program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.hub.active_run import claiming_run
from lineage.hub.guard import guard_program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lineage.hub.active_run import ActiveRun
    from lineage.hub.events import Payload


def record_observations(
    describe: Callable[[], Iterable[Payload]],
    find_run: Callable[[], ActiveRun | None] = claiming_run,
) -> None:
    """Add to the run that claims them the observations that ``describe`` returns."""
    with guard_program():
        run = find_run()
        if run is not None:
            for payload in describe():
                run.add_observation(payload)
