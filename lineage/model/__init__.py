"""Graph models of streaming platforms: topics, connectors, queries and tables, and their edges.

The classes have the JSON form of LineageBridge. They need no database:

    from lineage.model import LineageGraph

    graph = LineageGraph.from_json_file("bridge.json")
    graph.validate()
    graph.upstream("databricks:uc_table:env-abc123:main.sales.orders", hops=3)

``lineage.model.events`` converts a graph to OpenLineage events.
"""

from typing import TYPE_CHECKING

from lineage.lazy_exports import export_lazily

if TYPE_CHECKING:
    from lineage.model.entities import LineageEdge as LineageEdge
    from lineage.model.entities import LineageNode as LineageNode
    from lineage.model.graph import LineageGraph as LineageGraph
    from lineage.model.types import EdgeType as EdgeType
    from lineage.model.types import NodeType as NodeType
    from lineage.model.types import SystemType as SystemType

_MODULES = {
    "EdgeType": "types",
    "LineageEdge": "entities",
    "LineageGraph": "graph",
    "LineageNode": "entities",
    "NodeType": "types",
    "SystemType": "types",
}
__all__ = [
    "EdgeType", "LineageEdge", "LineageGraph", "LineageNode", "NodeType", "SystemType",
]  # fmt: skip

__getattr__, __dir__ = export_lazily(__name__, _MODULES)
