"""The schemas of facets: those of OpenLineage, and the names of those that only Lineage writes."""

from __future__ import annotations

from functools import cache

_SPEC = "https://openlineage.io/spec/facets/"
OWN_SCHEMAS = "urn:lineage-age:facets:1-0-0:"
# The schemas that openlineage-python has, which would take long to import; a test compares them.
SPECIFIED_SCHEMAS = {
    "dataQualityAssertions": "1-1-0/DataQualityAssertionsDatasetFacet",
    "datasetType": "1-0-1/DatasetTypeDatasetFacet",
    "documentation": "1-1-0/DocumentationDatasetFacet",
    "errorMessage": "1-0-1/ErrorMessageRunFacet",
    "externalQuery": "1-0-2/ExternalQueryRunFacet",
    "inputStatistics": "1-0-0/InputStatisticsInputDatasetFacet",
    "jobType": "2-0-4/JobTypeJobFacet",
    "lifecycleStateChange": "1-0-1/LifecycleStateChangeDatasetFacet",
    "lineage": "1-0-0/LineageFacet#LineageDatasetFacet",
    "outputStatistics": "1-0-2/OutputStatisticsOutputDatasetFacet",
    "ownership": "1-0-1/OwnershipDatasetFacet",
    "parent": "1-2-0/ParentRunFacet",
    "processing_engine": "1-1-1/ProcessingEngineRunFacet",
    "schema": "1-2-0/SchemaDatasetFacet",
    "sql": "1-1-0/SQLJobFacet",
    "symlinks": "1-0-1/SymlinksDatasetFacet",
    "tags": "1-0-0/TagsDatasetFacet",
    "test": "1-0-1/TestRunFacet",
    "version": "1-0-1/DatasetVersionDatasetFacet",
}
LINEAGE_OF_JOBS = f"{_SPEC}1-0-0/LineageFacet.json#/$defs/LineageJobFacet"
TAGS_OF_JOBS = f"{_SPEC}1-0-0/TagsJobFacet.json#/$defs/TagsJobFacet"


@cache
def facet_schema(facet: str) -> str:
    """Return the URL of the schema of a facet; of one that OpenLineage has not, a URN."""
    if facet not in SPECIFIED_SCHEMAS:
        return f"{OWN_SCHEMAS}{facet}"
    version, _, names = SPECIFIED_SCHEMAS[facet].partition("/")
    file, _, definition = names.partition("#")
    return f"{_SPEC}{version}/{file}.json#/$defs/{definition or file}"
