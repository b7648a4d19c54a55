"""One dataset for a Spark ML model that is saved or loaded in several executions."""

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
# Without fitted data: estimators and transformers, saved by their parameters, and pipelines.
NOT_FITTED = (".DefaultParamsWriter.saveImpl", ".Pipeline$PipelineWriter.saveImpl")

# Paths of models nested in models, used only if the stack frames handle a nested model.
INNER = re.compile(
    r"/(bestModel|subModels|estimator|evaluator|classifier|pipelineModel|model_\d+|oldModel)(/.*)?$"
)
LOOK = ["GlobalLimit", "LocalLimit", "LogicalRelation"]


def is_save(frames: Sequence[str]) -> bool:
    """Return whether these stack frames save a model."""
    return SAVE in frames


def is_load(frames: Sequence[str]) -> bool:
    """Return whether these stack frames load a model."""
    return not is_save(frames) and any(LOADING.search(frame) for frame in frames)


def name_models(document: Document, flow: Flow) -> None:
    """Replace each written or loaded part of a model with the dataset of the whole model."""
    frames = document.execution.ml if document.execution else ()
    if is_save(frames):
        _name_saved(frames, flow)
    elif is_load(frames):
        name_loaded(frames, flow)


def name_loaded(frames: Sequence[str], flow: Flow) -> None:
    """Replace each part that these frames loaded with the dataset of the whole model."""
    inner = _is_inner(frames)
    loaded = list(flow.inputs.values())
    flow.inputs = {}
    for item in loaded:
        item.dataset = _model_dataset(item.dataset, inner=inner)
        flow.inputs[item.dataset.name] = item


def saved_class(frames: Sequence[str]) -> str | None:
    """Return the class of the fitted model that is saved; None if it was not fitted."""
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
    """Return whether the execution handles a part of a model other than its one metadata file.

    Python reads the metadata of a pipeline and of its stages before Spark loads them.
    """
    frames = document.execution.ml if document.execution else ()
    if is_save(frames):
        return _is_inner(frames) or not any(f.endswith(SAVE_METADATA) for f in frames)
    if is_load(frames):
        is_metadata = any(frame.endswith(LOAD_METADATA) for frame in frames)
        return _is_inner(frames) or not is_metadata or _is_later_stage(document)
    return not flow.outputs and _is_look_of_python(document)


def _is_inner(frames: Sequence[str]) -> bool:
    """Return whether the frames handle a nested model, within those of an outer model."""
    if is_save(frames):
        outer = frames[frames.index(SAVE) + 1 :]
        return any(frame == SAVE or frame.endswith(".saveImpl") for frame in outer)
    if any(frame.endswith(LOAD_NEXT) for frame in frames):
        return True
    readers = {frame for frame in frames if frame.endswith("Reader.load")}
    return len(readers) > 1


def _is_later_stage(document: Document) -> bool:
    """Return whether Python loads a pipeline stage other than the first, which is reported."""
    stages = [STAGE.search(path) for path in _model_paths(document)]
    return any(stage and not stage[0].startswith("/stages/0_") for stage in stages)


def _is_look_of_python(document: Document) -> bool:
    """Return whether Python fetches the first line of a text file named ``metadata``."""
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
    """Return the dataset of the model of a part; if ``inner``, of the outermost model."""
    path = part.name.name
    if not any(STAGE.search(place) for place in part.locations):  # else it is the pipeline's path
        path = path.rpartition("/")[0]
    while inner and INNER.search(path):
        path = INNER.sub("", path)
    return Dataset(DatasetName(part.name.namespace, path), part.kind)
