"""Schemas of facets are those of openlineage-python."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

import pytest
from openlineage.client import event_v2, facet_v2

from lineage.openlineage.facet_schemas import OWN_SCHEMAS, SPECIFIED_SCHEMAS, facet_schema
from lineage.openlineage.producer import EVENT_SCHEMAS

if TYPE_CHECKING:
    from lineage.openlineage.facet_schemas import Holder

BASES: dict[Holder, type] = {
    "dataset": facet_v2.DatasetFacet,
    "input": facet_v2.InputDatasetFacet,
    "output": facet_v2.OutputDatasetFacet,
    "job": facet_v2.JobFacet,
    "run": facet_v2.RunFacet,
}


def facets_of_client(base: type) -> set[str]:
    """Return the schemas of the facets that openlineage-python has for a part of an event."""
    modules = (getattr(facet_v2, name) for name in dir(facet_v2))
    return {
        value._get_schema()
        for module in modules
        if isinstance(module, ModuleType)
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, base) and value is not base
    }


@pytest.mark.parametrize("holder", SPECIFIED_SCHEMAS)
def test_schemas_are_those_of_the_client(holder: Holder) -> None:
    schemas = {facet_schema(facet, holder) for facet in SPECIFIED_SCHEMAS[holder]}
    assert schemas == facets_of_client(BASES[holder])


@pytest.mark.parametrize("holder", BASES)
def test_an_unknown_facet_is_one_of_its_holder(holder: Holder) -> None:
    assert facet_schema("acme_cost", holder) == BASES[holder]._get_schema()  # type: ignore[attr-defined]


def test_a_facet_of_inputs_may_stand_with_the_dataset() -> None:
    assertions = facet_schema("dataQualityAssertions", "input")
    assert facet_schema("dataQualityAssertions", "dataset") == assertions
    # Inputs and outputs have different facets of this name.
    assert facet_schema("subset", "dataset") == facet_v2.DatasetFacet._get_schema()


def test_own_facets_have_own_schemas() -> None:
    """Whoever writes such a facet, its schema has the name that Spark's events have."""
    assert facet_schema("lineage_write", "dataset") == f"{OWN_SCHEMAS}WriteOutputDatasetFacet"
    assert facet_schema("lineage_context", "run") == f"{OWN_SCHEMAS}lineage_context"


@pytest.mark.parametrize("kind", [event_v2.RunEvent, event_v2.JobEvent, event_v2.DatasetEvent])
def test_events_have_the_schema_of_the_client(kind: type) -> None:
    assert EVENT_SCHEMAS + kind.__name__ == kind._get_schema()  # type: ignore[attr-defined]
