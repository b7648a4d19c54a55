"""The lineage graph of a column, of the columns of a dataset, or of the outputs of a job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.statements import StatementFile
from lineage.http.marquez import node_ids, representations
from lineage.http.marquez.lineage import DEPTH
from lineage.http.operation import Operation
from lineage.http.parameters import Flag, Text

if TYPE_CHECKING:
    from lineage.http.marquez.catalog import Conn, Json

_TRACED = """
SELECT source, target, type, nullif(subtype, '')
FROM lineage.column_closure_edges(%s::bigint[], %s, %s, true, true)
"""


class NameRow(NamedTuple):
    """A column by its names; for a whole dataset ``field`` is None."""

    id: int
    namespace: str
    name: str
    field: str | None
    type: str | None


_SQL = StatementFile(__file__)
_SELECT_FIELD = _SQL.statement("select_field", int)
_FIELDS_OF_DATASET = _SQL.statement("select_fields_of_dataset", int)
_FIELDS_OF_JOB = _SQL.statement("select_fields_of_job", int)
_SELECT_NAMES = _SQL.statement("select_field_names", NameRow)

_FIELDS = {"datasetField": _SELECT_FIELD, "dataset": _FIELDS_OF_DATASET, "job": _FIELDS_OF_JOB}


def _column_lineage(conn: Conn, values: Json) -> Json:
    node = node_ids.find_node(conn, values["nodeId"])
    roots = _FIELDS[node.kind].fetch(conn, id=node.id)
    directions = ("upstream", "downstream") if values["withDownstream"] else ("upstream",)
    edges = {
        edge
        for direction in directions
        for edge in conn.execute(_TRACED, (roots, direction, values["depth"]))
    }
    ids = sorted({*roots, *(id for edge in edges for id in edge[:2])})
    fields = {row.id: row for row in _SELECT_NAMES.fetch(conn, ids=ids)}
    return {"graph": [_column_node(id, fields, sorted(edges, key=str)) for id in ids]}


def _column_node(id: int, fields: dict[int, NameRow], edges: list[tuple[Any, ...]]) -> Json:
    """Return the node of a column; its in and out edges both have it as origin, as in Marquez."""
    field = fields[id]
    inputs = [(source, how) for source, target, *how in edges if target == id]
    return {
        "id": _column_node_id(field),
        "type": "DATASET_FIELD",
        "data": {
            "namespace": field.namespace,
            "dataset": field.name,
            "datasetVersion": None,
            "field": field.field or "*",
            "fieldType": field.type,
            "transformationDescription": None,
            "transformationType": None,
            "inputFields": [_input_field(fields[source], *how) for source, how in inputs],
        },
        "inEdges": _column_edges(fields, id, {source for source, _ in inputs}),
        "outEdges": _column_edges(
            fields, id, {target for source, target, *_ in edges if source == id}
        ),
    }


def _input_field(field: NameRow, type: str, subtype: str | None) -> Json:
    return {
        "namespace": field.namespace,
        "dataset": field.name,
        "datasetVersion": None,
        "field": field.field,
        "transformationDescription": None,
        "transformationType": subtype or type,
    }


def _column_edges(fields: dict[int, NameRow], id: int, others: set[int]) -> list[Json]:
    return [
        {"origin": _column_node_id(fields[id]), "destination": name}
        for name in sorted(_column_node_id(fields[other]) for other in others)
    ]


def _column_node_id(field: NameRow) -> str:
    return representations.node_id("datasetField", field.namespace, field.name, field.field or "*")


OPERATIONS = (
    Operation(
        "/api/v1/column-lineage",
        "Columns upstream and downstream of columns",
        _column_lineage,
        (
            Text("nodeId", "dataset:…, datasetField:NAMESPACE:NAME:FIELD or job:….", required=True),
            DEPTH,
            Flag("withDownstream", "Also return downstream columns."),
        ),
    ),
)
