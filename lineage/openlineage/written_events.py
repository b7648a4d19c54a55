"""Facets and events that Lineage writes, with the properties that the spec requires."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from lineage.openlineage.facet_schemas import facet_schema
from lineage.openlineage.producer import EVENT_SCHEMAS, PRODUCER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineage.openlineage.facet_schemas import Holder

Kind: TypeAlias = Literal["RunEvent", "JobEvent", "DatasetEvent"]


def complete_facet(
    facet: str, holder: Holder, body: Mapping[str, Any], producer: str = PRODUCER
) -> dict[str, Any]:
    """Return a facet with a producer and a schema, unless ``body`` has its own.

    ``holder``: the part of an event that has the facet, which determines the schema.
    """
    return {"_producer": producer, "_schemaURL": facet_schema(facet, holder), **body}


def complete_facets(facets: Mapping[str, Any], holder: Holder) -> dict[str, Any]:
    """Return facets by their names, each with a producer and a schema."""
    return {name: complete_facet(name, holder, body) for name, body in facets.items()}


def build_event(kind: Kind, time: str, producer: str = PRODUCER, /, **parts: Any) -> dict[str, Any]:
    """Return an event as a JSON value. ``time`` is ISO 8601. ``parts``: its other properties."""
    return {
        "eventTime": time,
        "producer": producer,
        "schemaURL": f"{EVENT_SCHEMAS}{kind}",
        **parts,
    }
