"""The tools: each runs one query on the graph and returns a page of its result as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from mcp.types import CallToolResult  # noqa: TC002  # the SDK reads signatures
from pydantic import Field

from lineage import export
from lineage.errors import UsageError
from lineage.mcp.analysis_tools import AnalysisTools
from lineage.mcp.order_tools import OrderTools
from lineage.mcp.paging import (
    PAGE_SIZE,
    archive_part,
    column_page,
    impact_page,
    page_of,
    shorten_edges,
)
from lineage.mcp.parameters import (  # noqa: TC001
    Column,
    Confidence,
    Dataset,
    Depth,
    Limit,
    Observed,
    Offset,
    Way,
)
from lineage.mcp.record_tools import RecordTools
from lineage.mcp.run_tools import RunTools
from lineage.query.cypher.read import find_archive_of_query
from lineage.query.filters import Filters
from lineage.query.search import Kind  # noqa: TC001

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.query import Graph
    from lineage.query.neighbours import GraphNode
    from lineage.query.records import JobTrace

_BOTH: tuple[Way, ...] = ("upstream", "downstream")


class Tools(AnalysisTools, OrderTools, RecordTools, RunTools):
    """All tools, one method each; clients read their docstrings and signatures."""

    async def search(
        self,
        text: Annotated[
            str,
            Field(
                description="Words that all have to match, in any case; empty lists datasets, jobs."
            ),
        ] = "",
        kind: Annotated[Kind | None, Field(description="Kind of results; all by default.")] = None,
        limit: Limit = 20,
    ) -> CallToolResult:
        """Find datasets, jobs and columns by words of names, tags, descriptions. Start here.

        The best match is first. Similar names are returned if nothing matches. "node_types" are
        those of nodes of streaming platforms, such as kafka_topic, that the dataset or job is.
        """

        def read_page(graph: Graph) -> dict[str, Any]:
            # one more than the page has, to detect that there are more
            hits = _search_or_list(graph, text, kind, limit + 1)
            page = page_of({}, "hits", hits[:limit], limit, 0)
            if len(hits) > len(page["hits"]):
                page["omitted"] = {"hint": "Give more words of the name, or raise limit."}
            del page["total"]
            return page

        return await self._ask(read_page)

    async def dataset_lineage(
        self,
        dataset: Dataset,
        direction: Literal["upstream", "downstream", "both"] = "upstream",
        depth: Depth = None,
        observed: Observed = False,
        min_confidence: Confidence = 0,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> CallToolResult:
        """Return the datasets that a dataset was made from (upstream) or feeds (downstream).

        Edges are nearest first: source feeds target by job, in "runs" runs that did not fail. An
        edge with "declared" and without runs was reported by a design and not shown by a run; with
        "confidence" it was inferred.
        """

        def read_page(graph: Graph) -> dict[str, Any]:
            trace = graph.dataset_lineage(
                dataset, direction, depth, Filters(observed=observed, min_confidence=min_confidence)
            )
            summary = {
                "root": str(trace.root),
                "direction": direction,
                "datasets": len(trace.datasets),
                "farthest": max(node.distance for node in trace.nodes),
            }
            return page_of(summary, "edges", shorten_edges(export.rows(trace)), limit, offset)

        return await self._ask(read_page)

    async def neighbours(
        self,
        dataset: Dataset,
        direction: Way = "upstream",
        text: Annotated[
            str, Field(description="Only names that contain this text, in any case.")
        ] = "",
        time: Annotated[
            str | None,
            Field(description="Return neighbours and writes as of that time (ISO 8601)."),
        ] = None,
        observed: Observed = False,
        min_confidence: Confidence = 0,
        limit: Limit = 20,
        offset: Offset = 0,
    ) -> CallToolResult:
        """Return the datasets one edge upstream or downstream of a dataset, the most used first.

        "upstream" and "downstream" of a row are the exact numbers of neighbours of that dataset.
        "state", "written_at" and "rows" are of the latest run that wrote it or was to write it.
        """

        def read_page(graph: Graph) -> dict[str, Any]:
            filters = Filters(observed=observed, min_confidence=min_confidence, limit=limit)
            neighbours = graph.neighbours(
                dataset, direction, filters, text=text, offset=offset, time=time
            )
            rows = [_of_node(node) for node in neighbours.nodes]
            more = neighbours.omitted.get(direction, 0)
            return page_of(
                {"root": _of_node(neighbours.root)}, "neighbours", rows, limit, offset, more,
                skipped=offset,
            )  # fmt: skip

        return await self._ask(read_page)

    async def job_lineage(
        self,
        job: Annotated[
            str, Field(description="Job or dataset; a full name takes precedence over an ending.")
        ],
        direction: Literal["upstream", "downstream", "both"] = "upstream",
        depth: Depth = None,
        observed: Observed = False,
        min_confidence: Confidence = 0,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> CallToolResult:
        """Return the jobs that feed a job or made a dataset (upstream), or that it feeds.

        Edges are nearest first: source wrote dataset, and target read it. For single runs, call
        run_lineage.
        """

        def read_page(graph: Graph) -> dict[str, Any]:
            directions = _BOTH if direction == "both" else (direction,)
            filters = Filters(observed=observed, min_confidence=min_confidence)
            traces = [graph.job_lineage(job, each, depth, filters) for each in directions]
            edges = [row for trace in traces for row in export.rows(trace)]
            rows = shorten_edges(edges, keep=len(directions) > 1)
            return page_of(_of_jobs(traces, direction), "edges", rows, limit, offset)

        return await self._ask(read_page)

    async def column_lineage(
        self,
        dataset: Dataset,
        column: Column,
        direction: Way = "upstream",
        depth: Depth = None,
        direct_only: Annotated[
            bool, Field(description="Omit columns that only filter, join, group or sort.")
        ] = False,
        observed: Observed = False,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> CallToolResult:
        """Return the columns that a column was made from (upstream) or feeds (downstream).

        An edge without target_column applies to all columns of its target. "nested" has pairs of a
        field and its struct, and of one column in two cases, without an edge between them.
        "not_known": steps without reported columns, at which the trace ends.
        """

        def read_page(graph: Graph) -> dict[str, Any]:
            trace = graph.column_lineage(
                dataset, column, direction, depth, direct_only=direct_only, observed=observed,
                limit=offset + limit,
            )  # fmt: skip
            return column_page(trace, limit, offset)

        return await self._ask(read_page)

    async def paths(
        self,
        source: Dataset,
        target: Dataset,
        all_paths: Annotated[
            bool, Field(description="Return edges of all paths, not only the shortest.")
        ] = False,
        observed: Observed = False,
        min_confidence: Confidence = 0,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> CallToolResult:
        """Return the edges of the shortest paths from one dataset to another, or of all paths.

        If there are only paths in the opposite direction, these are returned, and "feeds" is
        "target feeds source".
        """

        def read_page(graph: Graph) -> dict[str, Any]:
            paths = graph.paths(
                source,
                target,
                all_paths=all_paths,
                observed=observed,
                min_confidence=min_confidence,
                limit=offset + limit,
            )
            feeds = "target feeds source" if paths.reverse else "source feeds target"
            summary = {
                "source": str(paths.source),
                "target": str(paths.target),
                "feeds": feeds if paths.edges else "neither feeds the other",
                "steps": paths.length,
            }
            more = paths.omitted.get("edges", 0)
            return page_of(summary, "edges", shorten_edges(export.rows(paths)), limit, offset, more)

        return await self._ask(read_page)

    async def impact(
        self,
        dataset: Dataset,
        column: Annotated[str | None, Field(description="Only dependents of a column.")] = None,
        depth: Depth = None,
        observed: Observed = False,
        min_confidence: Confidence = 0,
        limit: Limit = 20,
    ) -> CallToolResult:
        """Return the datasets and jobs that depend on a dataset or a column, and their owners.

        The nearest are first, and of these the most read. Reads are counted in the window of
        "window_days" that ends at "until". "stale": later successful writes omit it.
        """
        return await self._ask(
            lambda graph: impact_page(
                graph.impact(
                    dataset,
                    column,
                    depth,
                    limit=limit,
                    observed=observed,
                    min_confidence=min_confidence,
                ),
                limit,
            )
        )

    async def cypher(
        self,
        query: Annotated[
            str,
            Field(description="Read-only query with RETURN, in the openCypher of Apache AGE."),
        ],
        params: Annotated[
            dict[str, Any] | None, Field(description="Values of $name in the query.")
        ] = None,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> CallToolResult:
        """Run a read-only Cypher query, if no other tool fits.

        Vertices: Dataset(namespace, name), Job(namespace, name), Run(run_id, state, started_at,
        ended_at, error), Field(namespace, dataset, name, type). Edges:
        (Dataset)-[FEEDS]->(Dataset), (Field)-[DERIVES]->(Field or Dataset),
        (Dataset)-[INPUT_TO]->(Run), (Run)-[OUTPUTS]->(Dataset), (Job)-[EXECUTES]->(Run),
        (Run)-[PARENT]->(Run), (Dataset)-[HAS_FIELD]->(Field), (Record)-[WITNESS]->(Record) of saved
        traces of rows. Times are ISO 8601 text in UTC. Write
        a LIMIT; for paths of any length call dataset_lineage or paths.
        """

        def read_page(graph: Graph) -> dict[str, Any]:
            size = 2 * PAGE_SIZE  # rows are shorter without their null values
            table = graph.cypher(query, params, limit=limit, offset=offset, characters=size)
            archive = find_archive_of_query(graph.session, query)
            result = {"columns": table.columns, **archive_part(archive)}
            return page_of(
                result, "rows", table.to_dicts(), limit, offset, table.omitted, skipped=table.before
            )

        return await self._ask(read_page)


def _of_node(node: GraphNode) -> dict[str, Any]:
    return {
        "dataset": str(node.dataset),
        "upstream": node.upstream,
        "downstream": node.downstream,
        "state": node.state,
        "written_at": node.written_at,
        "rows": node.rows,
        "tags": node.tags,
    }


def _search_or_list(graph: Graph, text: str, kind: Kind | None, limit: int) -> list[dict[str, Any]]:
    """Return matches of ``text``, the best first; without a text, return names."""
    if text.strip():
        hits = graph.search(text, kind and [kind], limit)
        return [
            {
                "kind": hit.kind,
                "name": hit.full_name,
                "match": hit.match,
                "match_field": None if hit.match_field == "name" else hit.match_field,
                "matched_text": hit.matched_text[:200] if hit.match_field != "name" else None,
                **({"node_types": list(hit.node_types)} if hit.node_types else {}),
                **({"rank": hit.rank.rank} if hit.rank else {}),
            }
            for hit in hits
        ]
    if kind == "column":
        raise UsageError("A search for columns needs a text.", "Give a word of their names.")
    datasets = graph.datasets("", limit) if kind in (None, "dataset") else ()
    jobs = graph.jobs("", limit) if kind in (None, "job") else ()
    return [{"kind": "dataset", "name": each.full_name} for each in datasets] + [
        {"kind": "job", "name": each.full_name} for each in jobs
    ]


def _of_jobs(traces: Sequence[JobTrace], direction: str) -> dict[str, Any]:
    """Return the summary of traces of jobs, one for each direction."""
    nodes = [node for trace in traces for node in trace.nodes]
    return {
        "root": str(traces[0].root),
        "direction": direction,
        "jobs": len({node.job for node in nodes}) - 1,
        "farthest": max(node.distance for node in nodes),
    }
