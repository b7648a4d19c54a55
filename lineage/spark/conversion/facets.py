"""The facets of datasets and runs: those of the specification, and custom ones it lacks."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import attr
from openlineage.client import facet_v2
from openlineage.client.facet_v2 import (
    base_subset_dataset,
    dataset_type_dataset,
    dataset_version_dataset,
    datasource_dataset,
    lifecycle_state_change_dataset,
    schema_dataset,
    storage_dataset,
    symlinks_dataset,
)

from lineage.columns.facet import column_lineage
from lineage.naming import DatasetName, redact_url
from lineage.openlineage.facet_schemas import OWN_SCHEMAS
from lineage.redaction import redact_text
from lineage.spark.document.data_types import schema_fields

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lineage.spark.commands.effects import Output
    from lineage.spark.datasets.resolver import Dataset, Unresolved
    from lineage.spark.document.plan import Truncated

VERSION = version("lineage-age")


def _schema_url(facet: str) -> str:
    return f"{OWN_SCHEMAS}{facet}"


@attr.define
class UnresolvedRunFacet(facet_v2.RunFacet):
    """Possible inputs or outputs of a run that could not be named: key ``lineage_unresolved``."""

    items: list[dict[str, str]]

    @staticmethod
    def _get_schema() -> str:
        return _schema_url("UnresolvedRunFacet")


@attr.define
class TruncatedRunFacet(facet_v2.RunFacet):
    """A plan that was too large to be written completely: key ``lineage_truncated``."""

    bytes: int
    lost: list[str]

    @staticmethod
    def _get_schema() -> str:
        return _schema_url("TruncatedRunFacet")


@attr.define
class FilteredRunFacet(facet_v2.RunFacet):
    """Numbers of datasets that the application's lists exclude: key ``lineage_filtered``."""

    inputs: int
    outputs: int

    @staticmethod
    def _get_schema() -> str:
        return _schema_url("FilteredRunFacet")


@attr.define
class InMemoryRunFacet(facet_v2.RunFacet):
    """Operators whose rows the driver created without a dataset: key ``lineage_in_memory``."""

    operators: list[str]

    @staticmethod
    def _get_schema() -> str:
        return _schema_url("InMemoryRunFacet")


@attr.define
class FactsRunFacet(facet_v2.RunFacet):
    """Facts reported by Spark: keys ``lineage_application`` and ``lineage_execution``."""

    facts: dict[str, Any]

    @staticmethod
    def _get_schema() -> str:
        return _schema_url("FactsRunFacet")


@attr.define
class WriteOutputDatasetFacet(facet_v2.OutputDatasetFacet):
    """The write mode: ``append``, ``overwrite``, ``overwrite_partitions`` …

    Key ``lineage_write``. The lifecycle facet of the specification has no value for an append or
    for an overwrite of some partitions.
    """

    mode: str

    @staticmethod
    def _get_schema() -> str:
        return _schema_url("WriteOutputDatasetFacet")


@attr.define
class ReadsInputDatasetFacet(facet_v2.InputDatasetFacet):
    """Reads whose rows are combined with each other, or with earlier rows of the output, or text.

    Key ``lineage_reads``. ``count``: number of reads in the plan. ``operators``: windows,
    recursions, and commands that change rows. ``options``: names of options of readers of CSV and
    JSON.
    """

    count: int
    operators: list[str]
    options: list[str] | None = None

    @staticmethod
    def _get_schema() -> str:
        return _schema_url("ReadsInputDatasetFacet")


@attr.define
class ReadTimeInputDatasetFacet(facet_v2.InputDatasetFacet):
    """When an earlier execution read the rows: key ``lineage_read_time``; ``time`` is ISO 8601."""

    time: str

    @staticmethod
    def _get_schema() -> str:
        return _schema_url("ReadTimeInputDatasetFacet")


@attr.define
class ManifestInputDatasetFacet(facet_v2.InputDatasetFacet):
    """The files that the scans of a dataset selected: key ``lineage_manifest``.

    ``scans``: the number of files, their ``bytes``, the ``newest`` modification in milliseconds
    since the epoch, and a ``digest`` of their paths, sizes and times, for each different selection.
    ``omitted``: why selections are missing.
    """

    scans: list[dict[str, Any]]
    omitted: list[str]

    @staticmethod
    def _get_schema() -> str:
        return _schema_url("ManifestInputDatasetFacet")


