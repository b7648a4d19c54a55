"""Events for manifests that are written by hand; expected values follow from the manifest."""

from __future__ import annotations

from typing import Any

import msgspec

from lineage.readers.dbt.events import DbtReader
from lineage.readers.dbt.files import Artifacts, Manifest

NS = "db://host"


def node(unique_id: str, *parents: str, sql: str | None = None, **fields: Any) -> dict[str, Any]:
    """Return a node of a manifest; the schema of its relation is that of its package."""
    kind, package, name = unique_id.split(".", 2)
    return {
        "unique_id": unique_id, "resource_type": kind, "name": name, "package_name": package,
        "database": "w", "schema": package, "alias": name, "identifier": name,
        "original_file_path": f"models/{name}.sql", "language": "sql", "compiled_code": sql,
        "depends_on": {"nodes": parents}, **fields,
    }  # fmt: skip


def reader_of(*nodes: dict[str, Any], adapter: str = "postgres", **parts: Any) -> DbtReader:
    """Return the reader of a manifest; sources are told by their type."""
    sections: dict[str, dict[str, Any]] = {"nodes": {}, "sources": {}, "exposures": {}}
    for each in nodes:
        kind = each["resource_type"]
        section = f"{kind}s" if kind in ("source", "exposure") else "nodes"
        sections[section][each["unique_id"]] = each
    manifest = msgspec.convert(
        {"metadata": {"adapter_type": adapter, "generated_at": "2026-01-01"}, **sections, **parts},
        Manifest,
    )
    return DbtReader(Artifacts(manifest, None, None, []), NS)


def edges_of(reader: DbtReader) -> dict[str, set[str]]:
    """Return the inputs of each job by the name of its output, or of the job without one."""
    return {
        next((output["name"] for output in event["outputs"]), event["job"]["name"]): {
            dataset["name"] for dataset in event["inputs"]
        }
        for event in reader.read_events()
        if "job" in event
    }


def test_models_of_other_projects_are_inputs_only() -> None:
    """Their own project declares them: an event without inputs would replace what it declared."""
    stub = {"original_file_path": "", "language": None}
    reader = reader_of(
        node("model.up.a", **stub),
        node("model.up.b", "model.up.a", **stub),
        node("model.down.c", "model.up.b", sql="select id from w.up.b"),
    )
    assert edges_of(reader) == {"w.down.c": {"w.up.b"}}
