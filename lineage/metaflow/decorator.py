"""The step decorator ``lineage``, whose methods Metaflow calls in the scheduler and in the tasks.

Metaflow passes all arguments by position. Nothing in here may end a flow.
"""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

from metaflow import Parameter, current
from metaflow.decorators import StepDecorator
from metaflow.exception import MetaflowException

from lineage.hub.configuration import LOG
from lineage.hub.emitter import get_emitter
from lineage.metaflow.names import (
    Attempt,
    FlowIdentity,
    changed_artifacts,
    datastore_namespace,
    input_artifacts,
)
from lineage.metaflow.scheduler import scheduled_flow
from lineage.metaflow.tasks import TaskRun

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_DONE = "data.json"  # TaskDataStore.METADATA_DATA_SUFFIX: Metaflow writes it last


def log_errors(hook: Callable[..., None]) -> Callable[..., None]:
    """Do nothing while LINEAGE_ENABLED is off, and log exceptions of the hook.

    Exceptions of Metaflow pass: @timeout raises one at any point of the process.
    """

    @functools.wraps(hook)
    def call_hook(*values: Any) -> None:
        try:
            if get_emitter().enabled:
                hook(*values)
        except MetaflowException:
            raise
        except Exception as error:  # noqa: BLE001 - the flow goes on without its lineage
            LOG.warning("Lineage of this task or flow is incomplete: %s: %r", hook.__name__, error)

    return call_hook


class LineageDecorator(StepDecorator):  # type: ignore[misc]
    """Records the run of the flow and the runs of the tasks of a step."""

    name = "lineage"

    def step_init(self, *values: Any) -> None:
        """Remember the flow and its datastore, in each process."""
        self._flow, _, self._step, _, _, self._datastore, _ = values
        self._task: TaskRun | None = None

    def _flow_run(self, run_id: str) -> FlowIdentity:
        namespace = datastore_namespace(str(self._datastore.datastore_root))
        return FlowIdentity(namespace, self._flow.name, str(run_id))

    # In the process that schedules the tasks.

    def runtime_init(self, flow: Any, graph: Any, package: Any, run_id: str) -> None:
        """Remember the run, before anything is executed."""
        self._run_id = run_id

    @log_errors
    def runtime_step_cli(self, cli_args: Any, retry_count: int, *_: Any) -> None:
        """Record the launch of an attempt."""
        options = cli_args.command_options
        attempt = Attempt(
            self._flow_run(options["run-id"]), self._step, str(options["task-id"]), retry_count
        )
        facet = self._describe_flow(options.get("tag"), options.get("clone-run-id"))
        scheduled_flow(attempt.flow_run).record_launch(attempt, facet, self._is_done)

    @log_errors
    def runtime_finished(self, exception: BaseException | None) -> None:
        """End the flow. Metaflow does not pass exceptions such as SystemExit."""
        error = exception or sys.exc_info()[1]
        flow = scheduled_flow(self._flow_run(self._run_id))
        if error is not None:
            flow.finish_step(self._step, self._is_done)
        flow.finish_flow(error, self._describe_flow())

    def _describe_flow(
        self, tags: Iterable[str] | None = None, origin_run: str | None = None
    ) -> dict[str, Any]:
        from metaflow.util import get_username

        kind = type(self._flow)
        parameters = [name for name in dir(kind) if isinstance(getattr(kind, name), Parameter)]
        return _build_facet(
            pathspec=self._flow_run(self._run_id).run_pathspec,
            parameters=parameters,
            tags=sorted(tags or ()),
            user=get_username(),
            origin_run_id=origin_run,
        )

    def _is_done(self, attempt: Attempt) -> bool:
        """Return whether the process of an attempt came to its end."""
        stored = self._datastore.get_task_datastore(
            attempt.flow_run.run,
            attempt.step,
            attempt.task,
            attempt=attempt.number,
            mode="r",
            allow_not_done=True,
        )
        return bool(stored.has_metadata(_DONE))

    # In the process of a task.

    @log_errors
    def task_pre_step(self, *values: Any) -> None:
        """Start the run of the attempt."""
        step, self._output, metadata, run_id, task_id, _, _, retry_count, _, _, inputs = values
        self._inputs = list(inputs or ())
        attempt = Attempt(self._flow_run(run_id), step, str(task_id), retry_count)
        parameters = sorted(current.get("parameter_names") or ())
        facet = _build_facet(
            pathspec=attempt.task_pathspec,
            attempt=retry_count,
            parameters=parameters,
            tags=sorted(current.tags),
            user=current.username,
            origin_run_id=current.origin_run_id,
        )
        flow = attempt.flow_run.flow
        pathspecs = [(each.step_name, f"{flow}/{each.pathspec}") for each in self._inputs]
        if current.origin_run_id:
            pathspecs = [(step, find_origin(metadata, path)) for step, path in pathspecs]
        self._task = TaskRun(
            attempt, input_artifacts(attempt.flow_run, pathspecs, parameters), facet
        )
        self._task.start_task()

    @log_errors
    def task_post_step(self, *_: Any) -> None:
        """Note that the code of the step has ended."""
        if self._task:
            self._task.leave_step()

    def task_exception(self, exception: BaseException, *_: Any) -> bool:
        """Note the error of the step. Return False: it is not handled here."""
        self._note_error(exception)
        return False

    @log_errors
    def _note_error(self, exception: BaseException) -> None:
        if self._task:
            self._task.leave_step(exception)

    @log_errors
    def task_finished(self, *values: Any) -> None:
        """End the run, after Metaflow has stored the artifacts."""
        if self._task:
            stored = self._output.ds_metadata
            types = {name: str(info.get("type")) for name, info in stored["info"].items()}
            before = [each.ds_metadata["objects"] for each in self._inputs]
            fields = changed_artifacts(stored["objects"], types, before)
            self._task.finish_task(bool(values[3]), sys.exc_info()[1], fields)


def find_origin(metadata: Any, pathspec: str) -> str:
    """Return the task that produced the artifacts of a task that a resume has cloned.

    ``metadata``: the metadata provider of the run. A resume can clone clones.
    """
    seen = {pathspec}
    while True:
        flow, run, step, task = pathspec.split("/")
        stored = metadata.get_object("task", "metadata", None, None, flow, run, step, task)
        fields = {each["field_name"]: each["value"] for each in stored or ()}
        if "origin-task-id" not in fields:
            return pathspec
        pathspec = f"{flow}/{fields['origin-run-id']}/{step}/{fields['origin-task-id']}"
        if pathspec in seen:
            return pathspec
        seen.add(pathspec)


def _build_facet(**content: Any) -> dict[str, Any]:
    return {name: value for name, value in content.items() if value not in (None, [], "")}
