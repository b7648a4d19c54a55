"""Entities of Cypher results as objects of apache-age-python, if that package is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.errors import UsageError
from lineage.query.cypher import agtype

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# --no-deps: it depends on psycopg2, which can only be built with the headers of libpq.
INSTALL = (
    "Install it with: pip install psycopg2-binary antlr4-python3-runtime==4.11.1,"
    " and then: pip install --no-deps apache-age-python"
)


def to_age(texts: Iterable[str], keys: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Yield rows with Vertex, Edge and Path objects from the agtype maps of a result.

    Raises UsageError if apache-age-python is not installed.
    """
    try:
        from age.models import Edge, Path, Vertex
    except ImportError as error:
        missing = f"to_age() needs the package {error.name}, which is not installed."
        raise UsageError(missing, INSTALL) from error

    def make_object(kind: str, value: Any) -> Any:
        if kind == "path":
            return Path(value)
        if kind == "vertex":
            return Vertex(value["id"], value["label"], value["properties"])
        edge = Edge(value["id"], value["label"], value["properties"])
        edge.start_id, edge.end_id = value["start_id"], value["end_id"]
        return edge

    for text in texts:
        row = agtype.load_entities(text, make_object)
        yield tuple(row[key] for key in keys)
