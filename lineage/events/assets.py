"""Merge of the nodes and edges of graph models that events report.

Each value of a node, each attribute and each tag has a revision: ``last_seen`` of the node, then
the revision of the event. The greatest revision of a key wins, so that the result does not depend
on the order of events. An absent value never replaces one. Of an edge, attributes and confidence
are those of the greatest revision.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct, field

from lineage.openlineage.asset_facets import NAMES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lineage.events.designs import Holder
    from lineage.openlineage import Facets
    from lineage.openlineage.asset_facets import AssetEdge, AssetFacets, AssetNode

# Source, target and type of an edge.
EdgeKey: TypeAlias = tuple[str, str, str]
# Revision and agtype text by key.
Entries: TypeAlias = dict[str, tuple[str, str]]


class NodeState(Struct, gc=False):
    """A merged node. ``entity``: revision, and the job or dataset that the node is."""

    first: str
    last: str
    entity: tuple[str, Holder]
    texts: Entries = field(default_factory=dict)
    attributes: Entries = field(default_factory=dict)
    tags: Entries = field(default_factory=dict)

    def add_report(self, node: AssetNode, revision: str, entity: Holder) -> None:
        """Merge a report of the node."""
        self.first = min(self.first, node.first)
        self.last = max(self.last, node.last)
        self.entity = max(self.entity, (revision, entity))
        _merge_entries(self.texts, revision, node.texts.items())
        _merge_entries(self.attributes, revision, node.attributes.items())
        for ordinal, tag in enumerate(node.tags):
            _merge_entries(self.tags, f"{revision} {ordinal:06}", [(tag, "")])


class EdgeState(Struct, gc=False):
    """A merged edge."""

    first: str
    last: str
    revision: str
    confidence: str
    attributes: str

    def add_report(self, edge: AssetEdge, revision: str) -> None:
        """Merge a report of the edge."""
        self.first = min(self.first, edge.first)
        self.last = max(self.last, edge.last)
        if revision >= self.revision:
            self.revision = revision
            self.confidence, self.attributes = edge.confidence, edge.attributes


class Assets(Struct):
    """Nodes by id, and edges."""

    nodes: dict[str, NodeState] = field(default_factory=dict)
    edges: dict[EdgeKey, EdgeState] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.nodes or self.edges)

    def add_facets(self, facets: AssetFacets, entity: Holder, revision: str) -> None:
        """Merge the node and the edges of an event, whose job or dataset is ``entity``."""
        if node := facets.node:
            its_revision = f"{node.last} {revision}"
            state = self.nodes.setdefault(
                node.node_id, NodeState(node.first, node.last, (its_revision, entity))
            )
            state.add_report(node, its_revision, entity)
        for ordinal, edge in enumerate(facets.edges):
            its_revision = f"{edge.last} {revision} {ordinal:06}"
            known = self.edges.setdefault(
                edge.key,
                EdgeState(edge.first, edge.last, its_revision, edge.confidence, edge.attributes),
            )
            known.add_report(edge, its_revision)


def other_facets(facets: Facets) -> Facets:
    """Return the facets that are stored with the job or dataset: those of no graph model."""
    if NAMES.isdisjoint(facets):
        return facets
    return {name: body for name, body in facets.items() if name not in NAMES}


def _merge_entries(known: Entries, revision: str, reported: Iterable[tuple[str, str]]) -> None:
    for key, text in reported:
        if key not in known or known[key][0] < revision:
            known[key] = (revision, text)
