"""The base class of flows whose lineage is recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.errors import UsageError
from lineage.extras import install_hint
from lineage.hub.active_run import ActiveRun
from lineage.hub.configuration import default_namespace
from lineage.hub.emitter import get_emitter
from lineage.hub.events import Job
from lineage.metaflow.tasks import running_task

try:
    from metaflow import FlowMutator, FlowSpec
except ImportError as error:
    raise UsageError(
        f"LineageFlow needs Metaflow 2.16 or later: {error}.", install_hint("metaflow")
    ) from error

if TYPE_CHECKING:
    from metaflow.user_decorators.mutable_flow import MutableFlow


class RecordSteps(FlowMutator):  # type: ignore[misc]
    """Adds the decorator ``lineage`` to each step, if LINEAGE_ENABLED is on."""

    def mutate(self, mutable_flow: MutableFlow) -> None:
        """Add the decorator."""
        if get_emitter().enabled:
            for _, step in mutable_flow.steps:
                step.add_decorator("lineage", duplicates=step.IGNORE)


# With parentheses: without them the name would be the mutator and not the class.
@RecordSteps()
class LineageFlow(FlowSpec):  # type: ignore[misc]
    """A FlowSpec that records its runs, its tasks and the artifacts that steps hand on.

    It changes nothing while LINEAGE_ENABLED is off.
    """

    # A property of the class is no artifact, and no value of it is stored.
    @property
    def lineage(self) -> ActiveRun:
        """The run of the task: ``reads`` and ``writes`` record files, tables and URLs."""
        return running_task() or ActiveRun(Job(default_namespace(), type(self).__name__))
