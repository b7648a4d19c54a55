"""Schemas of facets are those of openlineage-python."""

from __future__ import annotations

from types import ModuleType

from openlineage.client import facet_v2

from lineage.openlineage.facet_schemas import (
    LINEAGE_OF_JOBS,
    SPECIFIED_SCHEMAS,
    TAGS_OF_JOBS,
    facet_schema,
)


def test_schemas_are_those_of_the_client() -> None:
    modules = [
        getattr(facet_v2, name)
        for name in dir(facet_v2)
        if isinstance(getattr(facet_v2, name), ModuleType)
    ]
    schemas = {
        value._get_schema()
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type) and hasattr(value, "_get_schema")
    }
    assert {LINEAGE_OF_JOBS, TAGS_OF_JOBS, *map(facet_schema, SPECIFIED_SCHEMAS)} <= schemas
