"""Names of runs, jobs and datasets of Metaflow. This module does not need Metaflow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.hub.configuration import default_namespace
from lineage.hub.documents import run_uuid
from lineage.hub.events import Dataset, Job, ParentRun

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# The step that holds the parameters of a run. No task of the flow writes it.
PARAMETERS = "_parameters"
FACET = "lineage_metaflow"
# The message of an attempt whose process ended without an exception of the step.
UNFINISHED = "The process ended before Metaflow had stored the artifacts of the task."
_MAX_FIELDS = 1000


class FlowIdentity(NamedTuple):
    """A run of a flow. ``datastore``: the namespace of its artifacts."""

    datastore: str
    flow: str
    run: str

    @property
    def run_id(self) -> str:
        """The id of the run in OpenLineage, a UUID.

        Ids of Metaflow are unique only within its datastore.
        """
        return run_uuid(f"{self.datastore}/{self.flow}/{self.run}")

    @property
    def local_root(self) -> str | None:
        """The directory of the datastore; None if it is no directory of this machine."""
        root = self.datastore.removeprefix("metaflow://")
        return root if root.startswith("/") else None

    @property
    def run_pathspec(self) -> str:
        """The name of the run in Metaflow."""
        return f"{self.flow}/{self.run}"

    @property
    def job(self) -> Job:
        """The job of the flow."""
        return _build_job(self.flow, "FLOW")

    def as_parent(self, outer: ParentRun | None) -> ParentRun:
        """Return this run as the parent of its tasks; ``outer``: the run that started the flow."""
        root = outer and (outer.root or outer)
        return ParentRun(self.run_id, self.job, root)


class Attempt(NamedTuple):
    """An attempt of a task. ``number``: 0 for the first."""

    flow_run: FlowIdentity
    step: str
    task: str
    number: int

    @property
    def run_id(self) -> str:
        """The id of the attempt in OpenLineage, a UUID."""
        flow = self.flow_run
        return run_uuid(f"{flow.datastore}/{self.task_pathspec}/{self.number}")

    @property
    def task_pathspec(self) -> str:
        """The name of the task in Metaflow."""
        return f"{self.flow_run.run_pathspec}/{self.step}/{self.task}"

    @property
    def job(self) -> Job:
        """The job of all tasks of the step."""
        return _build_job(f"{self.flow_run.flow}.{self.step}", "STEP")

    def output_artifacts(self, fields: Mapping[str, str]) -> Dataset:
        """Return the output of a task. ``fields``: types of the artifacts that it has set."""
        return _artifacts_of_step(self.flow_run, self.step, [self.task_pathspec], fields)


def datastore_namespace(root: str) -> str:
    """Return the namespace of artifacts in the datastore at ``root``, a path or a URL."""
    root = root.rstrip("/")
    return f"metaflow+{root}" if "://" in root else f"metaflow://{root}"


def input_artifacts(
    flow_run: FlowIdentity, pathspecs: Iterable[tuple[str, str]], parameters: Iterable[str]
) -> list[Dataset]:
    """Return the inputs of a task: a dataset for each step. The first step reads the parameters.

    ``pathspecs``: step and pathspec of each task that handed on artifacts. ``parameters``: the
    names of the parameters of the flow; a flow without any reads nothing.
    """
    by_step: dict[str, list[str]] = {}
    for step, pathspec in pathspecs:
        by_step.setdefault(step, []).append(pathspec)
    names = dict.fromkeys(parameters, "")
    if not names:
        by_step.pop(PARAMETERS, None)
    return [
        _artifacts_of_step(flow_run, step, tasks, names if step == PARAMETERS else {})
        for step, tasks in by_step.items()
    ]


def _artifacts_of_step(
    flow_run: FlowIdentity, step: str, pathspecs: list[str], fields: Mapping[str, str]
) -> Dataset:
    """Return the dataset of a step; its version is the pathspec of the task."""
    facets: dict[str, Any] = {"version": {"datasetVersion": pathspecs[-1]}}
    if len(pathspecs) > 1:
        facets["lineage_versions"] = {"versions": pathspecs}
    if fields:
        described = [
            {"name": name, "type": type} if type else {"name": name}
            for name, type in sorted(fields.items())[:_MAX_FIELDS]
        ]
        facets["schema"] = {"fields": described}
    return Dataset(flow_run.datastore, f"{flow_run.flow}/{step}", facets)


def changed_artifacts(
    keys: Mapping[str, str], types: Mapping[str, str], inputs: Iterable[Mapping[str, str]]
) -> dict[str, str]:
    """Return the types of the artifacts that a task has set, by their names.

    ``keys``: the digest of each artifact after the task; ``inputs``: those of the tasks before. An
    artifact with the digest that an input has was handed through.
    """
    before = [dict(each) for each in inputs]
    return {
        name: _plain_type(types.get(name, ""))
        for name, key in keys.items()
        if not name.startswith("_") and name != "name"
        if all(each.get(name) != key for each in before)
    }


def _plain_type(text: str) -> str:
    """Return ``pandas.DataFrame`` of ``<class 'pandas.DataFrame'>``, as Metaflow stores it."""
    return text.removeprefix("<class '").removesuffix("'>")


def _build_job(name: str, kind: str) -> Job:
    facet = {"processingType": "BATCH", "integration": "METAFLOW", "jobType": kind}
    return Job(default_namespace(), name, {"jobType": facet})
