"""Imports in the threads of sinks, which no fork interrupts.

A module that another thread is importing remains half-initialized in a forked child for ever.
"""

from __future__ import annotations

import os
import threading

_LONGEST_WAIT = 5.0  # seconds that a fork waits: a sink may connect to a server while it loads


class LoadingLock:
    """Held by a thread while it loads a sink, and by a thread that forks."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._forking: set[int] = set()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def wait_before_fork(self) -> None:
        """Wait until no thread loads a sink."""
        if self._lock.acquire(timeout=_LONGEST_WAIT):
            self._forking.add(threading.get_ident())

    def release_in_parent(self) -> None:
        """Let threads load sinks again."""
        if threading.get_ident() in self._forking:
            self._forking.discard(threading.get_ident())
            self._lock.release()

    def restart_in_child(self) -> None:
        """Forget the threads of the parent."""
        self._lock = threading.RLock()
        self._forking.clear()


LOADING = LoadingLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=LOADING.wait_before_fork,
        after_in_parent=LOADING.release_in_parent,
        after_in_child=LOADING.restart_in_child,
    )
