"""Raw and canned Cypher over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.errors import QueryError, QueryTimeout
from lineage.http.errors import ApiError
from lineage.query.cypher.canned import canned_queries, canned_query
from lineage.query.cypher.canned_parameters import bind_parameters

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineage.query import Graph

_SECONDS = 30.0
_MAX_CHARACTERS = 8 << 20


def run_cypher(graph: Graph, values: dict[str, Any]) -> Any:
    return _run_text(graph, values["query"], values["params"], values)


def list_canned_queries(graph: Graph, values: dict[str, Any]) -> Any:
    queries = canned_queries()[: values["limit"]]
    return {
        "queries": [
            {"name": q.name, "summary": q.summary, "params": q.params, "text": q.text}
            for q in queries
        ]
    }


def run_canned_query(graph: Graph, values: dict[str, Any]) -> Any:
    query = canned_query(values["name"])
    params = bind_parameters(graph.session, query, values["params"])
    return _run_text(graph, query.text, params, values)


def _run_text(graph: Graph, text: str, params: Mapping[str, Any], values: dict[str, Any]) -> Any:
    """Return columns and rows. Raises ApiError with the position of an error in the query."""
    try:
        table = graph.cypher(
            text, params, _SECONDS,
            limit=values["limit"], offset=values["offset"], characters=_MAX_CHARACTERS,
        )  # fmt: skip
    except QueryTimeout:
        raise
    except QueryError as error:
        details: dict[str, Any] = {"excerpt": error.excerpt} if error.excerpt else {}
        if error.position:
            details["line"], details["column"] = error.position
        raise ApiError(400, error.message, error.hint, details=details) from error
    return {"columns": table.columns, "rows": table.rows, "omitted": table.omitted}
