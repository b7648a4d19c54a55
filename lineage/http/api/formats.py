"""Results of the read API as JSON, and in the formats of other tools."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lineage import export
from lineage.control_characters import escape_json
from lineage.export.csv_text import csv_text, guarded_cell
from lineage.http.encoding import to_json
from lineage.http.file_response import File
from lineage.http.parameters import Choice

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineage.query import Graph

# From a format to its media type and the ending of the name of a file.
FILES = {
    "csv": ("text/csv", "csv"),
    "dot": ("text/vnd.graphviz", "gv"),
    "mermaid": ("text/plain", "mmd"),
    "graphml": ("application/xml", "graphml"),
    "html": ("text/html", "html"),
    "openlineage": ("application/x-ndjson", "jsonl"),
}
FORMATS = ("json", *FILES)
FORMAT = Choice("format", "Format of the result.", "json", words=FORMATS)


def render_result(
    graph: Graph, result: object, form: str, encode: Callable[[Any], Any] = to_json
) -> Any:
    """Return a result in one of FORMATS: as values of JSON by ``encode``, or as a file."""
    if form == "json":
        return encode(result)
    media_type, ending = FILES[form]
    return File(f"lineage.{ending}", media_type, _render_text(graph, result, form))


def _render_text(graph: Graph, result: object, form: str) -> str:
    if form == "csv":
        return csv_text(export.rows(result), export.columns(result), guarded_cell)
    if form == "openlineage":
        from lineage.export.openlineage import events_of_session

        events = events_of_session(graph.session, result)
        return "".join(
            f"{escape_json(json.dumps(event, ensure_ascii=False))}\n" for event in events
        )
    return export.text(export.graph(result), form)
