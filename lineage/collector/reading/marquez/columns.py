"""The graph of columns around a dataset, a column or what a job writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.collector.reading.marquez import forms, nodes
from lineage.collector.reading.marquez.lineage import DEPTH
from lineage.collector.reading.operations import Operation
from lineage.collector.reading.parameters import Flag, Text

if TYPE_CHECKING:
    from lineage.collector.reading.marquez.lists import Conn, Json

_FIELDS = {
    "datasetField": "SELECT %s::bigint",
    "dataset": "SELECT id FROM lineage.field WHERE dataset = %s",
    "job": """
        SELECT f.id FROM lineage.field f
        WHERE f.dataset IN (SELECT target FROM lineage.feeds WHERE job = %s)
    """,
}
_TRACED = """
SELECT source, target, type, nullif(subtype, '')
FROM lineage.column_edges(%s::bigint[], %s, %s, true, true)
"""
# An id is that of a column, or of a dataset all of whose columns depend on another column.
_NAMES = """
SELECT n.id, d.namespace, d.name, f.name, f.type
FROM unnest(%s::bigint[]) AS n (id)
LEFT JOIN lineage.field f ON f.id = n.id
JOIN lineage.dataset d ON d.id = coalesce(f.dataset, n.id)
"""


def _column_lineage(conn: Conn, given: Json) -> Json:
    node = nodes.find(conn, given["nodeId"])
    roots = [id for (id,) in conn.execute(_FIELDS[node.kind], (node.id,))]
    directions = ("upstream", "downstream") if given["withDownstream"] else ("upstream",)
    edges = {
        edge
        for direction in directions
        for edge in conn.execute(_TRACED, (roots, direction, given["depth"]))
    }
    ids = sorted({*roots, *(id for edge in edges for id in edge[:2])})
    fields = {row[0]: row[1:] for row in conn.execute(_NAMES, (ids,))}
    return {"graph": [_node(id, fields, sorted(edges, key=str)) for id in ids]}


def _node(id: int, fields: dict[int, Any], edges: list[tuple[Any, ...]]) -> Json:
    """Return a column; both kinds of its edges lead from it to another one, as in Marquez."""
    namespace, dataset, name, type = fields[id]
    inputs = [(source, how) for source, target, *how in edges if target == id]
    return {
        "id": _id(fields[id]),
        "type": "DATASET_FIELD",
        "data": {
            "namespace": namespace,
            "dataset": dataset,
            "datasetVersion": None,
            "field": name or "*",
            "fieldType": type,
            "transformationDescription": None,
            "transformationType": None,
            "inputFields": [_input(fields[source], *how) for source, how in inputs],
        },
        "inEdges": _edges(fields, id, {source for source, _ in inputs}),
        "outEdges": _edges(fields, id, {target for source, target, *_ in edges if source == id}),
    }


def _input(field: tuple[Any, ...], type: str, subtype: str | None) -> Json:
    namespace, dataset, name, _ = field
    return {
        "namespace": namespace,
        "dataset": dataset,
        "datasetVersion": None,
        "field": name,
        "transformationDescription": None,
        "transformationType": subtype or type,
    }


def _edges(fields: dict[int, Any], id: int, others: set[int]) -> list[Json]:
    return [
        {"origin": _id(fields[id]), "destination": name}
        for name in sorted(_id(fields[other]) for other in others)
    ]


def _id(field: tuple[Any, ...]) -> str:
    namespace, dataset, name, _ = field
    return forms.node_id("datasetField", namespace, dataset, name or "*")


OPERATIONS = (
    Operation(
        "/api/v1/column-lineage",
        "What columns were made from, and what was made from them",
        _column_lineage,
        (
            Text("nodeId", "dataset:…, datasetField:NAMESPACE:NAME:FIELD or job:….", required=True),
            DEPTH,
            Flag("withDownstream", "Also what was made from them."),
        ),
    ),
)
