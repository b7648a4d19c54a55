"""Import all modules that register a kind of result for conversion to rows and diagrams."""

from lineage.export import column_lineage, impact, job_lineage, run_lineage, run_steps  # noqa: F401
from lineage.export.dataset_lineage import edge_row
from lineage.export.registry import diagram_of, result_columns, result_rows

__all__ = ["diagram_of", "edge_row", "result_columns", "result_rows"]
