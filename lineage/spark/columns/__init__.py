"""Column lineage over analyzed plans: of which columns each written column is made, and how."""

from lineage.columns.compaction import ColumnLineage
from lineage.spark.columns.foreach_batch import batches
from lineage.spark.columns.writes import Columns, together

__all__ = ["ColumnLineage", "Columns", "batches", "together"]
