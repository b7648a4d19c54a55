"""Nodes and edges of a graph model."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any, TypeAlias

from msgspec import Struct, field, structs, to_builtins

from lineage.errors import InvalidGraph
from lineage.model.types import EdgeType, NodeType, SystemType, node_type, system_type
from lineage.openlineage.timestamps import normalize_time

# Source, target and type of an edge; a graph has one edge for each.
EdgeKey: TypeAlias = tuple[str, str, str]


def _current_time() -> datetime:
    return datetime.now(timezone.utc)


class LineageNode(Struct, frozen=True, kw_only=True, eq=True):
    """A data asset or a processing step.

    ``node_id``: ``{system}:{type}:{environment}:{name}`` by convention; it is never taken apart to
    find a type. ``catalog_type``: the catalog of a ``catalog_table`` or ``catalog_query``, such as
    ``UNITY_CATALOG``. ``attributes``: any JSON. ``url``: its page in the system. Times are UTC,
    also those without a zone; ISO 8601 text is accepted. Raises InvalidGraph for a wrong time.
    """

    node_id: str
    system: SystemType | str
    node_type: NodeType | str
    qualified_name: str
    display_name: str
    environment_id: str | None = None
    environment_name: str | None = None
    cluster_id: str | None = None
    cluster_name: str | None = None
    catalog_type: str | None = None
    attributes: dict[str, Any] = field(default_factory=dict)
    tags: list[str] = field(default_factory=list)
    url: str | None = None
    first_seen: datetime = field(default_factory=_current_time)
    last_seen: datetime = field(default_factory=_current_time)

    def __post_init__(self) -> None:
        structs.force_setattr(self, "system", system_type(self.system))
        structs.force_setattr(self, "node_type", node_type(self.node_type))
        _set_times(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the node as JSON values; times end with ``Z``."""
        return to_builtins(self)  # type: ignore[no-any-return]


class LineageEdge(Struct, frozen=True, kw_only=True, eq=True):
    """A directed edge between two nodes. ``confidence``: 0 to 1; below 1 it was inferred.

    Raises InvalidGraph for an unknown type, a confidence out of range or a wrong time.
    """

    src_id: str
    dst_id: str
    edge_type: EdgeType
    confidence: float = 1.0
    attributes: dict[str, Any] = field(default_factory=dict)
    first_seen: datetime = field(default_factory=_current_time)
    last_seen: datetime = field(default_factory=_current_time)

    def __post_init__(self) -> None:
        structs.force_setattr(self, "edge_type", edge_type(self.edge_type))
        if not 0 <= self.confidence <= 1:
            raise InvalidGraph(f"confidence {self.confidence} is not between 0 and 1.")
        _set_times(self)

    @property
    def edge_key(self) -> EdgeKey:
        """The source, the target and the type."""
        return self.src_id, self.dst_id, self.edge_type.value

    def to_dict(self) -> dict[str, Any]:
        """Return the edge as JSON values; times end with ``Z``."""
        return to_builtins(self)  # type: ignore[no-any-return]


# Texts of a node that are None if nobody knows them. None never replaces a known value.
OPTIONAL_TEXTS = (
    "environment_id", "environment_name", "cluster_id", "cluster_name", "catalog_type", "url",
)  # fmt: skip
REQUIRED_TEXTS = ("node_id", "system", "node_type", "qualified_name", "display_name")


def edge_type(text: str) -> EdgeType:
    """Return the edge type of this name. Raises InvalidGraph."""
    try:
        return EdgeType(text)
    except ValueError:
        known = ", ".join(sorted(each.value for each in EdgeType))
        raise InvalidGraph(f'edge_type "{text}" is none of {known}.') from None


def merge_nodes(known: LineageNode, new: LineageNode) -> LineageNode:
    """Merge two reports of a node, of which ``new`` is the later.

    ``first_seen`` is the least and ``last_seen`` the greatest; attributes are merged by key, with
    the new value; tags are united, those of ``new`` last; other values are the new ones unless
    these are None.
    """
    values: dict[str, Any] = {
        name: getattr(known, name) for name in OPTIONAL_TEXTS if getattr(new, name) is None
    }
    latest = set(new.tags)
    return structs.replace(
        new,
        **values,
        attributes={**known.attributes, **new.attributes},
        tags=[*(tag for tag in known.tags if tag not in latest), *new.tags],
        first_seen=min(known.first_seen, new.first_seen),
        last_seen=max(known.last_seen, new.last_seen),
    )


def merge_edges(known: LineageEdge, new: LineageEdge) -> LineageEdge:
    """Merge two reports of an edge: the values of ``new``, but the least and greatest time."""
    return structs.replace(
        new,
        first_seen=min(known.first_seen, new.first_seen),
        last_seen=max(known.last_seen, new.last_seen),
    )


def time_text(time: datetime) -> str:
    """Format a time in UTC as the model does: ``2026-05-01T22:43:07.560783Z``, no zero fraction."""
    return time.astimezone(timezone.utc).replace(tzinfo=None).isoformat() + "Z"


def _set_times(entity: LineageNode | LineageEdge) -> None:
    for name in ("first_seen", "last_seen"):
        value = getattr(entity, name)
        if isinstance(value, str):
            try:
                value = datetime.fromisoformat(normalize_time(value)[:-1])
            except ValueError as error:
                raise InvalidGraph(f'{name} "{value}" {error}.') from None
        if value.tzinfo is None:
            value = value.replace(tzinfo=timezone.utc)
        structs.force_setattr(entity, name, value.astimezone(timezone.utc))
