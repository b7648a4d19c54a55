"""From answers to rows and graphs: all kinds of answers, each registered by its module."""

from lineage.export import column_lineage, impact, job_lineage, run_lineage, run_steps  # noqa: F401
from lineage.export.dataset_lineage import edge_row
from lineage.export.registry import columns, graph, rows

__all__ = ["columns", "edge_row", "graph", "rows"]
