"""Namespaces, datasets, jobs and runs in the formats of Marquez."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid5

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Json = dict[str, Any]

_STATES = {"COMPLETE": "COMPLETED", "FAIL": "FAILED", "ABORT": "ABORTED", None: "NEW"}
_STREAMS = ("TOPIC", "STREAM")
_VERSIONS = UUID("6c696e65-6167-5650-8000-76657273696f")


def name_form(namespace: str, name: str) -> Json:
    """Return the id of a dataset or a job."""
    return {"namespace": namespace, "name": name}


def node_id(kind: str, *parts: str) -> str:
    """Return ``dataset:NAMESPACE:NAME``, ``job:…`` or ``datasetField:…:FIELD``."""
    return ":".join((kind, *parts))


def version_id(namespace: str, name: str, run_id: str) -> str:
    """Return the UUID of the version of a dataset that a run wrote."""
    return str(uuid5(_VERSIONS, "\n".join((namespace, name, run_id))))


def namespace_form(name: str, first_seen: str | None, last_seen: str | None) -> Json:
    """Return a namespace."""
    return {
        "name": name,
        "createdAt": first_seen,
        "updatedAt": last_seen,
        "ownerName": "",
        "description": "",
        "isHidden": False,
    }


def dataset_form(row: Sequence[Any]) -> Json:
    """Return the dataset in a row of ``statements.DATASETS``."""
    namespace, name, first_seen, last_seen, facets, columns, run_id, change = row
    facets = facets or {}
    return {
        "id": name_form(namespace, name),
        "type": dataset_type(facets),
        "name": name,
        "physicalName": name,
        "createdAt": first_seen,
        "updatedAt": last_seen,
        "namespace": namespace,
        "sourceName": value_at(facets, "dataSource", "name") or namespace,
        "fields": schema_fields(facets) or [_field_form(*column) for column in columns or ()],
        "tags": _field_tags(facets, None),
        "lastModifiedAt": last_seen,
        "lastLifecycleState": change,
        "description": value_at(facets, "documentation", "description"),
        "currentVersion": version_id(namespace, name, run_id) if run_id else None,
        "columnLineage": column_lineage(facets),
        "facets": facets,
        "deleted": change == "DROP",
    }


def dataset_type(facets: Mapping[str, Any]) -> str:
    """Return the type of a dataset, one of the two types in Marquez."""
    reported = str(value_at(facets, "datasetType", "datasetType")).upper()
    return "STREAM" if reported in _STREAMS else "DB_TABLE"


def schema_fields(facets: Mapping[str, Any]) -> list[Json]:
    """Return the columns of the schema facet, in its order."""
    return [
        _field_form(
            each["name"],
            each.get("type"),
            each.get("description"),
            _field_tags(facets, each["name"]),
        )
        for each in _objects_in(value_at(facets, "schema", "fields"))
        if each.get("name")
    ]


def _field_form(
    name: str, type: str | None, description: str | None = None, tags: Sequence[str] = ()
) -> Json:
    return {"name": name, "type": type, "tags": list(tags), "description": description}


def _field_tags(facets: Mapping[str, Any], field: str | None) -> list[str]:
    tags = _objects_in(value_at(facets, "tags", "tags"))
    return [_tag_name(tag) for tag in tags if tag.get("field") == field and tag.get("key")]


def _tag_name(tag: Mapping[str, Any]) -> str:
    """Return the name of a tag as lineage.tag_name() does."""
    key, value = str(tag["key"]), tag.get("value")
    return key if value is True or value in (None, "", "true", key) else f"{key}:{value}"


def column_lineage(facets: Mapping[str, Any]) -> list[Json]:
    """Return the inputs of each column in the columnLineage facet."""
    fields = value_at(facets, "columnLineage", "fields")
    inputs = {
        name: _objects_in(value_at(fields, name, "inputFields"))
        for name in (fields if isinstance(fields, dict) else ())
    }
    return [
        {"name": name, "inputFields": [_input_field(each) for each in entry]}
        for name, entry in inputs.items()
    ]


def _input_field(entry: Mapping[str, Any]) -> Json:
    how = next(iter(_objects_in(entry.get("transformations"))), {})
    return {
        "namespace": entry.get("namespace"),
        "dataset": entry.get("name"),
        "field": entry.get("field"),
        "transformationDescription": how.get("description"),
        "transformationType": how.get("subtype") or how.get("type"),
    }


def job_form(row: Sequence[Any]) -> Json:
    """Return the job in a row of ``statements.JOBS``."""
    namespace, name, first_seen, last_seen, facets, inputs, outputs, latest = row
    facets = facets or {}
    runs = [run_form(each) for each in latest or ()]
    parent = value_at(runs[0]["facets"] if runs else {}, "parent", "job", "name")
    return {
        "id": name_form(namespace, name),
        "type": _job_type(facets),
        "name": name,
        "simpleName": name.removeprefix(f"{parent}.") if parent else name,
        "parentJobName": parent,
        "parentJobUuid": None,
        "createdAt": first_seen,
        "updatedAt": last_seen,
        "namespace": namespace,
        "inputs": [name_form(*each) for each in inputs or ()],
        "outputs": [name_form(*each) for each in outputs or ()],
        "location": value_at(facets, "sourceCodeLocation", "url"),
        "description": value_at(facets, "documentation", "description"),
        "latestRun": runs[0] if runs else None,
        "latestRuns": runs,
        "facets": facets,
        "currentVersion": None,
        "labels": [],
        "tags": _field_tags(facets, None),
    }


def _job_type(facets: Mapping[str, Any]) -> str:
    reported = value_at(facets, "jobType", "processingType")
    return {"STREAMING": "STREAM", "SERVICE": "SERVICE"}.get(str(reported).upper(), "BATCH")


def run_form(row: Sequence[Any]) -> Json:
    """Return the run in a row of ``statements.RUN``."""
    run_id, state, first_seen, last_seen, started, ended, facets, job_namespace, job_name = row
    facets = facets or {}
    return {
        "id": run_id,
        "createdAt": first_seen,
        "updatedAt": last_seen,
        "nominalStartTime": value_at(facets, "nominalTime", "nominalStartTime"),
        "nominalEndTime": value_at(facets, "nominalTime", "nominalEndTime"),
        "state": _STATES.get(state, "RUNNING"),
        "startedAt": started,
        "endedAt": ended,
        "durationMs": _duration_milliseconds(started, ended),
        "args": {},
        "namespace": job_namespace,
        "jobName": job_name,
        "jobVersion": {**name_form(job_namespace, job_name), "version": None},
        "inputDatasetVersions": [],
        "outputDatasetVersions": [],
        "facets": facets,
    }


def _duration_milliseconds(started: str | None, ended: str | None) -> int | None:
    if not (started and ended):
        return None
    times = [datetime.fromisoformat(each.removesuffix("Z")) for each in (started, ended)]
    return round((times[1] - times[0]).total_seconds() * 1000)


def _objects_in(value: Any) -> list[Json]:
    """Return the objects of a list, because producers may put other values into facets."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def value_at(facets: Mapping[str, Any], *path: str) -> Any:
    """Return the value at a path in facets; None if the path does not exist."""
    value: Any = facets
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value
