"""The recordings of this process: of the task of Spark that it runs, else of its capture."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Protocol

from lineage.records.tasks import current_task, open_task_recording

if TYPE_CHECKING:
    from lineage.records.recording import Recording


class Recorder(Protocol):
    """A capture, as the steps of its process see it."""

    def open_recording(self, node: str, source: str) -> Recording:
        """Return a recording with a part of its own."""
        ...


# The captures of this process with the threads that opened them, the innermost last.
_CAPTURES: list[tuple[int, Recorder]] = []


def enter_capture(capture: Recorder) -> None:
    """Let the steps of this thread, and of threads without a capture, record into a capture."""
    _CAPTURES.append((threading.get_ident(), capture))


def leave_capture(capture: Recorder) -> None:
    """End the recording into a capture."""
    _CAPTURES[:] = [entry for entry in _CAPTURES if entry[1] is not capture]


def current_capture() -> Recorder | None:
    """Return the innermost capture of this thread.

    A thread without one has that of the only thread with captures. If several threads have some,
    it is not known to which of them this thread belongs.
    """
    open_captures = _CAPTURES[:]
    if not open_captures:
        return None
    own = [capture for thread, capture in open_captures if thread == threading.get_ident()]
    if own:
        return own[-1]
    is_one_thread = len({thread for thread, _ in open_captures}) == 1
    return open_captures[-1][1] if is_one_thread else None


def recording_scope() -> Any:
    """Return the owner of a recording: a task attempt or a capture; None if there is neither."""
    context = current_task()
    return context.taskAttemptId() if context is not None else current_capture()


def open_recording(node: str, source: str) -> Recording | None:
    """Open a recording in the current scope; None for a task of a job that is not captured."""
    context = current_task()
    if context is not None:
        return open_task_recording(context, node, source)
    capture = current_capture()
    return capture.open_recording(node, source) if capture is not None else None
