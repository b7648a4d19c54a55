"""The audit hook of this process, which passes events of Python to the collectors of a run.

An exception in an audit hook forbids the operation of the program, and an event that the hook
raises calls the hook again. So it raises nothing, opens nothing and logs nothing. It has no lock,
because a signal handler or a finalizer may call it while it runs. A hook cannot be removed, so it
is added for the first run that observes something.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from lineage.hub.active_run import CURRENT_RUN, PROCESS_RUNS, claiming_run

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lineage.hub.active_run import ActiveRun

_is_installed = False


def listen_for(run: ActiveRun, handlers: Mapping[str, Callable[[tuple[Any, ...]], None]]) -> None:
    """Call a method of a collector with the arguments of each such event that ``run`` claims.

    The collector has a number ``failures``, which counts the exceptions of its methods.
    """
    global _is_installed
    for event, handle in handlers.items():
        earlier = run.handlers.get(event)
        run.handlers[event] = _Both(earlier, handle).pass_event if earlier else handle
    if not _is_installed:
        _is_installed = True
        sys.addaudithook(_pass_event)


class _Both:
    """Two methods of collectors that take the same event."""

    def __init__(self, *handlers: Any) -> None:
        self.failures = 0
        self._handlers = handlers

    def pass_event(self, args: tuple[Any, ...]) -> None:
        for handle in self._handlers:
            try:
                handle(args)
            except Exception:  # noqa: BLE001 - see above
                handle.__self__.failures += 1


def _pass_event(
    event: str,
    args: tuple[Any, ...],
    # Defaults are found sooner than globals, and remain while the interpreter ends.
    current: Callable[[], ActiveRun | None] = CURRENT_RUN.get,
    of_process: list[ActiveRun] = PROCESS_RUNS,
    claim: Callable[[], ActiveRun | None] = claiming_run,
) -> None:
    run = current()
    if (run is None or run.has_ended) and (not of_process or (run := claim()) is None):
        return
    handle = run.handlers.get(event)
    if handle is None:
        return
    try:
        handle(args)
    except Exception:  # noqa: BLE001 - see above
        handle.__self__.failures += 1
