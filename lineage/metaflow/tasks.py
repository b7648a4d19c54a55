"""The run of a task, in the process of the task. This module does not need Metaflow."""

from __future__ import annotations

import atexit
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from lineage.hub.active_run import ActiveRun, find_parent
from lineage.hub.events import Run
from lineage.metaflow.names import FACET, UNFINISHED
from lineage.naming import DatasetName
from lineage.redaction import redact_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lineage.hub.events import Dataset
    from lineage.metaflow.names import Attempt

_running: list[TaskRun] = []


def running_task() -> TaskRun | None:
    """Return the run of the task that this process executes."""
    return _running[-1] if _running else None


class TaskRun(ActiveRun):
    """An attempt of a task. While the step runs, it is the current run of the process.

    ``facet``: content of the run facet ``lineage_metaflow``.
    """

    def __init__(self, attempt: Attempt, inputs: Sequence[Dataset], facet: Mapping[str, Any]):
        parent = attempt.flow_run.as_parent(find_parent())
        identity = Run(attempt.run_id, parent, {FACET: dict(facet)})
        super().__init__(attempt.job, identity=identity)
        self.attempt = attempt
        # Artifacts are files there, which a step reads when it first uses them.
        self.own_directories = tuple(filter(None, [attempt.flow_run.local_root]))
        self.error: BaseException | None = None
        self._context = ExitStack()
        for dataset in inputs:
            self.reads(dataset)

    def start_task(self) -> None:
        """Emit START, and become the current run."""
        self.start_run()
        _running.append(self)
        self._context.enter_context(self.activate_run())
        # Registered after that of the hub, and so called before it.
        atexit.register(self._end_unfinished)

    def leave_step(self, error: BaseException | None = None) -> None:
        """Stop being the current run: Metaflow's own work follows. The run goes on."""
        self.error = error
        self._context.close()
        self.stop_observing()

    def finish_task(
        self, is_ok: bool, error: BaseException | None, fields: Mapping[str, str]
    ) -> None:
        """Emit the end. ``is_ok``: whether Metaflow goes on with the artifacts of the task.

        ``error``: cause of the end of the process, if ``leave_step`` was not called. ``fields``:
        types of the artifacts that the task has set.
        """
        self.leave_step(self.error or error)
        if is_ok and self.error is not None:
            self._withdraw_outputs(self.error)
        self.content.add_output(self.attempt.output_artifacts(fields))
        atexit.unregister(self._end_unfinished)
        self.end_run(None if is_ok else _cause_of(self.error))

    def _withdraw_outputs(self, error: BaseException) -> None:
        """Move the outputs of a step that @catch has caught to the facet.

        The run is successful, because the flow goes on with its artifacts. Its code failed, and
        nobody knows which of its outputs it had written.
        """
        facet = {**self.identity.facets[FACET], "caught": _describe_error(error)}
        if self.content.outputs:
            names = [
                DatasetName(each.namespace, each.name).full_name
                for each in self.content.outputs.values()
            ]
            facet["unconfirmed_outputs"] = names
            self.content.outputs.clear()
        self.replace_facet(FACET, facet)

    def _end_unfinished(self) -> None:
        self._context.close()
        self.end_run(_cause_of(self.error))


class TaskUnfinished(Exception):
    """The end of a task whose step raised no exception, and that has not succeeded."""


def _cause_of(error: BaseException | None) -> BaseException:
    """Return the error of a failed task. An exit is no success of the task, whatever its code."""
    if error is None:
        return TaskUnfinished(UNFINISHED)
    if isinstance(error, SystemExit):
        return TaskUnfinished(f"The step ended its process with exit code {error.code!r}.")
    return error


def _describe_error(error: BaseException) -> str:
    return redact_text(f"{type(error).__name__}: {error}")
