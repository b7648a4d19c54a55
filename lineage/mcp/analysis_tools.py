"""Tools for diffs, root causes, orphans, quality checks and cycles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from mcp.types import CallToolResult  # noqa: TC002  # the SDK reads signatures
from pydantic import Field

from lineage.errors import UsageError
from lineage.export import diff_rows
from lineage.mcp.paging import MAX_CELL_VALUES, archive_part, page_of, shorten_texts
from lineage.mcp.parameters import Dataset, Depth, Limit, Observed, Offset, Run  # noqa: TC001

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from lineage.query import Graph

    Ask: TypeAlias = Callable[[Callable[[Graph], dict[str, Any]]], Awaitable[CallToolResult]]


class AnalysisTools:
    """Tools for analysis, one method each."""

    def __init__(self, ask: Ask) -> None:
        """Take ``ask``, which runs a query on a read-only connection."""
        self._ask = ask

    async def dataset_diff(
        self,
        dataset: Dataset,
        start: Annotated[str, Field(description="Earlier time, ISO 8601.")],
        end: Annotated[str, Field(description="Later time, ISO 8601.")],
        depth: Depth = None,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> CallToolResult:
        """Return the changes of a dataset between two times.

        Compares its visible writes and those of all datasets upstream: added and removed datasets,
        jobs and runs, changed columns, and rows of the newest writes. "kind" is the kind of change.
        """

        def read_page(graph: Graph) -> dict[str, Any]:
            changed = graph.dataset_diff(dataset, start, end, depth)
            summary = {
                "root": str(changed.root),
                "from": changed.start,
                "to": changed.end,
                "unchanged_writes": changed.unchanged,
                "jobs_with_unknown_write_mode": [str(job) for job in changed.unknown_modes],
                "schemas_known_from": changed.log_from,
                **archive_part(changed.archive),
            }
            rows = [shorten_texts(row) for row in diff_rows.of_dataset(changed)]
            return page_of(summary, "changes", rows, limit, offset)

        return await self._ask(read_page)

    async def run_diff(
        self,
        before: Run,
        after: Run,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> CallToolResult:
        """Return the differences between two runs, such as a successful and a failed one.

        Compares state, duration, settings, inputs and their writers, and outputs.
        """

        def read_page(graph: Graph) -> dict[str, Any]:
            compared = graph.run_diff(before, after)
            summary = {
                "before": compared.before.run_id,
                "after": compared.after.run_id,
                "not_in_the_log": list(compared.unlogged),
                **archive_part(compared.archive),
            }
            rows = [shorten_texts(row) for row in diff_rows.of_runs(compared)]
            return page_of(summary, "differences", rows, limit, offset)

        return await self._ask(read_page)

    async def root_cause(
        self,
        run: Run,
        last_failed: Annotated[
            bool, Field(description="Examine the last failed run of a job or dataset.")
        ] = False,
        depth: Depth = None,
        limit: Limit = 10,
        offset: Offset = 0,
    ) -> CallToolResult:
        """Return why a run failed, was late or wrote a bad result, the most likely cause first.

        Examines the run, the runs that it started, and the runs whose writes it read. Causes are
        stale inputs, failures, slow runs, and unexpected numbers of rows or columns.
        """

        def read_page(graph: Graph) -> dict[str, Any]:
            why = graph.root_cause(run, depth, last_failed=last_failed)
            summary = {
                "run": why.run.run_id,
                "jobs": [str(job) for job in why.jobs],
                "state": why.run.state,
                "runs_looked_at": why.looked_at,
                "writes_without_logged_columns": why.unlogged,
                "runs_archived_before": why.archive and why.archive.before,
            }
            rows = [shorten_texts(diff_rows.of_cause(each)) for each in why.causes]
            return page_of(summary, "causes", rows, limit, offset)

        return await self._ask(read_page)

    async def orphans(
        self,
        kind: Annotated[
            Literal["unused", "external source", "unreferenced", "job"] | None,
            Field(description="Kind of orphans to return; all kinds by default."),
        ] = None,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> CallToolResult:
        """Return datasets without a reader or a writer, and jobs that never wrote.

        unused: written, without a reader; external source: read, and no run wrote it;
        unreferenced: neither read nor written; job: never wrote. Entries named last come first.
        """

        def read_page(graph: Graph) -> dict[str, Any]:
            ends = graph.orphans()
            rows = [
                {"kind": each.kind, "name": str(each.entity), "last_seen": each.last_seen}
                for each in ends.orphans
                if kind in (None, each.kind)
            ]
            return page_of({"counts": dict(ends.counts)}, "orphans", rows, limit, offset)

        return await self._ask(read_page)

    async def quality(
        self,
        dataset: Annotated[
            str | None, Field(description="Dataset, as for other tools. Required without run.")
        ] = None,
        run: Annotated[str | None, Field(description="Run, as for other tools.")] = None,
        upstream: Annotated[
            bool, Field(description="Also return checks of all datasets upstream.")
        ] = False,
        failed: Annotated[bool, Field(description="Return only checks that failed.")] = True,
        depth: Depth = None,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> CallToolResult:
        """Return the quality checks that failed or passed for a dataset or a run.

        For a dataset, the newest result of each job that checks it, with upstream also for all
        datasets that it was made from. For a run, its own checks, and as "before" the last checks
        of its inputs before it read them.
        """

        def read_page(graph: Graph) -> dict[str, Any]:
            if run is not None:
                checks = graph.run_quality(run, failed=failed)
            elif dataset is not None:
                checks = graph.quality(dataset, upstream=upstream, failed=failed, depth=depth)
            else:
                raise UsageError("Neither dataset nor run was given.", "Give one of them.")
            summary = {
                "passed": checks.passed,
                "failed": checks.failed,
                "unknown": checks.unknown,
                **archive_part(checks.archive),
            }
            rows = [
                {
                    "part": check.part,
                    "distance": check.distance,
                    "dataset": check.dataset and str(check.dataset),
                    "check": check.check_title,
                    "result": check.describe_result,
                    "checked_at": check.checked_at,
                    "job": check.job and str(check.job),
                    "run_id": check.run and check.run.run_id,
                }
                for check in checks.checks
            ]
            return page_of(summary, "checks", [shorten_texts(row) for row in rows], limit, offset)

        return await self._ask(read_page)

    async def cycles(
        self, observed: Observed = False, limit: Limit = 20, offset: Offset = 0
    ) -> CallToolResult:
        """Return datasets that feed each other, and datasets that feed themselves.

        "path" is a shortest path from the first dataset back to it, "datasets" the number of
        datasets in the cycle.
        """

        def read_page(graph: Graph) -> dict[str, Any]:
            rows = [
                {
                    "datasets": len(each.datasets),
                    "path": [str(dataset) for dataset in each.path[:MAX_CELL_VALUES]],
                    "round_omitted": len(each.path[MAX_CELL_VALUES:]) or None,
                    "jobs": sorted({str(edge.job) for edge in each.edges})[:MAX_CELL_VALUES],
                }
                for each in graph.cycles(observed=observed).components
            ]
            return page_of({}, "cycles", rows, limit, offset)

        return await self._ask(read_page)
