"""A graph as JSON in which each name occurs once: edges refer to datasets and jobs by position."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.query.neighbours import GraphNode
    from lineage.query.records import Edge

DATASET_FIELDS = ("namespace", "name", "upstream", "downstream", "columns", "state", "written_at",
                  "rows", "tags")  # fmt: skip
JOB_FIELDS = ("namespace", "name", "state")
EDGE_FIELDS = ("source", "target", "job", "runs", "first_seen", "last_seen", "stale", "declared")


def compact_graph(nodes: Sequence[GraphNode], edges: Sequence[Edge]) -> dict[str, Any]:
    """Return the parts of a graph as arrays.

    ``fields`` names the values of the rows of ``datasets``, ``jobs`` and ``edges``. The namespace
    of a dataset or a job is an index of ``namespaces``; source and target of an edge are indexes of
    ``datasets``, its job is one of ``jobs`` or null. The state of a job is that of its latest run.
    An edge from or to a dataset that is not in ``nodes`` is omitted.
    """
    namespaces, jobs = _Numbers(), _Numbers()
    datasets = {node.dataset.id: at for at, node in enumerate(nodes)}
    rows_of_edges = [
        (
            datasets[edge.source.id],
            datasets[edge.target.id],
            edge.job and jobs[edge.job, edge.last_run and edge.last_run.state],
            edge.runs, edge.first_seen, edge.last_seen, edge.stale, edge.declared,
        )
        for edge in edges
        if edge.source.id in datasets and edge.target.id in datasets
    ]  # fmt: skip
    rows_of_datasets = [
        (
            namespaces[node.dataset.namespace], node.dataset.name, node.upstream, node.downstream,
            node.columns, node.state, node.written_at, node.rows, node.tags,
        )
        for node in nodes
    ]  # fmt: skip
    rows_of_jobs = [(namespaces[job.namespace], job.name, state) for job, state in jobs]
    return {
        "fields": {"datasets": DATASET_FIELDS, "jobs": JOB_FIELDS, "edges": EDGE_FIELDS},
        "namespaces": list(namespaces),
        "datasets": rows_of_datasets,
        "jobs": rows_of_jobs,
        "edges": rows_of_edges,
    }


class _Numbers(dict[Any, int]):
    """Numbers values in the order of their first use."""

    def __missing__(self, value: Any) -> int:
        number = self[value] = len(self)
        return number
