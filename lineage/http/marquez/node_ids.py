"""Node ids: a kind and names, joined by colons; the names may contain colons too."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from lineage.database.statements import StatementFile
from lineage.errors import NotFound
from lineage.http.errors import ApiError

if TYPE_CHECKING:
    from lineage.http.marquez.catalog import Conn

_MAX_COLONS = 50
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")

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
    if kind not in _FIND_BY_KIND or not colon or rest.count(":") > _MAX_COLONS:
        raise ApiError(
            400,
            "nodeId is invalid.",
            "Use dataset:NAMESPACE:NAME, job:NAMESPACE:NAME or datasetField:NAMESPACE:NAME:FIELD.",
        )
    id = _find_entity(conn, kind, rest)
    name, _, version = rest.rpartition("#")
    if id is None and _UUID.fullmatch(version):
        id = _find_entity(conn, kind, name)  # the graph has all versions
    if id is None:
        raise NotFound(f'No node has the id "{text}".')
    return Node(kind, id)


def _find_entity(conn: Conn, kind: str, text: str) -> int | None:
    places = [at for at, character in enumerate(text) if character == ":"]
    namespaces, names = [text[:at] for at in places], [text[at + 1 :] for at in places]
    return _FIND_BY_KIND[kind].fetch_one(conn, namespaces=namespaces, names=names)
