"""Keep errors of observation away from the program."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from lineage.hub.active_run import claiming_run
from lineage.hub.configuration import LOG

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lineage.hub.active_run import ActiveRun
    from lineage.hub.events import Payload


@contextmanager
def guard_program() -> Iterator[None]:
    """Log an exception of the block instead of raising it."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - observing must not affect the program
        LOG.warning("An access is not recorded: %s: %s", type(error).__name__, error)


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
