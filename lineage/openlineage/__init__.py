"""The OpenLineage wire format. Imports nothing of this package but its errors."""

from lineage.openlineage.columns import ColumnLineage, Derivation, column_lineage
from lineage.openlineage.events import (
    Dataset,
    DatasetEvent,
    Event,
    EventType,
    Facets,
    Job,
    JobEvent,
    Parent,
    RunEvent,
)
from lineage.openlineage.parse import parse, utf_8

__all__ = [
    "ColumnLineage",
    "Dataset",
    "DatasetEvent",
    "Derivation",
    "Event",
    "EventType",
    "Facets",
    "Job",
    "JobEvent",
    "Parent",
    "RunEvent",
    "column_lineage",
    "parse",
    "utf_8",
]
