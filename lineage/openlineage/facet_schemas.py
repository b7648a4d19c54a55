"""The schemas of facets: those of OpenLineage, and the names of those that only Lineage writes."""

from __future__ import annotations

from functools import cache
from typing import Literal, TypeAlias

from lineage.openlineage.producer import EVENT_SCHEMAS

# The part of an event that has a facet. Inputs and outputs have those of their dataset as well.
Holder: TypeAlias = Literal["dataset", "input", "output", "job", "run"]

_SPEC = "https://openlineage.io/spec/facets/"
OWN_SCHEMAS = "urn:lineage-age:facets:1-0-0:"
# The schemas that openlineage-python has, which would take long to import; a test compares them.
SPECIFIED_SCHEMAS: dict[Holder, dict[str, str]] = {
    "dataset": {
        "catalog": "1-1-0/CatalogDatasetFacet",
        "columnLineage": "1-2-0/ColumnLineageDatasetFacet",
        "dataQualityMetrics": "1-0-1/DataQualityMetricsDatasetFacet",
        "dataSource": "1-0-1/DatasourceDatasetFacet",
        "datasetType": "1-0-1/DatasetTypeDatasetFacet",
        "documentation": "1-1-0/DocumentationDatasetFacet",
        "hierarchy": "1-0-0/HierarchyDatasetFacet",
        "lifecycleStateChange": "1-0-1/LifecycleStateChangeDatasetFacet",
        "lineage": "1-0-0/LineageFacet#LineageDatasetFacet",
        "ownership": "1-0-1/OwnershipDatasetFacet",
        "schema": "1-2-0/SchemaDatasetFacet",
        "storage": "1-0-1/StorageDatasetFacet",
        "symlinks": "1-0-1/SymlinksDatasetFacet",
        "tags": "1-0-0/TagsDatasetFacet",
        "version": "1-0-1/DatasetVersionDatasetFacet",
    },
    "input": {
        "dataQualityAssertions": "1-1-0/DataQualityAssertionsDatasetFacet",
        "dataQualityMetrics": "1-0-3/DataQualityMetricsInputDatasetFacet",
        "inputStatistics": "1-0-0/InputStatisticsInputDatasetFacet",
        "subset": "1-0-0/BaseSubsetDatasetFacet#InputSubsetInputDatasetFacet",
    },
    "output": {
        "outputStatistics": "1-0-2/OutputStatisticsOutputDatasetFacet",
        "subset": "1-0-0/BaseSubsetDatasetFacet#OutputSubsetOutputDatasetFacet",
    },
    "job": {
        "documentation": "1-1-0/DocumentationJobFacet",
        "jobType": "2-0-4/JobTypeJobFacet",
        "lineage": "1-0-0/LineageFacet#LineageJobFacet",
        "ownership": "1-0-1/OwnershipJobFacet",
        "sourceCode": "1-0-1/SourceCodeJobFacet",
        "sourceCodeLocation": "1-1-0/SourceCodeLocationJobFacet",
        "sql": "1-1-0/SQLJobFacet",
        "tags": "1-0-0/TagsJobFacet",
    },
    "run": {
        "environmentVariables": "1-0-0/EnvironmentVariablesRunFacet",
        "errorMessage": "1-0-1/ErrorMessageRunFacet",
        "executionParameters": "1-0-0/ExecutionParametersRunFacet",
        "externalQuery": "1-0-2/ExternalQueryRunFacet",
        "extractionError": "1-1-2/ExtractionErrorRunFacet",
        "jobDependencies": "1-0-1/JobDependenciesRunFacet",
        "nominalTime": "1-0-1/NominalTimeRunFacet",
        "parent": "1-2-0/ParentRunFacet",
        "processing_engine": "1-1-1/ProcessingEngineRunFacet",
        "tags": "1-0-0/TagsRunFacet",
        "test": "1-0-1/TestRunFacet",
    },
}
_BASES: dict[Holder, str] = {
    "dataset": "DatasetFacet",
    "input": "InputDatasetFacet",
    "output": "OutputDatasetFacet",
    "job": "JobFacet",
    "run": "RunFacet",
}
# Holders whose facets producers also write for this one.
_RELATED: dict[Holder, tuple[Holder, ...]] = {
    "dataset": ("input", "output"),
    "input": ("dataset",),
    "output": ("dataset",),
}
# Facets of Lineage whose schema has another name.
_OWN = {
    "lineage_confidence": "ConfidenceFacet",
    "lineage_dbt": "DbtJobFacet",
    "lineage_edges": "EdgesFacet",
    "lineage_node": "NodeFacet",
    "lineage_queries": "QueriesRunFacet",
    "lineage_rank": "RankDatasetFacet",
    "lineage_streaming_query": "FactsRunFacet",
    "lineage_unresolved": "UnresolvedRunFacet",
    "lineage_write": "WriteOutputDatasetFacet",
    "lineage_write_modes": "WriteModesJobFacet",
}


@cache
def facet_schema(facet: str, holder: Holder) -> str:
    """Return the URL of the schema of a facet.

    It is a URN for a facet of Lineage. Of a facet that neither OpenLineage nor Lineage has, only
    its holder is known.
    """
    if facet.startswith("lineage_"):
        return f"{OWN_SCHEMAS}{_OWN.get(facet, facet)}"
    related = (SPECIFIED_SCHEMAS[each] for each in _RELATED.get(holder, ()))
    schemas = [each[facet] for each in related if facet in each]
    schema = SPECIFIED_SCHEMAS[holder].get(facet) or (schemas[0] if len(schemas) == 1 else None)
    if schema is None:
        return f"{EVENT_SCHEMAS}{_BASES[holder]}"
    version, _, names = schema.partition("/")
    file, _, definition = names.partition("#")
    return f"{_SPEC}{version}/{file}.json#/$defs/{definition or file}"
