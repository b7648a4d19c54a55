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

    from lineage.hub.active_run import ActiveRun

_is_installed = False


def listen_for(run: ActiveRun, handlers: Mapping[str, Callable[[tuple[Any, ...]], None]]) -> None:
    """Call a method of a collector with the arguments of each such event that ``run`` claims.

    The collector has a number ``failures``, which counts the exceptions of its methods.
    """
    global _is_installed
    run.handlers.update(handlers)
    if not _is_installed:
        _is_installed = True
        sys.addaudithook(_pass_event)


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
