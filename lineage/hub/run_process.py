"""The process that ends a run. A fork copies the run, and both processes leave its block."""

from __future__ import annotations

import mmap
import os
from weakref import WeakValueDictionary


class RunProcess:
    """The process that started a run, and ends it.

    A child takes the run over if its parent is gone without having ended the run, as a daemon does.
    """

    def __init__(self) -> None:
        self._id = os.getpid()
        self._has_ended: mmap.mmap | None = None  # a byte that the children share
        _OF_ACTIVE_RUNS[id(self)] = self

    def share_end(self) -> None:
        """Let children of a fork know whether the run has ended."""
        if self._has_ended is None:
            self._has_ended = mmap.mmap(-1, 1)

    def end_run(self) -> None:
        """Mark the run as ended, for the children of earlier forks."""
        _OF_ACTIVE_RUNS.pop(id(self), None)
        if self._has_ended is not None:
            self._has_ended[0] = 1

    def is_other(self) -> bool:
        """Return whether another process ends the run, or has ended it."""
        if os.getpid() == self._id:
            return False
        if (self._has_ended is not None and self._has_ended[0]) or _is_alive(self._id):
            return True
        self._id = os.getpid()
        return False


_OF_ACTIVE_RUNS: WeakValueDictionary[int, RunProcess] = WeakValueDictionary()


def _is_alive(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _share_ends() -> None:
    for reference in _OF_ACTIVE_RUNS.valuerefs():
        process = reference()
        if process is not None:
            process.share_end()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_share_ends)
