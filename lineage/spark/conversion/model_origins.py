"""The data on which Spark ML models were fitted, or from which they were loaded.

The listener adds to each document the plans that were read while its models were fitted or loaded.
A model is followed if all its possible origins have the same inputs. Otherwise it is marked as
unresolved.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lineage.spark.conversion.inputs_outputs import Flow, Input, InputOutputWalk
from lineage.spark.conversion.models import is_load, is_save, name_loaded, saved_class
from lineage.spark.datasets.relations import ROWS_OF_RDDS
from lineage.spark.datasets.resolver import DatasetResolver, Unresolved

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lineage.spark.document.document import Document, Models
    from lineage.spark.document.plan import Plan

TRAINING = re.compile(r"\.(\w+)\.(?:fit|train)(?:Impl)?$")
READER = re.compile(r"\.(\w+)\$\w+Reader\.load$")
# Replacements that turn a model's name into its estimator's, apart from removing "Model".
CLASSIFICATION = ("ClassificationModel", "Classifier")
REGRESSION = ("RegressionModel", "Regressor")
DISCRETIZER = "QuantileDiscretizer"
# Models that contain others: every fitted model may be one of their parts.
COMPOSITES = {"PipelineModel", "CrossValidatorModel", "TrainValidationSplitModel", "OneVsRestModel"}
# These can be built from values, in which case they have no input data.
BUILT = {"Bucketizer", "CountVectorizerModel", "StringIndexerModel"}
UNKNOWN = "a model whose origin is not known"


@dataclass(frozen=True)
class Use:
    """A model that is applied or saved, by its class.

    ``is_fitted`` is true if it was fitted in the application, false if it was loaded, and None if
    that is unknown.
    """

    cls: str
    is_fitted: bool | None = None


@dataclass
class Origin:
    """The inputs of one execution while a model was fitted or loaded."""

    classes: frozenset[str]
    is_load: bool
    inputs: Flow

    def may_be_of(self, use: Use) -> bool:
        """Return whether this execution may have fitted or loaded the model."""
        if use.is_fitted is not None and use.is_fitted is self.is_load:
            return False
        if self.is_load and not self.inputs.inputs:  # a job over data that had been read before
            return False
        if use.cls in COMPOSITES:
            return True
        return bool(self.classes & ({use.cls} if self.is_load else estimators_of(use.cls)))


def follow_models(document: Document, flow: Flow, plans: Iterable[Plan]) -> None:
    """Add the origins of models that are applied or saved; if not known, an unresolved entry."""
    uses = {use for plan in plans for use in uses_of(plan)}
    frames = document.execution.ml if document.execution else ()
    if is_save(frames) and (cls := saved_class(frames)):
        uses = {Use(cls)}
    models = document.models
    if not uses or (models is None and not document.is_end):
        return
    flow.sources.clear()  # it is not known which outputs the models are applied to
    origins = _model_origins(document, models) if models and models.is_complete else []
    _follow_uses(flow, uses, origins, is_training=_is_training(frames))


def estimators_of(model: str) -> frozenset[str]:
    """Return the possible classes of a model's estimator."""
    names = {
        model.removesuffix("Model"),
        model.replace(*CLASSIFICATION),
        model.replace(*REGRESSION),
    }
    return frozenset(names | ({DISCRETIZER} if model == "Bucketizer" else set()))


def uses_of(plan: Plan) -> Iterator[Use]:
    """Yield the models that expressions of a plan apply."""
    for expr in plan.exprs:
        if expr.model is not None:
            yield Use(expr.model, expr.is_fitted)


def _model_origins(document: Document, models: Models) -> list[Origin]:
    origins: list[Origin] = []
    names = DatasetResolver(document.app.conf)
    for frames, plan in models.origins:
        inputs = Flow()
        InputOutputWalk(inputs, document, plan, 0, names, {}).run()
        _follow_uses(inputs, set(uses_of(plan)), origins, is_training=_is_training(frames))
        of_load = is_load(frames)
        if of_load:
            name_loaded(frames, inputs)
        pattern = READER if of_load else TRAINING
        classes = (match[1] for frame in frames if (match := pattern.search(frame)))
        origins.append(Origin(frozenset(classes), of_load, inputs))
    return origins


def _is_training(frames: Sequence[str]) -> bool:
    return any(TRAINING.search(frame) for frame in frames)


def _follow_uses(
    flow: Flow, uses: set[Use], origins: Sequence[Origin], *, is_training: bool
) -> None:
    for use in sorted(uses, key=lambda use: (use.cls in BUILT, str(use))):
        possible = [origin for origin in origins if origin.may_be_of(use)]
        if is_training and not use.is_fitted and not possible:
            continue  # the model being fitted, which has no estimator yet
        sources = {frozenset(origin.inputs.inputs) for origin in possible}
        may_be_of_nothing = use.cls in BUILT and not all(flow.inputs.keys() >= of for of in sources)
        if len(sources) != 1 or may_be_of_nothing:
            flow.unresolved.append(Unresolved(use.cls, UNKNOWN))
            continue
        for origin in possible:
            _add_origin(flow, origin.inputs)


def _add_origin(flow: Flow, origin: Flow) -> None:
    """Add the inputs of a model; their rows are not counted again."""
    for name, item in origin.inputs.items():
        flow.inputs.setdefault(name, Input(item.dataset))
    flow.unresolved += [
        item
        for item in origin.unresolved
        # unknown columns of an RDD with known source do not matter: a model has no columns
        if (item.operator not in ROWS_OF_RDDS or item.detail) and item not in flow.unresolved
    ]
