"""Tools for the lineage of a run, and of a dataset at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from mcp.types import CallToolResult  # noqa: TC002  # the SDK reads signatures
from pydantic import Field

from lineage import export
from lineage.failures import first_line
from lineage.mcp.paging import archive_part, page_of, shorten_edges
from lineage.mcp.parameters import (  # noqa: TC001
    ByRun,
    Dataset,
    Depth,
    Limit,
    Offset,
    Perhaps,
    Run,
    Way,
)
from lineage.query.names import resolve_run
from lineage.query.run_history import ACCESS_KINDS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from lineage.query import Graph
    from lineage.query.run_history import Access
    from lineage.query.run_records import RunLineage
    from lineage.query.run_steps import RunSteps


class RunTools:
    """Tools for runs, one method each."""

    _ask: Callable[[Callable[[Graph], dict[str, Any]]], Awaitable[CallToolResult]]

    async def run_lineage(
        self,
        run: Run,
        direction: Way = "upstream",
        depth: Depth = None,
        runs: ByRun = False,
        perhaps: Perhaps = False,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> CallToolResult:
        """Return the inputs of a run with their writers, or the readers of its outputs.

        A row stands for all runs of a job; "run" is the newest of them. Writes of "perhaps" more
        runs, since "since", may also have been visible. A read without a writer is a source.
        "matched_by" is "version" if reader and writer report the same version, else "time". With
        "runs", "job" and "state" are of the far end.
        """

        def read_page(graph: Graph) -> dict[str, Any]:
            run_id = resolve_run(graph.session, run)
            details = graph.run(run_id)
            trace = graph.run_lineage if runs else graph.run_steps
            result = trace(run_id, direction, depth, limit=offset + limit, perhaps=perhaps)
            about = {
                "run": run_id,
                "jobs": [str(job) for job in details.jobs],
                "state": details.run.state,
                "started_at": details.run.started_at,
                "ended_at": details.run.ended_at,
                "error": first_line(details.run.error, max_length=500) or None,
                **_writes_of_run(details.accesses, limit),
            }
            return _reads_page(about, result, limit, offset)

        return await self._ask(read_page)

    async def dataset_lineage_at(
        self,
        dataset: Dataset,
        time: Annotated[
            str | None,
            Field(description="Time, ISO 8601; by default that of the newest event."),
        ] = None,
        depth: Depth = None,
        runs: ByRun = False,
        perhaps: Perhaps = False,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> CallToolResult:
        """Return the jobs whose writes were visible in a dataset at a time, and their inputs.

        Rows have the form of those of run_lineage.
        """

        def read_page(graph: Graph) -> dict[str, Any]:
            trace = graph.dataset_lineage_at if runs else graph.dataset_steps_at
            result = trace(dataset, time, depth, limit=offset + limit, perhaps=perhaps)
            about = {"dataset": str(result.root), "time": result.at}
            return _reads_page(about, result, limit, offset)

        return await self._ask(read_page)


def _reads_page(
    about: dict[str, Any], result: RunLineage | RunSteps, limit: int, offset: int
) -> dict[str, Any]:
    """Return a page of the reads of a result."""
    rows = [{k: v for k, v in row.items() if k != "omitted"} for row in export.rows(result)]
    about = {**about, **archive_part(result.archive)}
    return page_of(about, "reads", shorten_edges(rows), limit, offset, result.omitted)


def _writes_of_run(accesses: Sequence[Access], limit: int) -> dict[str, Any]:
    """Return the first outputs of a run by what it did to them, and the number of others."""
    result: dict[str, Any] = {}
    for what in ACCESS_KINDS[1:]:
        names = sorted({str(each.dataset) for each in accesses if each.access_kind == what})
        if names or what == "wrote":
            key = what.replace(" ", "_")
            result[key] = names[:limit]
            if names[limit:]:
                result[f"{key}_omitted"] = len(names) - limit
    return result
