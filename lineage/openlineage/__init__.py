"""The OpenLineage wire format. Imports only the errors of this package."""

from lineage.openlineage.column_lineage_facet import ColumnLineage, Derivation, column_lineage
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
from lineage.openlineage.job_dependencies_facet import job_dependencies
from lineage.openlineage.lifecycle_facet import previous_name
from lineage.openlineage.lineage_facet import ExplicitLineage, TargetLineage, explicit_lineage
from lineage.openlineage.parser import encode_utf_8, parse_event

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
    "encode_utf_8",
    "explicit_lineage",
    "job_dependencies",
    "parse_event",
    "previous_name",
]
