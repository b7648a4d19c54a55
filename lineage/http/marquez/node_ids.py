"""Node ids: a kind and names, joined by colons; the names may contain colons too."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lineage.database.statements import StatementFile
from lineage.errors import NotFound
from lineage.http.errors import ApiError

if TYPE_CHECKING:
    from lineage.http.marquez.catalog import Conn

_MOST_COLONS = 50


_SQL = StatementFile(__file__)
_FIND_DATASET = _SQL.statement("find_dataset", int)
_FIND_JOB = _SQL.statement("find_job", int)
_FIND_FIELD = _SQL.statement("find_field", int)

_FIND_BY_KIND = {"dataset": _FIND_DATASET, "job": _FIND_JOB, "datasetField": _FIND_FIELD}


class Node(NamedTuple):
    """The entity with a node id: its kind and its id in the database."""

    kind: str
    id: int


def find_node(conn: Conn, text: str) -> Node:
    """Return the entity with a node id. Raises NotFound, and ApiError if the id is invalid."""
    kind, colon, rest = text.partition(":")
    rest = rest.partition("#")[0]  # the graph has all versions
    if kind not in _FIND_BY_KIND or not colon or rest.count(":") > _MOST_COLONS:
        raise ApiError(
            400,
            "nodeId is invalid.",
            "Use dataset:NAMESPACE:NAME, job:NAMESPACE:NAME or datasetField:NAMESPACE:NAME:FIELD.",
        )
    places = [at for at, character in enumerate(rest) if character == ":"]
    namespaces, names = [rest[:at] for at in places], [rest[at + 1 :] for at in places]
    id = _FIND_BY_KIND[kind].fetch_one(conn, namespaces=namespaces, names=names)
    if id is None:
        raise NotFound(f'No node has the id "{text}".')
    return Node(kind, id)
