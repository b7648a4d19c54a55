"""From answers to rows and graphs: all kinds of answers, each registered by its module."""

from lineage.export import column_traces, impact, job_traces, run_steps, runs  # noqa: F401
from lineage.export.dataset_traces import edge_row
from lineage.export.kinds import columns, graph, rows

__all__ = ["columns", "edge_row", "graph", "rows"]
