"""Declaration of an operation of the read API by its query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.http.api.formats import FILES, FORMAT
from lineage.http.operation import Operation
from lineage.query import Graph

if TYPE_CHECKING:
    from collections.abc import Callable

    from msgspec import Struct

    from lineage.http.parameters import Text


def declare_operation(
    name: str,
    summary: str,
    query: Callable[[Graph, dict[str, Any]], object],
    parameters: tuple[Text, ...] = (),
    body: type[Struct] | None = None,
) -> Operation:
    """Return the operation ``/api/v1/graph/<name>``; ``query`` gets the values of a request."""
    fields = body.__struct_fields__ if body else [each.name for each in parameters]
    files = FILES.values() if FORMAT.name in fields else ()
    return Operation(
        f"/api/v1/graph/{name}",
        summary,
        lambda conn, values: query(Graph.over(conn), values),
        parameters,
        body=body,
        media_types=("application/json", *(each for each, _ in files)),
    )
