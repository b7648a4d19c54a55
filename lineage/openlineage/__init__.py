"""The OpenLineage wire format. Imports nothing of this package but its errors."""

from lineage.openlineage.columns import ColumnLineage, Derivation, column_lineage
from lineage.openlineage.dependencies import job_dependencies
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
from lineage.openlineage.explicit import ExplicitLineage, TargetLineage, explicit_lineage
from lineage.openlineage.parse import parse, utf_8

__all__ = [
    "ColumnLineage",
    "Dataset",
    "DatasetEvent",
    "Derivation",
    "Event",
    "EventType",
    "ExplicitLineage",
    "Facets",
    "Job",
    "JobEvent",
    "Parent",
    "RunEvent",
    "TargetLineage",
    "column_lineage",
    "explicit_lineage",
    "job_dependencies",
    "parse",
    "utf_8",
]
