"""The audit hook of this process, which passes events of Python to the collectors of a run.

An exception in an audit hook forbids what the program does, and an event that the hook raises calls
the hook again. So it raises nothing, opens nothing and logs nothing. It has no lock, because a
signal handler or a finalizer may call it while it runs. A hook cannot be removed, so it is added
for the first run that observes something.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from lineage.hub.active_run import CURRENT_RUN, PROCESS_RUNS, claiming_run

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Handle = Callable[[Any, tuple[Any, ...]], None]

# The id of the observer and its function, by event of Python.
_HANDLERS: dict[str, tuple[str, Handle]] = {}
_is_installed = False


def listen_for(observer_id: str, handlers: Mapping[str, Handle]) -> None:
    """Call a function with the collector ``observer_id`` and the arguments of each such event.

    The collector has a number ``failures``, which counts the exceptions of the functions.
    """
    global _is_installed
    _HANDLERS.update({event: (observer_id, handle) for event, handle in handlers.items()})
    if not _is_installed:
        _is_installed = True
        sys.addaudithook(_pass_event)


def _pass_event(
    event: str,
    args: tuple[Any, ...],
    # Defaults are found sooner than globals, and remain while the interpreter ends.
    current: Callable[[], Any] = CURRENT_RUN.get,
    of_process: list[Any] = PROCESS_RUNS,
    handlers: Callable[[str], tuple[str, Handle] | None] = _HANDLERS.get,
) -> None:
    run = current()
    if run is None and not of_process:
        return
    entry = handlers(event)
    if entry is None:
        return
    collector = None
    try:
        if run is None or run.has_ended:
            run = claiming_run()
            if run is None:
                return
        collector = run.collectors.get(entry[0])
        if collector is not None:
            entry[1](collector, args)
    except Exception:  # noqa: BLE001 - see above
        if collector is not None:
            collector.failures += 1
