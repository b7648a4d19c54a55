"""The recordings of this process: of the task of Spark that it runs, else of its capture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from lineage.records.tasks import current_task, open_task_recording

if TYPE_CHECKING:
    from lineage.records.recording import Recording


class Recorder(Protocol):
    """A capture, as the steps of its process see it."""

    def open_recording(self, node: str, source: str) -> Recording:
        """Return a recording with a part of its own."""
        ...


# The captures of this process, the innermost last.
CAPTURES: list[Recorder] = []


def recording_scope() -> Any:
    """Return what a recording belongs to: a task attempt or a capture; None if there is neither."""
    context = current_task()
    if context is not None:
        return context.taskAttemptId()
    return CAPTURES[-1] if CAPTURES else None


def open_recording(node: str, source: str) -> Recording | None:
    """Open a recording in the current scope; None for a task of a job that is not captured."""
    context = current_task()
    if context is not None:
        return open_task_recording(context, node, source)
    return CAPTURES[-1].open_recording(node, source) if CAPTURES else None
