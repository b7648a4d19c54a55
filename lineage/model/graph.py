"""A graph model in memory: nodes by id, edges by source, target and type."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from msgspec import structs

from lineage.errors import UsageError
from lineage.extras import install_hint
from lineage.model import json_form
from lineage.model.entities import merge_edges, merge_nodes
from lineage.model.types import EdgeType, NodeType

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from networkx import MultiDiGraph

    from lineage.model.entities import EdgeKey, LineageEdge, LineageNode

Direction = Literal["upstream", "downstream", "both"]


class LineageGraph:
    """Nodes and edges, with traversal, filters, checks and JSON.

    Two edges of different types may connect the same nodes. An edge may name a node that the graph
    does not have: ``validate`` reports it.
    """

    def __init__(self) -> None:
        self._nodes: dict[str, LineageNode] = {}
        self._edges: dict[EdgeKey, LineageEdge] = {}
        # Adjacent nodes, in the order of the edges, with the number of edges to each.
        self._successors: dict[str, dict[str, int]] = {}
        self._predecessors: dict[str, dict[str, int]] = {}
        self.unknown_keys: set[str] = set()

    def add_node(self, node: LineageNode) -> None:
        """Add a node, or merge it into the node with its id (``merge_nodes``)."""
        known = self._nodes.get(node.node_id)
        self._nodes[node.node_id] = merge_nodes(known, node) if known else node

    def add_edge(self, edge: LineageEdge) -> None:
        """Add an edge, or merge it into the edge of its ends and type (``merge_edges``)."""
        key = edge.edge_key
        known = self._edges.get(key)
        self._edges[key] = merge_edges(known, edge) if known else edge
        if known is None:
            _count_edge(self._successors, edge.src_id, edge.dst_id, 1)
            _count_edge(self._predecessors, edge.dst_id, edge.src_id, 1)

    def remove_edge(self, src_id: str, dst_id: str, edge_type: EdgeType | str) -> bool:
        """Remove an edge; return whether it existed."""
        if self._edges.pop((src_id, dst_id, EdgeType(edge_type).value), None) is None:
            return False
        _count_edge(self._successors, src_id, dst_id, -1)
        _count_edge(self._predecessors, dst_id, src_id, -1)
        return True

    def get_node(self, node_id: str) -> LineageNode | None:
        """Return the node with an id; None if there is none."""
        return self._nodes.get(node_id)

    def get_edge(self, src_id: str, dst_id: str, edge_type: EdgeType | str) -> LineageEdge | None:
        """Return the edge of these ends and this type; None if there is none."""
        return self._edges.get((src_id, dst_id, EdgeType(edge_type).value))

    def get_neighbors(self, node_id: str, direction: Direction = "both") -> list[LineageNode]:
        """Return the adjacent nodes, each once. Raises UsageError for an unknown direction."""
        ids = dict.fromkeys(
            each for side in self._select_sides(direction) for each in side.get(node_id, ())
        )
        return self._existing_nodes(ids)

    def upstream(self, node_id: str, hops: int = 1) -> list[LineageNode]:
        """Return the nodes from which this node is reached by at most ``hops`` edges."""
        return self._existing_nodes(self._measure_distances(node_id, hops, "upstream"))

    def downstream(self, node_id: str, hops: int = 1) -> list[LineageNode]:
        """Return the nodes that are reached from this node by at most ``hops`` edges."""
        return self._existing_nodes(self._measure_distances(node_id, hops, "downstream"))

    def get_upstream(
        self, node_id: str, max_hops: int = 10
    ) -> list[tuple[LineageNode, LineageEdge, int]]:
        """Return each upstream node with the edge by which it was reached, and its distance."""
        result = []
        for id, (distance, nearer) in self._measure_distances(
            node_id, max_hops, "upstream"
        ).items():
            types = (each.value for each in EdgeType if (id, nearer, each.value) in self._edges)
            if id in self._nodes:
                result.append((self._nodes[id], self._edges[id, nearer, next(types)], distance))
        return result

    def filter_by_type(self, node_type: NodeType | str) -> list[LineageNode]:
        """Return the nodes of a type."""
        return [node for node in self._nodes.values() if node.node_type == node_type]

    def filter_by_env(self, environment_id: str) -> list[LineageNode]:
        """Return the nodes of an environment."""
        return [node for node in self._nodes.values() if node.environment_id == environment_id]

    def filter_catalog_nodes(self, catalog_type: str | None = None) -> list[LineageNode]:
        """Return the catalog tables: all, or those of one catalog."""
        tables = self.filter_by_type(NodeType.CATALOG_TABLE)
        return [each for each in tables if catalog_type in (None, each.catalog_type)]

    def select_nodes(self, node_ids: Collection[str]) -> LineageGraph:
        """Return the graph of some nodes, with the edges between them."""
        graph = LineageGraph()
        for id, node in self._nodes.items():
            if id in node_ids:
                graph.add_node(node)
        for edge in self._edges.values():
            if graph.get_node(edge.src_id) and graph.get_node(edge.dst_id):
                graph.add_edge(edge)
        return graph

    def search_nodes(self, query: str) -> list[LineageNode]:
        """Return the nodes whose display name or qualified name has a text, in any case."""
        text = query.lower()
        return [
            node
            for node in self._nodes.values()
            if text in node.display_name.lower() or text in node.qualified_name.lower()
        ]

    @property
    def nodes(self) -> list[LineageNode]:
        """All nodes, in the order in which they were added."""
        return list(self._nodes.values())

    @property
    def edges(self) -> list[LineageEdge]:
        """All edges, in the order in which they were added."""
        return list(self._edges.values())

    @property
    def node_count(self) -> int:
        """The number of nodes."""
        return len(self._nodes)

    @property
    def edge_count(self) -> int:
        """The number of edges."""
        return len(self._edges)

    @property
    def pipeline_count(self) -> int:
        """The number of weakly connected components of the edges that are not ``has_schema``."""
        component: dict[str, str] = {}

        def find_root(id: str) -> str:
            while component.setdefault(id, id) != id:
                component[id] = id = component[component[id]]
            return id

        for src_id, dst_id, type in self._edges:
            if type != EdgeType.HAS_SCHEMA.value:
                component[find_root(src_id)] = find_root(dst_id)
        return sum(id == root for id, root in component.items())

    def validate(self) -> list[str]:
        """Return warnings: nodes without an edge, except schemas; edges without a node."""
        warnings = [
            f"Orphan node: {id}"
            for id, node in self._nodes.items()
            if node.node_type != NodeType.SCHEMA
            and not self._successors.get(id)
            and not self._predecessors.get(id)
        ]
        for edge in self._edges.values():
            if edge.src_id not in self._nodes:
                warnings.append(f"Dangling edge src: {edge.src_id}")
            if edge.dst_id not in self._nodes:
                warnings.append(f"Dangling edge dst: {edge.dst_id}")
        return warnings

    def to_dict(self) -> dict[str, Any]:
        """Return the graph as JSON values."""
        return {
            "nodes": [node.to_dict() for node in self._nodes.values()],
            "edges": [edge.to_dict() for edge in self._edges.values()],
        }

    @classmethod
    def from_dict(cls, data: Any, name: str = "the graph") -> LineageGraph:
        """Return the graph of JSON values. ``name`` is its name in errors. Raises InvalidGraph.

        Keys that are not part of the model are ignored, and listed in ``unknown_keys``.
        """
        graph = cls()
        nodes, edges = json_form.read_lists(data, name)
        for number, value in enumerate(nodes, start=1):
            graph.add_node(json_form.read_node(value, f"Node {number} of {name}"))
            graph.unknown_keys |= json_form.unknown_keys(value, of_node=True)
        for number, value in enumerate(edges, start=1):
            graph.add_edge(json_form.read_edge(value, f"Edge {number} of {name}"))
            graph.unknown_keys |= json_form.unknown_keys(value, of_node=False)
        return graph

    def to_json_file(self, path: str | Path) -> None:
        """Write the graph into a file; make its directory if it does not exist."""
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(self.to_dict(), indent=2) + "\n", encoding="utf-8")

    @classmethod
    def from_json_file(cls, path: str | Path) -> LineageGraph:
        """Read a graph from a file. Raises UsageError, InvalidGraph."""
        return cls.from_dict(json_form.read_json(Path(path)), str(path))

    def to_networkx(self) -> MultiDiGraph[str]:
        """Return the graph for networkx: fields as attributes, and the type as key of an edge.

        The ends of a dangling edge are nodes without attributes. Raises UsageError if networkx is
        not installed.
        """
        try:
            import networkx
        except ImportError as error:
            hint = install_hint("networkx")
            raise UsageError(".to_networkx() needs the package networkx.", hint) from error
        result: MultiDiGraph[str] = networkx.MultiDiGraph()
        for node in self.nodes:
            result.add_node(node.node_id, **structs.asdict(node))
        for edge in self.edges:
            result.add_edge(*edge.edge_key, **structs.asdict(edge))
        return result

    def __eq__(self, other: object) -> bool:
        """Compare nodes and edges as sets."""
        if not isinstance(other, LineageGraph):
            return NotImplemented
        return self._nodes == other._nodes and self._edges == other._edges

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"LineageGraph(nodes={self.node_count}, edges={self.edge_count})"

    def _select_sides(self, direction: str) -> list[dict[str, dict[str, int]]]:
        sides = {"upstream": [self._predecessors], "downstream": [self._successors]}
        sides["both"] = [self._predecessors, self._successors]
        if direction not in sides:
            raise UsageError(
                f'There is no direction "{direction}".', f"Known: {', '.join(sorted(sides))}."
            )
        return sides[direction]

    def _measure_distances(
        self, node_id: str, hops: int, direction: str
    ) -> dict[str, tuple[int, str]]:
        """Return the number of edges to each node, and the node before it; the nearest first."""
        [side] = self._select_sides(direction)
        reached, level = {node_id: (0, "")}, [node_id]
        for distance in range(1, hops + 1):
            following: dict[str, str] = {}
            for id in level:
                for each in side.get(id, ()):
                    if each not in reached:
                        following.setdefault(each, id)
            reached.update((each, (distance, id)) for each, id in following.items())
            level = list(following)
            if not level:
                break
        del reached[node_id]
        return reached

    def _existing_nodes(self, ids: Iterable[str]) -> list[LineageNode]:
        return [self._nodes[id] for id in ids if id in self._nodes]


def _count_edge(side: dict[str, dict[str, int]], end: str, other: str, by: int) -> None:
    """Count an edge from ``end`` to ``other``; forget ends without edges."""
    others = side.setdefault(end, {})
    others[other] = others.get(other, 0) + by
    if not others[other]:
        del others[other]
