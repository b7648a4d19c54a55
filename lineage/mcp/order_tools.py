"""Tools for the order of jobs, sources and ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from mcp.types import CallToolResult  # noqa: TC002  # the SDK reads signatures
from pydantic import Field

from lineage.mcp.paging import MAX_CELL_VALUES, archive_part, page_of, shorten_texts
from lineage.mcp.parameters import Limit, Observed, Offset, Way  # noqa: TC001
from lineage.orchestration.job_rows import job_rows, plan_object
from lineage.orchestration.plan import PlanOptions, plan_jobs
from lineage.orchestration.sources import rank_sources

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from lineage.orchestration.sources import RankedSource
    from lineage.query import Graph


Feedback: TypeAlias = Annotated[
    list[str] | None,
    Field(description="Datasets whose readers on a cycle use the data of the previous round."),
]


class OrderTools:
    """Tools for orchestration, one method each."""

    _ask: Callable[[Callable[[Graph], dict[str, Any]]], Awaitable[CallToolResult]]

    async def plan_jobs(
        self,
        names: Annotated[
            list[str] | None,
            Field(description="Jobs and datasets, as for other tools; all jobs by default."),
        ] = None,
        direction: Way = "upstream",
        stale: Annotated[
            bool,
            Field(
                description="Only jobs with an input that is newer than their last successful run."
            ),
        ] = False,
        feedback: Feedback = None,
        observed: Observed = False,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> CallToolResult:
        """Return the order of jobs: which must run before which.

        Upstream: what must run before names are fresh; downstream: what must run again after them.
        Jobs of one level may run at the same time; "after" has the jobs directly before. If there
        is a cycle, there is no order: "cycles" has a shortest way round each, and the dataset that
        as feedback removes it.
        """

        def read_page(graph: Graph) -> dict[str, Any]:
            plan = plan_jobs(
                graph.session,
                names or (),
                direction,
                PlanOptions(observed=observed, feedback=feedback or (), stale=stale),
            )
            summary = {
                "since": plan.since,
                "until": plan.until,
                **archive_part(plan.archive),
                "width": plan.width,
                "critical_path": [job.full_name for job in plan.critical_path[:MAX_CELL_VALUES]],
                "critical_seconds": plan.critical_seconds,
                "cycles": plan_object(plan)["cycles"][:MAX_CELL_VALUES] if plan.cycles else [],
            }
            rows = [
                shorten_texts({
                    "level": row["level"],
                    "job": row["job"],
                    "after": ", ".join(row["after"][:MAX_CELL_VALUES]) or None,
                    "seconds": row["seconds"],
                    "last_successful_run": row["last_successful_run"],
                    "declared": row["declared"] or None,
                    "stale": row["stale"],
                })
                for row in job_rows(plan)
            ]  # fmt: skip
            return page_of(summary, "jobs", rows, limit, offset)

        return await self._ask(read_page)

    async def rank_sources(
        self,
        products: Annotated[
            list[str] | None,
            Field(description="Patterns of full names of products, as gold/*; ends by default."),
        ] = None,
        unused: Annotated[
            bool, Field(description="Only sources that were not read, or whose products were not.")
        ] = False,
        observed: Observed = False,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> CallToolResult:
        """Return the datasets that no run wrote, by the use of the products that depend on them.

        For decisions about subscriptions. "alone" has products that depend on no other source.
        Reads are of the last 30 days; those that nobody reports are not in the log.
        """

        def read_page(graph: Graph) -> dict[str, Any]:
            ranking = rank_sources(
                graph.session, products=products or (), unused=unused, observed=observed
            )
            summary = {
                "since": ranking.since,
                "until": ranking.until,
                "products": ranking.products,
                "runs_archived_before": ranking.archive and ranking.archive.before,
            }
            rows = [shorten_texts(_source_row(each)) for each in ranking.sources]
            return page_of(summary, "sources", rows, limit, offset)

        return await self._ask(read_page)

    async def rank_datasets(
        self, observed: Observed = False, limit: Limit = 20, offset: Offset = 0
    ) -> CallToolResult:
        """Return the datasets that the most lineage depends on, by PageRank.

        Ranks of all datasets add up to 1. "dependents" is the number of datasets downstream.
        """

        def read_page(graph: Graph) -> dict[str, Any]:
            ranking = graph.rank_datasets(offset + limit, observed=observed)
            summary = {"components": ranking.components, "longest_chain": ranking.longest_chain}
            rows = [
                {
                    "position": each.position,
                    "dataset": each.dataset.full_name,
                    "rank": each.rank,
                    "dependents": each.dependents,
                }
                for each in ranking.datasets
            ]
            return page_of(summary, "datasets", rows, limit, offset, ranking.omitted)

        return await self._ask(read_page)


def _source_row(each: RankedSource) -> dict[str, Any]:
    return {
        "source": each.dataset.full_name,
        "products": each.products,
        "alone": ", ".join(d.full_name for d in each.alone[:MAX_CELL_VALUES]) or None,
        "reads": each.reads,
        "readers": each.readers,
        "last_read": each.last_read,
        "cost": each.cost,
        "owners": ", ".join(each.owners) or None,
        "unused": each.unused,
    }
