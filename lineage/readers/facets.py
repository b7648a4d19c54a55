"""Facets of the events that readers write, with the schemas of OpenLineage and of Lineage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from lineage.openlineage.producer import READERS_PRODUCER
from lineage.openlineage.written_events import complete_facet

if TYPE_CHECKING:
    from lineage.openlineage.facet_schemas import Holder

Facets: TypeAlias = dict[str, dict[str, Any]]


def build_facet(facet: str, holder: Holder, /, **body: Any) -> Facets:
    """Return the facet of that name, without fields that are None.

    ``holder``: the part of an event that has it.
    """
    present = {key: value for key, value in body.items() if value is not None}
    return {facet: complete_facet(facet, holder, present, READERS_PRODUCER)}
