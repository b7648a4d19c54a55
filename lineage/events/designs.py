"""Designs: lineage between datasets and columns that is reported without a run.

A JobEvent with inputs, outputs or a lineage facet is the design of its job. A DatasetEvent with a
lineage or columnLineage facet is the design of its dataset. A design is complete: the newest one of
a job or dataset replaces all earlier ones. Only nodes of graph models that are one dataset
have a design each, because the inputs of a table in one environment are not those in another.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Raw, Struct, field

from lineage.events.explicit_sources import FACET
from lineage.model.names import of_node_id
from lineage.openlineage import DatasetEvent, JobEvent, column_lineage, explicit_lineage
from lineage.openlineage.asset_facets import CONFIDENCE, pair_confidences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lineage.openlineage import (
        ColumnLineage,
        Dataset,
        Event,
        Facets,
        TargetLineage,
    )
    from lineage.openlineage.events import Name

# Whether the holder of a design is a job, and the name of the job or dataset.
Holder: TypeAlias = tuple[bool, "Name"]

_NULL = Raw(b"null")
_DESIGNING = frozenset({FACET, "columnLineage"})  # facets of a dataset that are a design
_OF_NODE = " node"  # end of the revision of a design that a node of a graph model has


class Statement(Struct, gc=False):
    """First time, last time and greatest revision of a reported part of a design.

    ``confidence``: 0 to 1, by the event of the greatest revision.
    """

    first: str
    last: str
    revision: str
    confidence: float = 1.0

    def add_mention(self, time: str, revision: str, confidence: float = 1.0) -> None:
        """Extend the period by a time, and merge the revision."""
        self.first = min(self.first, time)
        self.last = max(self.last, time)
        if revision > self.revision:
            self.revision, self.confidence = revision, confidence


class Design(Struct, gc=False):
    """The design of one holder: pairs of source and target, and column mappings of targets.

    ``accesses``: the inputs and outputs (true) of a job, also those that are in no pair.
    """

    revision: str
    accesses: dict[tuple[Name, bool], Statement] = field(default_factory=dict)
    sources: dict[tuple[Name, Name], Statement] = field(default_factory=dict)
    columns: dict[tuple[Name, bytes], Statement] = field(default_factory=dict)


class DesignStatement(Struct, frozen=True):
    """The design that one event reports: sources and column lineage by target.

    ``inputs``: those of a job. ``confidences``: those of inputs, and those of outputs, that are not
    1. ``dependencies``: upstream and downstream jobs. ``of_node``: the holder is a node of a graph
    model, under the name that is its id.
    """

    holder: Holder
    sources: dict[Name, tuple[Name, ...]]
    columns: dict[Name, ColumnLineage]
    confidences: tuple[dict[Name, float], dict[Name, float]] = ({}, {})
    dependencies: tuple[tuple[Name, Name], ...] = ()
    inputs: tuple[Name, ...] = ()
    of_node: bool = False

    def list_accesses(self) -> Iterator[tuple[Name, bool, float]]:
        """Yield the inputs and outputs (true) of a job, with their confidences."""
        if self.holder[0]:
            for output, names in ((False, self.inputs), (True, self.sources)):
                for name in names:
                    yield name, output, self.confidences[output].get(name, 1.0)

    def confidence(self, source: Name, target: Name) -> float:
        """Return the confidence of a pair: the least of its input and its output."""
        inputs, outputs = self.confidences
        return min(inputs.get(source, 1.0), outputs.get(target, 1.0))

    @property
    def dataset_names(self) -> set[Name]:
        """The names of all its datasets."""
        named = {source for lineage in self.columns.values() for source in lineage.sources}
        return named.union(self.inputs, self.sources, self.columns, *self.sources.values())


def reports_design(event: Event) -> bool:
    """Return whether an event may report a design or a part of a graph model."""
    if isinstance(event, JobEvent):
        has_datasets = bool(event.inputs or event.outputs)
        return has_datasets or event.assets is not None or FACET in event.job.facets
    if isinstance(event, DatasetEvent):
        return event.assets is not None or not _DESIGNING.isdisjoint(event.dataset.facets)
    return False


def design_of_job(event: JobEvent) -> DesignStatement | None:
    """Return the design that an event reports; None if the event only describes the job."""
    facet = event.job.facets.get(FACET, _NULL)
    if not event.inputs and not event.outputs and facet == _NULL:
        return None
    explicit = explicit_lineage(
        event.job.key, None if facet == _NULL else bytes(facet), _lineage_facets(event.outputs)
    )
    reads = tuple(dict.fromkeys(chain((each.key for each in event.inputs), explicit.reads)))
    sources: dict[Name, tuple[Name, ...]] = {}
    columns: dict[Name, ColumnLineage] = {}
    for output in event.outputs:
        target = explicit.targets.get(output.key)
        if target is None and explicit.is_complete:
            sources[output.key] = ()
            continue
        of_columns: Iterable[Name] = ()
        if lineage := (target and target.columns) or _column_lineage(output):
            columns[output.key] = lineage
            if target is None:
                of_columns = (name for name in lineage.sources if name != output.key)
        known = sources.get(output.key, ())  # an event may list an output twice
        sources[output.key] = tuple(
            dict.fromkeys((*known, *_source_names(target, reads), *of_columns))
        )
    for name, target in explicit.targets.items():
        sources.setdefault(name, _source_names(target, reads))
        if target.columns:
            columns.setdefault(name, target.columns)
    confidences = _confidences(event.job.facets)
    return DesignStatement(
        (True, event.job.key), sources, columns, confidences, explicit.dependencies, reads
    )


def design_of_dataset(event: DatasetEvent) -> DesignStatement | None:
    """Return the design in the facets of a dataset; None if there are no such facets."""
    dataset = event.dataset
    if _DESIGNING.isdisjoint(dataset.facets):
        return None
    explicit = explicit_lineage(None, None, _lineage_facets((dataset,)))
    target = explicit.targets.get(dataset.key)
    columns = (target and target.columns) or _column_lineage(dataset)
    sources = target.sources if target else ()
    if columns and (target is None or target.from_job):
        sources = tuple(dict.fromkeys((*sources, *columns.sources)))
    node_name = _name_of_node(event)
    return DesignStatement(
        (False, node_name or dataset.key),
        {dataset.key: sources},
        {dataset.key: columns} if columns else {},
        _confidences(dataset.facets),
        of_node=node_name is not None,
    )


def add_design(
    designs: dict[Holder, Design], statement: DesignStatement, time: str, revision: str
) -> None:
    """Merge the design of an event into ``designs``."""
    if statement.of_node:
        revision += _OF_NODE
    design = designs.setdefault(statement.holder, Design(revision))
    design.revision = max(design.revision, revision)
    for name, output, confidence in statement.list_accesses():
        access = design.accesses.setdefault(
            (name, output), Statement(time, time, revision, confidence)
        )
        access.add_mention(time, revision, confidence)
    for target, sources in statement.sources.items():
        for source in sources:
            confidence = statement.confidence(source, target)
            known = design.sources.setdefault(
                (source, target), Statement(time, time, revision, confidence)
            )
            known.add_mention(time, revision, confidence)
    for target, columns in statement.columns.items():
        key = target, columns.digest
        design.columns.setdefault(key, Statement(time, time, revision)).add_mention(time, revision)


def _name_of_node(event: DatasetEvent) -> Name | None:
    """Return the name that is the id of the node of an event, if it is a name of the dataset."""
    if event.assets is None or event.assets.node is None:
        return None
    name = of_node_id(event.assets.node.node_id)
    dataset = event.dataset
    return name if name == dataset.key or name in dataset.aliases else None


def _source_names(target: TargetLineage | None, reads: tuple[Name, ...]) -> tuple[Name, ...]:
    if target is None:
        return reads
    return tuple(dict.fromkeys((*target.sources, *(reads if target.from_job else ()))))


def _confidences(facets: Facets) -> tuple[dict[Name, float], dict[Name, float]]:
    body = facets.get(CONFIDENCE, _NULL)
    return ({}, {}) if body == _NULL else pair_confidences(bytes(body))


def _column_lineage(dataset: Dataset) -> ColumnLineage | None:
    body = dataset.facets.get("columnLineage", _NULL)
    return None if body == _NULL else column_lineage(bytes(body))


def _lineage_facets(datasets: Iterable[Dataset]) -> tuple[tuple[Name, bytes], ...]:
    return tuple(
        (dataset.key, bytes(body))
        for dataset in datasets
        if (body := dataset.facets.get(FACET, _NULL)) != _NULL
    )
