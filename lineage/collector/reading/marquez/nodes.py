"""Node ids: the kind, and names joined by colons, which may have colons themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lineage.collector.problems import Problem
from lineage.errors import NotFound

if TYPE_CHECKING:
    from lineage.collector.reading.marquez.lists import Conn

_MOST_COLONS = 50

_FOUND = {
    "dataset": """
        SELECT d.canonical, '' FROM unnest(%s::text[], %s::text[]) AS n (namespace, name)
        JOIN lineage.dataset d USING (namespace, name) ORDER BY length(namespace) DESC LIMIT 1
    """,
    "job": """
        SELECT j.id, '' FROM unnest(%s::text[], %s::text[]) AS n (namespace, name)
        JOIN lineage.job j USING (namespace, name) ORDER BY length(namespace) DESC LIMIT 1
    """,
    "datasetField": """
        SELECT f.id, f.name
        FROM unnest(%s::text[], %s::text[]) AS n (namespace, name)
        CROSS JOIN LATERAL generate_series(1, length(n.name)) AS colon
        JOIN lineage.dataset d ON d.namespace = n.namespace AND d.name = left(n.name, colon - 1)
        JOIN lineage.field f ON f.dataset = d.canonical AND f.name = substr(n.name, colon + 1)
        WHERE substr(n.name, colon, 1) = ':' ORDER BY length(n.namespace) DESC, colon DESC LIMIT 1
    """,
}


class Node(NamedTuple):
    """What a node id names: the kind, and the id of it."""

    kind: str
    id: int


def find(conn: Conn, text: str) -> Node:
    """Return what a node id names. Raises NotFound, and Problem where it is none."""
    kind, colon, rest = text.partition(":")
    rest = rest.partition("#")[0]  # a version behind it: the graph is of all of them
    if kind not in _FOUND or not colon or rest.count(":") > _MOST_COLONS:
        raise Problem(400, "nodeId is not dataset:NAMESPACE:NAME, nor job: or datasetField:.")
    places = [at for at, character in enumerate(rest) if character == ":"]
    names = [rest[:at] for at in places], [rest[at + 1 :] for at in places]
    row = conn.execute(_FOUND[kind], names).fetchone()
    if row is None:
        raise NotFound(f'No node has the id "{text}".')
    return Node(kind, row[0])
