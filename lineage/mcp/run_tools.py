"""The tool that traces runs: what a run read and who had written it, or who read what it wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from mcp.types import CallToolResult  # noqa: TC002  # the SDK reads signatures
from pydantic import Field

from lineage import export
from lineage.failures import first_line
from lineage.mcp.paging import lean, page
from lineage.mcp.parameters import Depth, Limit, Offset, Run, Way  # noqa: TC001
from lineage.query.names import resolve_run

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from lineage.query import Graph
    from lineage.query.records import Moment
    from lineage.query.run_history import Access
    from lineage.query.run_steps import RunSteps


class Runs:
    """Methods are the tools."""

    _ask: Callable[[Callable[[Graph], dict[str, Any]]], Awaitable[CallToolResult]]

    async def run_provenance(
        self,
        run_id: Run,
        direction: Way = "upstream",
        depth: Depth = None,
        runs: Annotated[bool, Field(description="A row for each run, not for each job.")] = False,
        perhaps: Annotated[
            bool, Field(description="Also writes that a newer one of the job may have replaced.")
        ] = False,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> CallToolResult:
        """Tell what a run read and which jobs had written that, or which read what it wrote.

        A row is for all runs of a job, "run" the newest of them; "perhaps" more, since "since", may
        have been there too. A read without a writer is a source. "link" is how reader and writer
        are tied: by version where both state it, else by time. With "runs", "job" and "state" are
        of the end far from the run.
        """

        def found(graph: Graph) -> dict[str, Any]:
            run = resolve_run(graph.session, run_id)
            shown = graph.run(run)
            last = offset + limit
            read: Moment | RunSteps
            if not runs:
                read = graph.run_steps(run, direction, depth, limit=last, perhaps=perhaps)
            else:
                read = graph.run_lineage(run, direction, depth, limit=last, perhaps=perhaps)
            said = {
                "run": run,
                "jobs": [str(job) for job in shown.jobs],
                "state": shown.run.state,
                "started_at": shown.run.started_at,
                "ended_at": shown.run.ended_at,
                "error": first_line(shown.run.error, most=500) or None,
                **_written(shown.accesses, limit),
            }
            rows = [{k: v for k, v in row.items() if k != "left_out"} for row in export.rows(read)]
            return page(said, "reads", lean(rows), limit, offset, read.left_out)

        return await self._ask(found)


def _written(accesses: Sequence[Access], limit: int) -> dict[str, Any]:
    """What a run wrote, or was to write; of many the first, and how many more."""
    said: dict[str, Any] = {}
    for what in ("wrote", "writes", "was to write"):
        names = sorted({str(each.dataset) for each in accesses if each.what == what})
        if names or what == "wrote":
            key = what.replace(" ", "_")
            said[key] = names[:limit]
            if names[limit:]:
                said[f"{key}_left_out"] = len(names) - limit
    return said
