"""A graph as JSON in which each name occurs once: edges refer to datasets and jobs by position."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.query.neighbours import GraphNode
    from lineage.query.records import ColumnEdge, Edge, Run

DATASET_FIELDS = ("namespace", "name", "first_seen", "upstream", "downstream", "columns", "state",
                  "written_at", "rows", "tags")  # fmt: skip
JOB_FIELDS = ("namespace", "name", "state", "last_run_at")
EDGE_FIELDS = ("source", "target", "job", "runs", "first_seen", "last_seen", "stale", "declared",
               "confidence")  # fmt: skip
COLUMN_EDGE_FIELDS = ("source", "source_column", "target", "target_column", "job", "type",
                      "subtype", "masking", "runs", "last_seen", "declared")  # fmt: skip


def compact_graph(
    nodes: Sequence[GraphNode], edges: Sequence[Edge], column_edges: Sequence[ColumnEdge] = ()
) -> dict[str, Any]:
    """Return the parts of a graph as arrays.

    ``fields`` names the values of the rows of each. The namespace of a dataset or a job is an index
    of ``namespaces``; source and target of an edge are indexes of ``datasets``, its job is one of
    ``jobs`` or null. The state of a job is that of its latest run, and ``last_run_at`` the end of
    that run, or its latest event; null if no edge between datasets is of that job. A target without
    a column is a whole dataset. An edge from or to a dataset that is not in ``nodes`` is omitted.
    """
    namespaces, jobs = _Numbers(), _Numbers()
    runs = {edge.job: edge.last_run for edge in edges if edge.last_run}
    datasets = {node.dataset.id: at for at, node in enumerate(nodes)}
    rows_of_edges = [
        (
            datasets[edge.source.id],
            datasets[edge.target.id],
            edge.job and jobs[edge.job],
            edge.runs, edge.first_seen, edge.last_seen, edge.stale, edge.declared,
            edge.confidence,
        )
        for edge in edges
        if edge.source.id in datasets and edge.target.id in datasets
    ]  # fmt: skip
    rows_of_datasets = [
        (
            namespaces[node.dataset.namespace], node.dataset.name, node.first_seen, node.upstream,
            node.downstream, node.columns, node.state, node.written_at, node.rows, node.tags,
        )
        for node in nodes
    ]  # fmt: skip
    rows_of_columns = [
        (
            datasets[edge.source.dataset.id], edge.source.name,
            datasets[edge.target.dataset.id], edge.target.name,
            edge.job and jobs[edge.job], edge.type, edge.subtype, edge.masking, edge.runs,
            edge.last_seen, edge.declared,
        )
        for edge in column_edges
    ]  # fmt: skip
    rows_of_jobs = [
        (namespaces[job.namespace], job.name, *_describe_run(runs.get(job))) for job in jobs
    ]
    return {
        "fields": {
            "datasets": DATASET_FIELDS,
            "jobs": JOB_FIELDS,
            "edges": EDGE_FIELDS,
            "column_edges": COLUMN_EDGE_FIELDS,
        },
        "namespaces": list(namespaces),
        "datasets": rows_of_datasets,
        "jobs": rows_of_jobs,
        "edges": rows_of_edges,
        "column_edges": rows_of_columns,
    }


def _describe_run(run: Run | None) -> tuple[str | None, str | None]:
    """Return state and time of a run."""
    return (run.state, run.ended_at or run.event_time) if run else (None, None)


class _Numbers(dict[Any, int]):
    """Numbers values in the order of their first use."""

    def __missing__(self, value: Any) -> int:
        number = self[value] = len(self)
        return number
