"""Facets of the events that readers write, with the schemas of OpenLineage and of Lineage."""

from __future__ import annotations

from typing import Any, TypeAlias

Facets: TypeAlias = dict[str, dict[str, Any]]

# The schemas that openlineage-python has, which would take long to import; a test compares them.
_SPECIFIED = {
    "dataQualityAssertions": "1-1-0/DataQualityAssertionsDatasetFacet",
    "datasetType": "1-0-1/DatasetTypeDatasetFacet",
    "documentation": "1-1-0/DocumentationDatasetFacet",
    "errorMessage": "1-0-1/ErrorMessageRunFacet",
    "externalQuery": "1-0-2/ExternalQueryRunFacet",
    "jobType": "2-0-4/JobTypeJobFacet",
    "lineage": "1-0-0/LineageFacet#LineageDatasetFacet",
    "lifecycleStateChange": "1-0-1/LifecycleStateChangeDatasetFacet",
    "outputStatistics": "1-0-2/OutputStatisticsOutputDatasetFacet",
    "ownership": "1-0-1/OwnershipDatasetFacet",
    "parent": "1-2-0/ParentRunFacet",
    "processing_engine": "1-1-1/ProcessingEngineRunFacet",
    "schema": "1-2-0/SchemaDatasetFacet",
    "sql": "1-1-0/SQLJobFacet",
    "tags": "1-0-0/TagsDatasetFacet",
    "test": "1-0-1/TestRunFacet",
}
_OWN = {
    "lineage_queries": "QueriesRunFacet",
    "lineage_unresolved": "UnresolvedRunFacet",
    "lineage_write": "WriteOutputDatasetFacet",
}


def facet_schema(facet: str) -> str:
    """Return the URL of the schema of a facet."""
    if facet in _OWN:
        return f"urn:lineage-age:facets:1-0-0:{_OWN[facet]}"
    version, _, names = _SPECIFIED[facet].partition("/")
    file, _, definition = names.partition("#")
    return f"https://openlineage.io/spec/facets/{version}/{file}.json#/$defs/{definition or file}"


def build_facet(facet: str, /, producer: str, **body: Any) -> Facets:
    """Return the facet of that name, without fields that are None."""
    present = {key: value for key, value in body.items() if value is not None}
    return {facet: {"_producer": producer, "_schemaURL": facet_schema(facet), **present}}
