"""Models of Spark ML: what is saved or loaded is one dataset, though each part is an execution."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from lineage.naming import STAGE, DatasetName
from lineage.spark.datasets.resolver import Dataset
from lineage.spark.document.arguments import Files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.spark.conversion.inputs_outputs import Flow
    from lineage.spark.document.document import Document
    from lineage.spark.document.plan import Plan

SAVE = "org.apache.spark.ml.util.MLWriter.save"
SAVE_METADATA = ".DefaultParamsWriter$.saveMetadata"
LOAD_METADATA = ".DefaultParamsReader$.loadMetadata"
LOAD_NEXT = ".DefaultParamsReader$.loadParamsInstance"
WRITER = re.compile(r"\.(\w+)\$\w*Writer\.saveImpl$")
LOADING = re.compile(r"Reader\.load$|\.DefaultParamsReader\$\.load")
# What is not fitted has no data: estimators and transformers by their parameters, and pipelines.
NOT_FITTED = (".DefaultParamsWriter.saveImpl", ".Pipeline$PipelineWriter.saveImpl")

# Models in models, where the stack says that there is one.
INNER = re.compile(
    r"/(bestModel|subModels|estimator|evaluator|classifier|pipelineModel|model_\d+|oldModel)(/.*)?$"
)
LOOK = ["GlobalLimit", "LocalLimit", "LogicalRelation"]


def is_save(frames: Sequence[str]) -> bool:
    """Is it a part of saving a model?"""
    return SAVE in frames


def is_load(frames: Sequence[str]) -> bool:
    """Is it a part of loading a model?"""
    return not is_save(frames) and any(LOADING.search(frame) for frame in frames)


def name_models(document: Document, flow: Flow) -> None:
    """Put the model in the place of the part that is written or read."""
    frames = document.execution.ml if document.execution else ()
    if is_save(frames):
        _name_saved(frames, flow)
    elif is_load(frames):
        name_loaded(frames, flow)


def name_loaded(frames: Sequence[str], flow: Flow) -> None:
    """Put the model in the place of the part that these methods loaded."""
    inner = _is_inner(frames)
    loaded = list(flow.inputs.values())
    flow.inputs = {}
    for item in loaded:
        item.dataset = _model_dataset(item.dataset, inner=inner)
        flow.inputs[item.dataset.name] = item


def saved_class(frames: Sequence[str]) -> str | None:
    """Return the class of the fitted model that is saved; None where it was not fitted."""
    if any(frame.endswith(NOT_FITTED) for frame in frames):
        return None
    return next((match[1] for frame in frames if (match := WRITER.search(frame))), "MLWriter")


def _name_saved(frames: Sequence[str], flow: Flow) -> None:
    inner = _is_inner(frames)
    outputs = [
        replace(out, dataset=_model_dataset(out.dataset, inner=inner), columns=None)
        for out in flow.outputs.values()
    ]
    flow.outputs = {out.dataset.name: out for out in outputs}
    flow.writes, flow.in_memory = [], []
    for out in outputs:
        flow.target = out.dataset.display_label


def is_part(document: Document, flow: Flow) -> bool:
    """Is it a part of a model, and not the metadata that each model has once?

    Python looks at the metadata of a pipeline and of its stages before Spark loads them.
    """
    frames = document.execution.ml if document.execution else ()
    if is_save(frames):
        return _is_inner(frames) or not any(f.endswith(SAVE_METADATA) for f in frames)
    if is_load(frames):
        is_metadata = any(frame.endswith(LOAD_METADATA) for frame in frames)
        return _is_inner(frames) or not is_metadata or _is_later_stage(document)
    return not flow.outputs and _is_look_of_python(document)


def _is_inner(frames: Sequence[str]) -> bool:
    """Is it a model in a model? Then what saves or loads the outer one stands further out."""
    if is_save(frames):
        outer = frames[frames.index(SAVE) + 1 :]
        return any(frame == SAVE or frame.endswith(".saveImpl") for frame in outer)
    if any(frame.endswith(LOAD_NEXT) for frame in frames):
        return True
    readers = {frame for frame in frames if frame.endswith("Reader.load")}
    return len(readers) > 1


def _is_later_stage(document: Document) -> bool:
    """A pipeline that Python loads is loaded stage by stage: the first is told, for all."""
    stages = [STAGE.search(path) for path in _model_paths(document)]
    return any(stage and not stage[0].startswith("/stages/0_") for stage in stages)


def _is_look_of_python(document: Document) -> bool:
    """Is it the first line of a text that is called ``metadata``, fetched by Python?"""
    callsite = (document.execution.callsite if document.execution else None) or ""
    plan = document.main.plan if document.main else None
    if plan is None or document.sql is not None or ".collectToPython(" not in callsite:
        return False
    if sorted(node.op for node in plan.nodes) != LOOK:
        return False
    paths = _model_paths(document)
    return len(paths) == 1 and paths[0].endswith("/metadata") and _is_text(plan)


def _is_text(plan: Plan) -> bool:
    return all(files.format == "text" for files in _plan_files(plan))


def _model_paths(document: Document) -> list[str]:
    plan = document.main.plan if document.main else None
    return [path for files in _plan_files(plan) for path in files.paths] if plan else []


def _plan_files(plan: Plan) -> list[Files]:
    relations = (node.get_argument("relation", Files) for node in plan.nodes)
    return [files for files in relations if files is not None]


def _model_dataset(part: Dataset, *, inner: bool) -> Dataset:
    """Name the model that a path is a part of: without the part, and without the models in it."""
    path = part.name.name
    if not any(STAGE.search(place) for place in part.locations):  # whose name is the pipeline's
        path = path.rpartition("/")[0]
    while inner and INNER.search(path):
        path = INNER.sub("", path)
    return Dataset(DatasetName(part.name.namespace, path), part.kind)
