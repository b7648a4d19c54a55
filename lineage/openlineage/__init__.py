"""The OpenLineage wire format. Imports nothing of this package but its errors."""

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
from lineage.openlineage.parse import parse

__all__ = [
    "Dataset",
    "DatasetEvent",
    "Event",
    "EventType",
    "Facets",
    "Job",
    "JobEvent",
    "Parent",
    "RunEvent",
    "parse",
]
