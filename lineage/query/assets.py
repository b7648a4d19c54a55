"""Nodes of graph models in the graph: the whole model, and the nodes that an entity is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

from lineage.database.statements import StatementFile
from lineage.errors import NotFound
from lineage.query.arguments import need_in_range, texts_of
from lineage.query.cypher.agtype import parse_agtype
from lineage.query.names import resolve_job_or_dataset
from lineage.query.records import Dataset, Job

if TYPE_CHECKING:
    from collections.abc import Collection

    from lineage.model import LineageGraph
    from lineage.query.session import Session


class Asset(Struct, frozen=True):
    """A node of a graph model that a dataset or a job is. ``url``: its page in the system."""

    node_id: str
    system: str
    node_type: str
    display_name: str
    environment: str | None = None
    url: str | None = None


class LinkRow(NamedTuple):
    """An edge of a graph model. ``body``: its values as agtype text."""

    source: str
    target: str
    type: str
    body: str


class EntityRow(NamedTuple):
    """A dataset or a job."""

    of_job: bool
    id: int
    namespace: str
    name: str


_SQL = StatementFile(__file__)
_SELECT_NODES = _SQL.statement("select_nodes", str)
_SELECT_LINKS = _SQL.statement("select_links", LinkRow)
_SELECT_IDS = _SQL.statement("select_ids_of_entity", str)
_SELECT_ENTITY = _SQL.statement("select_entity_of_node", EntityRow)
_SELECT_ASSETS = _SQL.statement("select_assets", str)


class ModelFilter(NamedTuple):
    """The nodes of a model that a query returns: all that have one value of each filter."""

    systems: Collection[str] = ()
    node_types: Collection[str] = ()
    environments: Collection[str] = ()


_ALL_NODES = ModelFilter()


def read_model(
    session: Session,
    filters: ModelFilter = _ALL_NODES,
    around: str | None = None,
    depth: int | None = None,
) -> LineageGraph:
    """Return the graph models of all platforms as one, sorted by id.

    ``around``: a node id, or the name of a job or dataset; only nodes that at most ``depth`` edges
    connect with it, in any direction, are returned. Edges between two returned nodes are returned,
    and with neither filter nor ``around`` also those without a node. Raises NotFound, Ambiguous.
    """
    from lineage.model import LineageGraph

    need_in_range(depth=depth)
    filters = ModelFilter(*map(texts_of, filters))
    with session.snapshot():
        nodes = [parse_agtype(text) for text in session.fetch(_SELECT_NODES)]
        links = session.fetch(_SELECT_LINKS)
        roots = None if around is None else _nodes_of_name(session, around)
    edges = [
        {"src_id": row.source, "dst_id": row.target, "edge_type": row.type, **_parse_map(row.body)}
        for row in links
    ]
    graph = LineageGraph.from_dict({"nodes": nodes, "edges": edges}, "the stored graph")
    if roots is None and not any(filters):
        return graph
    near = None if roots is None else _near_nodes(graph, roots, depth)
    selected = {
        node.node_id
        for node in graph.nodes
        if (near is None or node.node_id in near)
        and (not filters.systems or node.system in filters.systems)
        and (not filters.node_types or node.node_type in filters.node_types)
        and (not filters.environments or node.environment_id in filters.environments)
    }
    return graph.select_nodes(selected)


def read_assets(session: Session, entity: int) -> tuple[Asset, ...]:
    """Return the nodes that a dataset, under any of its names, or a job is, by their id."""
    nodes = (parse_agtype(text) for text in session.fetch(_SELECT_ASSETS, entity=entity))
    return tuple(
        Asset(
            node["node_id"],
            node["system"],
            node["node_type"],
            node["display_name"],
            node["environment_name"] or node["environment_id"],
            node["url"],
        )
        for node in nodes
    )


def entity_of_node(session: Session, node_id: str) -> Dataset | Job | None:
    """Return the dataset or job that a node is; None if no node has the id."""
    row = session.fetch_one(_SELECT_ENTITY, node_id=node_id.replace("\x00", ""))
    if row is None:
        return None
    return (Job if row.of_job else Dataset)(row.id, row.namespace, row.name)


def _nodes_of_name(session: Session, name: str) -> list[str]:
    """Return the nodes with an id, else those of the job or dataset of that name."""
    if ids := session.fetch(_SELECT_IDS, node_id=name, entity=None):
        return ids
    entity = resolve_job_or_dataset(session, name)
    ids = session.fetch(_SELECT_IDS, node_id=None, entity=entity.id)
    if not ids:
        raise NotFound(
            f"{entity} is not part of any graph model.",
            "Import one that contains it: lineage graph import FILE",
        )
    return ids


def _near_nodes(graph: LineageGraph, roots: list[str], depth: int | None) -> set[str]:
    reached, level, distance = set(roots), set(roots), 0
    while level and (depth is None or distance < depth):
        adjacent = {node.node_id for id in level for node in graph.get_neighbors(id)}
        level = adjacent - reached
        reached |= level
        distance += 1
    return reached


def _parse_map(text: str) -> dict[str, Any]:
    body: dict[str, Any] = parse_agtype(text)
    return body
