"""The lock of what runs contain, because threads report to one run at the same time."""

from __future__ import annotations

import functools
import os
import threading
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")

_lock = threading.RLock()  # one for all runs: they hold it for microseconds


def lock_content(change: Callable[P, R]) -> Callable[P, R]:
    """Return a function that changes the content of a run while no other thread does."""

    @functools.wraps(change)
    def change_alone(*args: P.args, **named: P.kwargs) -> R:
        with _lock:
            return change(*args, **named)

    return change_alone


def _renew_lock() -> None:
    """Replace the lock in a child: the thread of the parent that holds it is not here."""
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)
