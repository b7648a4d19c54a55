"""A graph model as OpenLineage events: one event for each node.

A node that processes data is a JobEvent, any other node a DatasetEvent. The facet ``lineage_node``
has the node, ``lineage_edges`` the edges that the node holds, both with all their values. The other
facets are those of the standard. An edge between a job and a dataset is held by the job, another
edge by its target. Whether a job reads or writes a dataset depends on the direction of the edge,
not on its type. Edges of the type ``has_schema`` are no flow. A consumer group reads the topics
that it is a member of.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from lineage.model.entities import time_text
from lineage.model.names import names_of_node
from lineage.model.schemas import columns_of_node
from lineage.model.types import JOB_TYPES, EdgeType, NodeType
from lineage.openlineage.asset_facets import CONFIDENCE, EDGES, NODE
from lineage.openlineage.producer import READERS_PRODUCER
from lineage.openlineage.written_events import build_event, complete_facet

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lineage.model.entities import LineageEdge, LineageNode
    from lineage.model.graph import LineageGraph
    from lineage.naming import DatasetName
    from lineage.openlineage.facet_schemas import Holder

    # The greatest confidence of the edges to or from each dataset.
    Flow: TypeAlias = dict[DatasetName, float]


_DATASET_TYPES = {
    NodeType.KAFKA_TOPIC: "TOPIC",
    NodeType.TABLEFLOW_TABLE: "TABLE",
    NodeType.CATALOG_TABLE: "TABLE",
    NodeType.EXTERNAL_DATASET: "DATASET",
    NodeType.SCHEMA: "SCHEMA",
}
_INTEGRATIONS = {
    NodeType.CONNECTOR: "KAFKA_CONNECT",
    NodeType.KSQLDB_QUERY: "KSQLDB",
    NodeType.FLINK_JOB: "FLINK",
    NodeType.CONSUMER_GROUP: "KAFKA",
    NodeType.NOTEBOOK: "DATABRICKS",
}
_BATCH_TYPES = {NodeType.NOTEBOOK, NodeType.CATALOG_QUERY}
_NO_FLOW = {EdgeType.HAS_SCHEMA, EdgeType.MEMBER_OF}


def events_of_graph(
    graph: LineageGraph,
    clusters: Mapping[str, str] | None = None,
    others: Mapping[str, LineageNode] | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield the events of a graph, in the order of its nodes.

    ``clusters``: bootstrap servers of Kafka clusters by the id of the cluster; the first server
    names the topics of the cluster. ``others``: nodes by id that the graph does not have, which
    name the other ends of its edges. An edge between two nodes that the graph does not have is held
    by the first node.
    """
    conversion = _Conversion(graph, clusters or {}, others or {})
    for node in graph.nodes:
        yield conversion.event_of_node(node)


def untraced_edges(graph: LineageGraph, others: Mapping[str, LineageNode]) -> list[LineageEdge]:
    """Return the edges that traces do not follow, because the graph does not have both nodes.

    An edge is followed if the graph has the node that holds its flow, and ``others`` the other.
    """
    own = {node.node_id: node for node in graph.nodes}
    untraced = []
    for edge in graph.edges:
        if edge.edge_type == EdgeType.HAS_SCHEMA or {edge.src_id, edge.dst_id} <= own.keys():
            continue
        source, target = (own.get(id) or others.get(id) for id in (edge.src_id, edge.dst_id))
        flow = _flow_of_edge(edge, source, target) if source and target else None
        is_flow = flow is not None or not (source and target)
        if is_flow and (flow is None or flow.holder.node_id not in own):
            untraced.append(edge)
    return untraced


class _EdgeFlow(NamedTuple):
    """The flow of an edge. ``holder``: the node whose event states that it reads or writes."""

    is_output: bool
    holder: LineageNode
    other: LineageNode


def _flow_of_edge(edge: LineageEdge, source: LineageNode, target: LineageNode) -> _EdgeFlow | None:
    ends = source.node_type in JOB_TYPES, target.node_type in JOB_TYPES
    if edge.edge_type == EdgeType.HAS_SCHEMA or ends == (True, True):
        return None
    if ends == (True, False):
        return _EdgeFlow(edge.edge_type != EdgeType.MEMBER_OF, source, target)
    is_flow = ends == (False, True) or edge.edge_type not in _NO_FLOW
    return _EdgeFlow(False, target, source) if is_flow else None


