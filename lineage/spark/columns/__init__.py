"""Column lineage of analyzed plans: the sources of each written column."""

from lineage.columns.compaction import ColumnLineage
from lineage.spark.columns.foreach_batch import micro_batch_rows
from lineage.spark.columns.writes import OutputColumns, merge_lineage

__all__ = ["ColumnLineage", "OutputColumns", "merge_lineage", "micro_batch_rows"]
