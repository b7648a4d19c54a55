"""Facets of the events that readers write, with the schemas of OpenLineage and of Lineage."""

from __future__ import annotations

from typing import Any, TypeAlias

from lineage.openlineage.facet_schemas import facet_schema

Facets: TypeAlias = dict[str, dict[str, Any]]

_OWN = {
    "lineage_dbt": "DbtJobFacet",
    "lineage_queries": "QueriesRunFacet",
    "lineage_unresolved": "UnresolvedRunFacet",
    "lineage_write": "WriteOutputDatasetFacet",
}


def build_facet(facet: str, /, producer: str, **body: Any) -> Facets:
    """Return the facet of that name, without fields that are None."""
    schema = facet_schema(_OWN.get(facet, facet))
    present = {key: value for key, value in body.items() if value is not None}
    return {facet: {"_producer": producer, "_schemaURL": schema, **present}}
