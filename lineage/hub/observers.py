"""Observe runs by the installed observers that LINEAGE_OBSERVE names.

An observer is an entry point of the group ``lineage.observers``: a function that returns the
collector of a run that starts.
"""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Protocol

from lineage.hub.configuration import LOG

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lineage.hub.active_run import ActiveRun
    from lineage.hub.run_content import RunContent

GROUP = "lineage.observers"


class Collector(Protocol):
    """The collector of an observer for one run."""

    def report_to(self, content: RunContent) -> None:
        """Add the collected content. Called once, when the run ends."""


_loaded: dict[str, Callable[[ActiveRun], Collector] | None] = {}


def start_collectors(run: ActiveRun, observer_ids: Sequence[str]) -> dict[str, Collector]:
    """Return a collector of each observer. One that fails is logged, and left out."""
    collectors: dict[str, Collector] = {}
    for observer_id in observer_ids:
        observe = _load_observer(observer_id)
        if observe is None:
            continue
        try:
            collectors[observer_id] = observe(run)
        except Exception as error:  # noqa: BLE001 - observing must not affect the program
            LOG.warning('"%s" is not observed: %s', observer_id, error)
    return collectors


def _load_observer(observer_id: str) -> Callable[[ActiveRun], Collector] | None:
    if observer_id not in _loaded:
        installed = {entry.name.lower(): entry for entry in entry_points(group=GROUP)}
        _loaded[observer_id] = None
        if observer_id not in installed:
            LOG.warning(
                'LINEAGE_OBSERVE has "%s", which cannot be observed. There are: %s.',
                observer_id,
                ", ".join(sorted(installed)),
            )
            return None
        try:
            _loaded[observer_id] = installed[observer_id].load()
        except Exception as error:  # noqa: BLE001 - observing must not affect the program
            LOG.warning('"%s" is not observed: %s', observer_id, error)
    return _loaded[observer_id]


def report_collected(collectors: dict[str, Collector], content: RunContent) -> None:
    """Add the content of the collectors to ``content``. One that fails is logged."""
    for observer_id, collector in collectors.items():
        try:
            collector.report_to(content)
        except Exception as error:  # noqa: BLE001 - observing must not affect the program
            LOG.warning('What "%s" has observed is not recorded: %s', observer_id, error)
