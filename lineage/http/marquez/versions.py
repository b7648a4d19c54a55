"""Versions of datasets: one for each contributing run that wrote the dataset."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lineage.errors import NotFound
from lineage.http.marquez import representations, statements
from lineage.http.marquez.catalog import PAGE, dataset_id, fetch_count, of_ids
from lineage.http.operation import Operation
from lineage.openlineage import RunEvent, parse_event

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lineage.http.marquez.catalog import Conn, Json
    from lineage.openlineage import Dataset

_MOST = 1000  # versions that are searched for one


def _list_versions(conn: Conn, values: Json) -> Json:
    id = dataset_id(conn, values["namespace"], values["dataset"])
    [dataset] = of_ids(conn, [id])
    rows = statements.VERSIONS.fetch(conn, **{**values, "dataset": id})
    runs = [representations.run_form(row.run) for row in rows]
    schemas = _schemas_by_run(conn, dataset, [run["id"] for run in runs])
    versions = [
        _version_form(dataset, run, row.written_at, row.facets, schemas.get(run["id"]))
        for row, run in zip(rows, runs, strict=True)
    ]
    return {"versions": versions, "totalCount": fetch_count(conn, statements.VERSION_COUNT, (id,))}


def _version_form(
    dataset: Json, run: Json, written_at: str, facets: Json, schema: Json | None
) -> Json:
    """Return a version, with the columns that its run reported if the log still has its events."""
    all_facets = facets | ({"schema": schema} if schema else {})
    key = representations.version_id(dataset["namespace"], dataset["name"], run["id"])
    same = ("type", "name", "physicalName", "namespace", "sourceName", "tags", "description")
    return {
        **{name: dataset[name] for name in same},
        "id": {**dataset["id"], "version": key},
        "version": key,
        "createdAt": written_at,
        "lastModifiedAt": written_at,
        "createdByRun": run,
        "fields": representations.schema_fields(all_facets),
        "lifecycleState": representations.value_at(
            facets, "lifecycleStateChange", "lifecycleStateChange"
        ),
        "facets": all_facets,
    }


def _schemas_by_run(conn: Conn, dataset: Json, runs: list[str]) -> dict[str, Json]:
    """Return by run the newest schema that it reported for a dataset or an alias of it."""
    id = dataset_id(conn, dataset["namespace"], dataset["name"])
    names = set(conn.execute(statements.NAMES, (id,)).fetchall())
    schemas: dict[str, Json] = {}
    for run_id, body in conn.execute(statements.OUTPUTS_REPORTED, (runs,)):
        event = parse_event(body)
        for schema in _reported_schemas(
            event.outputs if isinstance(event, RunEvent) else (), names
        ):
            schemas[run_id] = schema
    return schemas


def _reported_schemas(outputs: Iterable[Dataset], names: set[tuple[Any, ...]]) -> Iterable[Json]:
    for output in outputs:
        schema = json.loads(bytes(output.facets.get("schema", b"null")))
        if output.key in names and isinstance(schema, dict):
            yield schema


def _get_version(conn: Conn, values: Json) -> Json:
    versions = _list_versions(conn, {**values, "limit": _MOST, "offset": 0})["versions"]
    for version in versions:
        if version["version"] == values["version"]:
            return dict(version)
    raise NotFound(f'"{values["dataset"]}" has no version "{values["version"]}".')


OPERATIONS = (
    Operation(
        "/api/v1/namespaces/{namespace}/datasets/{dataset}/versions",
        "Versions of a dataset: the runs that wrote it",
        _list_versions,
        PAGE,
    ),
    Operation(
        "/api/v1/namespaces/{namespace}/datasets/{dataset}/versions/{version}",
        "A version of a dataset",
        _get_version,
    ),
)
