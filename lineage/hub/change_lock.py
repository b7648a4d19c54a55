"""Locks of what threads change together."""

from __future__ import annotations

import functools
import os
import threading
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")


class ChangeLock:
    """A decorator of functions, of which only one thread runs one at a time."""

    def __init__(self) -> None:
        self._renew_lock()
        if hasattr(os, "register_at_fork"):
            # The thread of the parent that holds the lock is not in the child.
            os.register_at_fork(after_in_child=self._renew_lock)

    def _renew_lock(self) -> None:
        self._lock = threading.RLock()

    def __call__(self, change: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(change)
        def change_alone(*args: P.args, **named: P.kwargs) -> R:
            with self._lock:
                return change(*args, **named)

        return change_alone


lock_content = ChangeLock()  # of all runs: they hold it for microseconds
