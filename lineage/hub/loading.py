"""Keep forks away from threads that import modules.

A child has a copy of the lock of a module that a thread of the parent is importing, and no thread
that releases it: the child would wait for it for ever.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_WAIT_SECONDS = 5.0  # seconds; a sink that hangs in its first batch must not prevent forks

_condition = threading.Condition()
_loading: set[int] = set()
_forking: set[int] = set()


@contextmanager
def loading_modules() -> Iterator[None]:
    """Delay forks of other threads for the duration of the block.

    A fork that waits goes first, or threads that load one after the other would delay it for long.
    So take no lock around the block that another block needs.
    """
    thread = threading.get_ident()
    if thread in _loading:  # inside such a block
        yield
        return
    with _condition:
        _condition.wait_for(lambda: not _forking - {thread}, _MAX_WAIT_SECONDS)
        _loading.add(thread)
    try:
        yield
    finally:
        with _condition:
            _loading.discard(thread)
            _condition.notify_all()


def before_fork() -> None:
    """Wait until no thread loads modules, and let none start."""
    thread = threading.get_ident()
    _condition.acquire()
    _forking.add(thread)
    _condition.wait_for(lambda: not _loading - {thread}, _MAX_WAIT_SECONDS)


def after_fork_in_parent() -> None:
    """Let threads load modules again."""
    _forking.discard(threading.get_ident())
    _condition.notify_all()
    _condition.release()


def after_fork_in_child() -> None:
    """Start with a new lock: the threads of the parent are not here."""
    global _condition
    _condition = threading.Condition()
    _loading.clear()
    _forking.clear()
