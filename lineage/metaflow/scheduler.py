"""The run of a flow, in the process that schedules its tasks. This module needs no Metaflow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.hub.active_run import ActiveRun, find_parent
from lineage.hub.emitter import get_emitter
from lineage.hub.events import Run, RunEvent
from lineage.metaflow.names import FACET, UNFINISHED, Attempt

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lineage.metaflow.names import FlowIdentity

_scheduled: dict[FlowIdentity, ScheduledFlow] = {}


def scheduled_flow(flow_run: FlowIdentity) -> ScheduledFlow:
    """Return the run of a flow that this process schedules; all steps share it."""
    if flow_run not in _scheduled:
        _scheduled[flow_run] = ScheduledFlow(flow_run)
    return _scheduled[flow_run]


class ScheduledFlow:
    """A run of a flow, with the attempts that were launched and not replaced by another one.

    START comes with the first launch, and not before: parameters that Metaflow rejects make no run.
    """

    def __init__(self, flow_run: FlowIdentity) -> None:
        self.flow_run = flow_run
        self._run = ActiveRun(flow_run.job, identity=Run(flow_run.run_id))
        self._has_started = False
        self._facet: Mapping[str, Any] = {}
        self._launched: dict[tuple[str, str], Attempt] = {}

    def record_launch(
        self, attempt: Attempt, facet: Mapping[str, Any], is_done: Callable[[Attempt], bool]
    ) -> None:
        """Record that a process starts for ``attempt``. The attempt before it has ended.

        ``facet``: content of ``lineage_metaflow`` of the flow. ``is_done``: whether an attempt
        ended by itself; Metaflow retries those too whose process was killed.
        """
        self._start_flow(facet)
        earlier = self._launched.get((attempt.step, attempt.task))
        if earlier is not None:
            self._end_killed(earlier, is_done)
        self._launched[attempt.step, attempt.task] = attempt

    def finish_step(self, step: str, is_done: Callable[[Attempt], bool]) -> None:
        """End the attempts of a step whose processes were killed, after the flow has failed."""
        for attempt in [each for each in self._launched.values() if each.step == step]:
            self._end_killed(attempt, is_done)

    def finish_flow(self, error: BaseException | None, facet: Mapping[str, Any]) -> None:
        """Emit the end of the flow; a second call does nothing."""
        self._start_flow(facet)
        self._run.end_run(error)

    def _start_flow(self, facet: Mapping[str, Any]) -> None:
        if not self._has_started:
            self._has_started = True
            self._facet = facet
            self._run.replace_facet(FACET, facet)
            self._run.start_run()

    def _end_killed(self, attempt: Attempt, is_done: Callable[[Attempt], bool]) -> None:
        """Emit FAIL for an attempt that has emitted no end, and perhaps no START either."""
        del self._launched[attempt.step, attempt.task]
        if is_done(attempt):
            return
        # The same content as in events of the task, because the newest facet of a run counts.
        facet = {**self._facet, "pathspec": attempt.task_pathspec, "attempt": attempt.number}
        parent = attempt.flow_run.as_parent(find_parent())
        run = Run(attempt.run_id, parent, {FACET: facet})
        get_emitter().emit(RunEvent.fail(run, attempt.job, error=f"TaskUnfinished: {UNFINISHED}"))
