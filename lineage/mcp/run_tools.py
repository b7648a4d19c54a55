"""The tool that traces runs: what a run read and who had written it, or who read what it wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from mcp.types import CallToolResult  # noqa: TC002  # the SDK reads signatures
from pydantic import Field

from lineage import export
from lineage.failures import first_line
from lineage.mcp.paging import page_of, shorten_edges
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

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from lineage.query import Graph
    from lineage.query.records import RunLineage
    from lineage.query.run_history import Access
    from lineage.query.run_steps import RunSteps


class RunTools:
    """Methods are the tools."""

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
        """Return what a run read and the jobs that had written it, or those that read its output.

        A row is for all runs of a job, "run" the newest of them; "perhaps" more, since "since", may
        have been there too. A read without a writer is a source. "matched_by" is how read and write
        are matched: by version if both report it, else by time. With "runs", "job" and "state" are
        of the end far from the run.
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
                "error": first_line(details.run.error, most=500) or None,
                **_writes_of_run(details.accesses, limit),
            }
            return _reads_page(about, result, limit, offset)

        return await self._ask(read_page)

    async def dataset_lineage_at(
        self,
        dataset: Dataset,
        time: Annotated[
            str | None,
            Field(description="The time, ISO 8601; by default that of the newest event."),
        ] = None,
        depth: Depth = None,
        runs: ByRun = False,
        perhaps: Perhaps = False,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> CallToolResult:
        """Return the jobs whose writes a dataset consisted of at a time, and what they had read.

        Rows are as those of run_lineage.
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
    return page_of(about, "reads", shorten_edges(rows), limit, offset, result.omitted)


def _writes_of_run(accesses: Sequence[Access], limit: int) -> dict[str, Any]:
    """What a run wrote, or was to write; of many the first, and how many more."""
    result: dict[str, Any] = {}
    for what in ("wrote", "writes", "was to write"):
        names = sorted({str(each.dataset) for each in accesses if each.access_kind == what})
        if names or what == "wrote":
            key = what.replace(" ", "_")
            result[key] = names[:limit]
            if names[limit:]:
                result[f"{key}_omitted"] = len(names) - limit
    return result
