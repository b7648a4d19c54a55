"""Column lineage over analyzed plans: of which columns each written column is made, and how."""

from lineage.columns.compaction import ColumnLineage
from lineage.spark.columns.foreach_batch import micro_batch_rows
from lineage.spark.columns.writes import OutputColumns, merge_lineage

__all__ = ["ColumnLineage", "OutputColumns", "merge_lineage", "micro_batch_rows"]
