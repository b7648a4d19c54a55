"""The tool for saved traces of rows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

from mcp.types import CallToolResult  # noqa: TC002  # the SDK reads signatures
from pydantic import Field

from lineage.errors import UsageError
from lineage.mcp.paging import page_of, shorten_texts
from lineage.mcp.parameters import Limit, Offset  # noqa: TC001
from lineage.records.stored_traces import saved_trace, saved_traces

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from lineage.query import Graph
    from lineage.records.stored_traces import SavedTrace


_MAX_VALUES = 5


class RecordTools:
    """Tools for rows, one method each."""

    _ask: Callable[[Callable[[Graph], dict[str, Any]]], Awaitable[CallToolResult]]

    async def trace_row(
        self,
        dataset: Annotated[
            str | None, Field(description="Dataset, as for other tools. Required without trace.")
        ] = None,
        trace: Annotated[str | None, Field(description="Id of a saved trace.")] = None,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> CallToolResult:
        """Return the rows that rows of a dataset are made of, from traces that people saved.

        No job runs for it. With a dataset, its saved traces are listed, newest first; with a trace,
        its contributing rows, by file and position or by a hash. "counts" has the exact number of
        contributing rows of each source, "hop" the number of writes to the traced rows. Fidelity:
        exact, superset (others may be among them), sampled, unverified (too many rows for a check),
        stale, or unknown (some may be missing).
        """

        def read_page(graph: Graph) -> dict[str, Any]:
            if trace is not None:
                return _trace_page(graph, trace, limit, offset)
            if dataset is None:
                raise UsageError("Neither dataset nor trace was given.", "Give one of them.")
            listed = saved_traces(graph.session, dataset, offset + limit)
            rows = [shorten_texts(_trace_row(each)) for each in listed.traces]
            about = {"dataset": listed.dataset}
            return page_of(about, "traces", rows, limit, offset, listed.omitted)

        return await self._ask(read_page)


def _trace_page(graph: Graph, trace: str, limit: int, offset: int) -> dict[str, Any]:
    details = saved_trace(graph.session, trace)
    rows = [
        shorten_texts(
            {
                "hop": row.hop,
                "target": row.target,
                "source": row.source,
                "file": row.file,
                "row_index": row.row_index,
                "key": row.key if row.file is None else None,
                "values": _values_text(row.values),
            }
        )
        for row in details.witnesses
    ]
    about = shorten_texts(_trace_row(details.trace))
    if details.values:
        texts = map(_values_text, details.values[:_MAX_VALUES])
        about["values"] = [shorten_texts({"text": text})["text"] for text in texts]
    return page_of(about, "witnesses", rows, limit, offset)


def _values_text(values: dict[str, Any] | None) -> str | None:
    """Return values as JSON: numbers of Spark have up to 38 digits."""
    return None if values is None else json.dumps(values, ensure_ascii=False)


def _trace_row(trace: SavedTrace) -> dict[str, Any]:
    return {
        "trace": trace.trace_id,
        "dataset": trace.dataset,
        "columns": list(trace.columns),
        "condition": trace.condition,
        "way": trace.way,
        "run_id": trace.run,
        "fidelity": trace.fidelity,
        "reasons": list(trace.reasons),
        "rows_traced": trace.rows,
        "reproduced": trace.reproduced,
        "counts": [
            {"hop": count.hop, "source": count.source, "rows": count.rows} for count in trace.counts
        ],
        "saved_at": trace.saved_at,
    }
