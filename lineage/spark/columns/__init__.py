"""Column lineage over analyzed plans: of which columns each written column is made, and how."""

from lineage.spark.columns.batches import batches
from lineage.spark.columns.bound import ColumnLineage
from lineage.spark.columns.writes import Columns, together

__all__ = ["ColumnLineage", "Columns", "batches", "together"]