class _Conversion:
    """The nodes of a graph with their names, edges and flows."""

    def __init__(
        self, graph: LineageGraph, clusters: Mapping[str, str], others: Mapping[str, LineageNode]
    ) -> None:
        self._nodes = {node.node_id: node for node in graph.nodes}
        self._others = others
        self._names = {
            id: names_of_node(node, clusters) for id, node in {**others, **self._nodes}.items()
        }
        # By the id of the node that holds them.
        self._edges: dict[str, list[LineageEdge]] = defaultdict(list)
        self._inputs: dict[str, Flow] = defaultdict(dict)
        self._outputs: dict[str, Flow] = defaultdict(dict)
        self._flow_edges: dict[str, list[LineageEdge]] = defaultdict(list)
        self._schemas: dict[str, list[LineageNode]] = defaultdict(list)
        self._same: dict[DatasetName, list[LineageNode]] = defaultdict(list)
        for node in graph.nodes:
            self._same[self._names[node.node_id][0]].append(node)
        for edge in graph.edges:
            self._add_edge(edge)

    def event_of_node(self, node: LineageNode) -> dict[str, Any]:
        name = self._names[node.node_id][0]
        edges = self._edges[node.node_id]
        holder: Holder = "job" if node.node_type in JOB_TYPES else "dataset"
        facets = {NODE: _build_facet(NODE, holder, node.to_dict())}
        if edges:
            bodies = [edge.to_dict() for edge in edges]
            facets[EDGES] = _build_facet(EDGES, holder, {"edges": bodies})
        facets.update(self._confidence_facet(node, holder))
        flow_edges = self._flow_edges[node.node_id]
        seen = [node.last_seen, *(each.last_seen for each in (*edges, *flow_edges))]
        # Of designs of one time, that with the most inputs and outputs is the newest: a file that
        # is imported again after the nodes of its edges, or the whole after a part of it.
        inputs, outputs = self._inputs[node.node_id], self._outputs[node.node_id]
        order = timedelta(microseconds=len(inputs) + len(outputs))
        time = time_text(max(seen) + order)
        if node.node_type in JOB_TYPES:
            facets.update(_job_facets(node))
            return build_event(
                "JobEvent",
                time,
                READERS_PRODUCER,
                job=_name_object(name) | {"facets": facets},
                inputs=[_name_object(each) for each in inputs],
                outputs=[_name_object(each) for each in outputs],
            )
        facets.update(self._dataset_facets(node, name))
        dataset = _name_object(name) | {"facets": facets}
        return build_event("DatasetEvent", time, READERS_PRODUCER, dataset=dataset)

    def _add_edge(self, edge: LineageEdge) -> None:
        source, target = self._nodes.get(edge.src_id), self._nodes.get(edge.dst_id)
        holder = target or source or next(iter(self._nodes.values()), None)
        if source and target:
            if source.node_type in JOB_TYPES and target.node_type not in JOB_TYPES:
                holder = source
        else:
            source = source or self._others.get(edge.src_id)
            target = target or self._others.get(edge.dst_id)
        if source and target:
            self._add_flow(edge, source, target)
        if holder:
            self._edges[holder.node_id].append(edge)

    def _add_flow(self, edge: LineageEdge, source: LineageNode, target: LineageNode) -> None:
        if edge.edge_type == EdgeType.HAS_SCHEMA and edge.dst_id in self._nodes:
            self._schemas[edge.src_id].append(target)
        flow = _flow_of_edge(edge, source, target)
        if flow is None:
            return
        sides = self._outputs if flow.is_output else self._inputs
        holder = flow.holder.node_id
        own, other = (self._names[id][0] for id in (holder, flow.other.node_id))
        if own == other:
            return  # two nodes of one dataset
        sides[holder][other] = max(sides[holder].get(other, 0.0), edge.confidence)
        self._flow_edges[holder].append(edge)

    def _confidence_facet(self, node: LineageNode, holder: Holder) -> dict[str, Any]:
        id = node.node_id
        flows = {"inputs": self._inputs[id], "outputs": self._outputs[id]}
        inferred = {
            key: [
                _name_object(each) | {"confidence": least}
                for each, least in flow.items()
                if least < 1
            ]
            for key, flow in flows.items()
        }
        if not any(inferred.values()):
            return {}
        return {CONFIDENCE: _build_facet(CONFIDENCE, holder, inferred)}

    def _dataset_facets(self, node: LineageNode, name: DatasetName) -> dict[str, Any]:
        """Return the facets of a dataset; tags are those of all nodes of its name."""
        type = _DATASET_TYPES.get(node.node_type, node.node_type)  # type: ignore[call-overload]
        facets = {"datasetType": _build_facet("datasetType", "dataset", {"datasetType": type})}
        if aliases := self._names[node.node_id][1:]:
            identifiers = [_name_object(each) | {"type": "TABLE"} for each in aliases]
            facets["symlinks"] = _build_facet("symlinks", "dataset", {"identifiers": identifiers})
        same = self._same[name]
        facets.update(_tags_facet((tag for each in same for tag in each.tags), "dataset"))
        if columns := columns_of_node(node, self._schemas[node.node_id]):
            facets["schema"] = _build_facet("schema", "dataset", {"fields": columns})
        if inputs := self._inputs[node.node_id]:
            sources = [_name_object(each) | {"type": "DATASET"} for each in inputs]
            facets["lineage"] = _build_facet("lineage", "dataset", {"inputs": sources})
        return facets


def _job_facets(node: LineageNode) -> dict[str, Any]:
    type = node.node_type
    integration = _INTEGRATIONS.get(type, node.catalog_type or "CATALOG")  # type: ignore[call-overload]
    job_type = {
        "processingType": "BATCH" if type in _BATCH_TYPES else "STREAMING",
        "integration": integration,
        "jobType": type.upper(),
    }
    facets = {"jobType": _build_facet("jobType", "job", job_type)}
    texts = [node.attributes.get(key) for key in ("query", "sql")]
    if sql := next((text for text in texts if isinstance(text, str) and text), None):
        facets["sql"] = _build_facet("sql", "job", {"query": sql})
    return facets | _tags_facet(node.tags, "job")


def _tags_facet(tags: Iterable[str], holder: Holder) -> dict[str, Any]:
    entries = [
        {"key": tag, "value": "true", "source": "LINEAGE_BRIDGE"} for tag in dict.fromkeys(tags)
    ]
    return {"tags": _build_facet("tags", holder, {"tags": entries})} if entries else {}


def _build_facet(facet: str, holder: Holder, body: dict[str, Any]) -> dict[str, Any]:
    return complete_facet(facet, holder, body, READERS_PRODUCER)


def _name_object(name: DatasetName) -> dict[str, Any]:
    return {"namespace": name.namespace, "name": name.name}