def dataset_facets(dataset: Dataset) -> dict[str, facet_v2.DatasetFacet]:
    """Build the facets of the dataset itself."""
    namespace = dataset.name.namespace
    facets: dict[str, facet_v2.DatasetFacet] = {
        "dataSource": datasource_dataset.DatasourceDatasetFacet(name=namespace, uri=namespace),
        "datasetType": dataset_type_dataset.DatasetTypeDatasetFacet(datasetType=dataset.kind),
    }
    if dataset.columns:
        facets["schema"] = schema_dataset.SchemaDatasetFacet(fields=schema_fields(dataset.columns))
    if dataset.format:
        facets["storage"] = storage_dataset.StorageDatasetFacet(
            storageLayer=_storage_layer(dataset.format), fileFormat=dataset.format.lower()
        )
    if dataset.tables:
        facets["symlinks"] = symlinks_dataset.SymlinksDatasetFacet(
            identifiers=[_symlink_identifier(table) for table in dataset.tables]
        )
    return facets


def _storage_layer(file_format: str) -> str:
    return file_format.lower() if file_format.lower() in ("delta", "iceberg", "hudi") else "file"


def _symlink_identifier(table: DatasetName) -> symlinks_dataset.Identifier:
    return symlinks_dataset.Identifier(namespace=table.namespace, name=table.name, type="TABLE")


def output_facets(output: Output) -> dict[str, facet_v2.DatasetFacet]:
    """Build the facets of an output, including its column lineage and lifecycle change."""
    facets = dataset_facets(output.dataset)
    if output.columns:
        facets["columnLineage"] = column_lineage(output.columns)
    if output.change:
        previous = output.previous
        facets["lifecycleStateChange"] = (
            lifecycle_state_change_dataset.LifecycleStateChangeDatasetFacet(
                lifecycleStateChange=output.change,
                previousIdentifier=previous
                and lifecycle_state_change_dataset.PreviousIdentifier(
                    name=previous.name, namespace=previous.namespace
                ),
            )
        )
    return facets


def version_facet(version: str) -> dict[str, facet_v2.DatasetFacet]:
    """Build the facet with the version of a dataset that was read or written."""
    return {"version": dataset_version_dataset.DatasetVersionDatasetFacet(version)}


def input_subset(dataset: Dataset) -> dict[str, facet_v2.InputDatasetFacet]:
    """Build the facet of exact paths, if the dataset's name covers more than was read."""
    condition = _location_subset(dataset)
    if condition is None:
        return {}
    return {"subset": base_subset_dataset.InputSubsetInputDatasetFacet(inputCondition=condition)}


def output_subset(dataset: Dataset) -> dict[str, facet_v2.OutputDatasetFacet]:
    """Build the facet of exact paths, if the dataset's name covers more than was written."""
    condition = _location_subset(dataset)
    if condition is None:
        return {}
    return {"subset": base_subset_dataset.OutputSubsetOutputDatasetFacet(outputCondition=condition)}


def _location_subset(dataset: Dataset) -> base_subset_dataset.LocationSubsetCondition | None:
    if not dataset.locations:
        return None
    paths = [redact_url(path) for path in dataset.locations]
    return base_subset_dataset.LocationSubsetCondition(locations=paths)


def plan_facets(
    unresolved: Iterable[Unresolved],
    truncated: Iterable[Truncated],
    in_memory: Iterable[str] = (),
) -> dict[str, facet_v2.RunFacet]:
    """Build the facets for unresolved and truncated parts, and for rows created by the driver."""
    facets: dict[str, facet_v2.RunFacet] = {}
    if operators := list(in_memory):
        facets["lineage_in_memory"] = InMemoryRunFacet(operators=operators)
    items = [attr_dict(item) for item in unresolved]
    if items:
        facets["lineage_unresolved"] = UnresolvedRunFacet(items=items)
    for cut in truncated:
        facets["lineage_truncated"] = TruncatedRunFacet(bytes=cut.bytes, lost=list(cut.lost))
    return facets


def attr_dict(item: Unresolved) -> dict[str, str]:
    fields = {"operator": item.operator, "reason": item.reason, "detail": item.detail}
    return {key: redact_text(text) for key, text in fields.items() if text}
