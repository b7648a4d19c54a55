"""The process that ends a run. A fork copies the run, and both processes leave its block."""

from __future__ import annotations

import mmap
import os
from weakref import WeakValueDictionary

from lineage.hub.process_state import is_running, read_start


class RunProcess:
    """The process that started a run, and ends it.

    A child takes the run over if its parent is gone without having ended the run, as a daemon does.
    """

    def __init__(self) -> None:
        self._id, self._start = os.getpid(), ""
        self._has_ended: mmap.mmap | None = None  # a byte that the children share
        _OF_ACTIVE_RUNS[id(self)] = self

    def share_end(self) -> None:
        """Let children of a fork know whether the run has ended."""
        if self._has_ended is None:
            self._has_ended = mmap.mmap(-1, 1)
            self._start = read_start(self._id)

    def end_run(self) -> None:
        """Mark the run as ended, for the children of earlier forks."""
        _OF_ACTIVE_RUNS.pop(id(self), None)
        if self._has_ended is not None:
            self._has_ended[0] = 1

    def is_other(self) -> bool:
        """Return whether another process ends the run, or has ended it."""
        if os.getpid() == self._id:
            return False
        has_ended = self._has_ended is not None and self._has_ended[0]
        if has_ended or is_running(self._id, self._start):
            return True
        self._id = os.getpid()
        self._start = read_start(self._id)
        return False


_OF_ACTIVE_RUNS: WeakValueDictionary[int, RunProcess] = WeakValueDictionary()


def _share_ends() -> None:
    for reference in _OF_ACTIVE_RUNS.valuerefs():
        process = reference()
        if process is not None:
            process.share_end()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_share_ends)
