"""Add datasets of the graph to a manifest and a catalog of dbt.

A dataset outside of dbt becomes a model of the package ``lineage``. A source that a job writes
becomes such a model, too, because sources of dbt have no parents. All of them are marked in
``meta``, and ``lineage import dbt`` skips them.
"""

from __future__ import annotations

import copy
import hashlib
import html
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from lineage.dbt_docs.parents import add_parents, rename_parents
from lineage.readers.dbt.files import MARK

if TYPE_CHECKING:
    from lineage.dbt_docs.surroundings import Surroundings
    from lineage.query.details import DatasetDetails
    from lineage.query.records import Dataset
    from lineage.readers.dbt.nodes import Project

Json: TypeAlias = dict[str, Any]

PACKAGE = "lineage"
_STATISTICS = {"id": "has_stats", "label": "Has Stats?", "value": True, "include": False}


@dataclass(frozen=True)
class Injected:
    """The ids of the nodes that were added, and edges that are missing: each closes a cycle."""

    nodes: list[str]
    omitted: list[str]


def inject_datasets(
    manifest: Json, catalog: Json, project: Project, surroundings: Surroundings
) -> Injected:
    """Add the datasets to ``manifest`` and ``catalog``, and return the additions."""
    template: Json = next(
        (node for node in manifest["nodes"].values() if node["resource_type"] == "model"), {}
    )
    names = _short_names(manifest, surroundings)
    ids = dict(surroundings.node_ids)
    moved: dict[str, str] = {}
    for dataset in sorted(surroundings.details, key=lambda dataset: dataset.full_name):
        unique_id = f"model.{PACKAGE}.{names[dataset]}"
        if (old := ids.get(dataset)) is not None:
            moved[old] = unique_id
        ids[dataset] = unique_id
        source = manifest["sources"].pop(old, {}) if old else {}
        details = surroundings.details[dataset]
        node = _build_model(template, unique_id, names[dataset], details, source)
        manifest["nodes"][unique_id] = node
        entry = catalog["sources"].pop(old, None) if old else None
        catalog["nodes"][unique_id] = _build_table(node, details, entry)
    rename_parents(manifest, moved)
    nodes = project.artifacts.manifest.nodes
    known = {
        (unique_id, moved.get(parent, parent))
        for unique_id, node in nodes.items()
        for parent in project.parent_ids(node)
    }
    edges = {
        (ids[dataset], ids[parent])
        for dataset, parents in surroundings.parents.items()
        for parent in parents
        if dataset in ids and parent in ids
    }
    omitted = add_parents(manifest, edges - known)
    full_names = {unique_id: dataset.full_name for dataset, unique_id in ids.items()}
    return Injected(
        [ids[dataset] for dataset in surroundings.details],
        [f"{full_names[parent]} to {full_names[child]}" for child, parent in omitted],
    )


def _build_model(
    template: Json, unique_id: str, name: str, details: DatasetDetails, source: Json
) -> Json:
    """Return the node of a dataset, with all keys that the nodes of this manifest have."""
    dataset = details.dataset
    jobs = sorted(job.full_name for job in (*details.written_by, *details.declared_written_by))
    tags = [
        _without_tags(tag) for tag in (PACKAGE, *(f"task:{job}" for job in jobs), *details.tags)
    ]
    place = dataset.name.split(".") if dataset.name.count(".") == 2 else ["", "", name]
    config = {**copy.deepcopy(template.get("config", {})), "materialized": "table", "tags": tags}
    mark = {"namespace": dataset.namespace, "name": dataset.name}
    text = "\n".join(f"-- written by {_without_tags(job)}" for job in jobs) or "-- only read"
    return {
        **copy.deepcopy(template),
        "unique_id": unique_id,
        "resource_type": "model",
        "name": name,
        "alias": name,
        "database": source.get("database") or place[0],
        "schema": source.get("schema") or place[1],
        "package_name": PACKAGE,
        "path": f"{name}.sql",
        "original_file_path": f"{name}.sql",
        "patch_path": None,
        "fqn": [PACKAGE, name],
        "raw_code": text,
        "compiled_code": "",
        "language": "sql",
        "description": source.get("description") or _description_text(details),
        "columns": source.get("columns") or {},
        "depends_on": {"macros": [], "nodes": []},
        "refs": [],
        "sources": [],
        "tags": list(dict.fromkeys(tags)),
        "config": config,
        "meta": {**source.get("meta", {}), MARK: mark},
        "relation_name": dataset.full_name,
        "version": None,
        "latest_version": None,
        "group": None,
        "docs": {"show": True, "node_color": None},
    }


def _description_text(details: DatasetDetails) -> str:
    """Return the description of a dataset as text: dbt renders markdown with HTML in it."""
    return _escape_html(details.facets.get("documentation", {}).get("description"))


def _escape_html(text: object) -> str:
    return html.escape(str(text or ""), quote=False)


def _without_tags(text: str) -> str:
    """Return a text on one line, with U+2039 for <: the search of the page inserts it as HTML."""
    return re.sub(r"\s+", " ", text).replace("<", "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}")


def _build_table(node: Json, details: DatasetDetails, entry: Json | None) -> Json:
    """Return the entry of the catalog: the columns of the newest schema, and the last time."""
    fields = details.facets.get("schema", {}).get("fields") or []
    columns = {
        (name := _without_tags(field["name"])): {
            "type": field.get("type") or "", "index": index, "name": name,
            "comment": _escape_html(field.get("description")),
        }
        for index, field in enumerate(fields, start=1)
        if isinstance(field, dict) and isinstance(field.get("name"), str)
    }  # fmt: skip
    statistics = {"has_stats": {**_STATISTICS, "description": ""}}
    if details.last_seen:
        statistics["last_seen"] = {
            "id": "last_seen", "label": "Last seen", "value": details.last_seen, "include": True,
            "description": "Time of the newest event about the dataset",
        }  # fmt: skip
    owners = details.facets.get("ownership", {}).get("owners") or []
    names = [each["name"] for each in owners if isinstance(each, dict) and each.get("name")]
    kind = details.facets.get("datasetType", {}).get("datasetType") or "dataset"
    return {
        "unique_id": node["unique_id"],
        "metadata": {
            "type": str(kind).lower(), "schema": node["schema"], "name": node["name"],
            "database": node["database"], "comment": None, "owner": ", ".join(names) or None,
        },
        "columns": (entry or {}).get("columns") or columns,
        "stats": statistics,
    }  # fmt: skip


def _short_names(manifest: Json, surroundings: Surroundings) -> dict[Dataset, str]:
    """Return a name for each dataset that no other node has: dbt selects nodes by it."""
    used = {node["name"] for node in manifest["nodes"].values()}
    result: dict[Dataset, str] = {}
    for dataset in sorted(surroundings.details, key=lambda dataset: dataset.full_name):
        parts = dataset.name.split("/" if "/" in dataset.name else ".")
        candidates = ("_".join(parts[-count:]) for count in range(1, len(parts) + 1))
        plain = (re.sub(r"\W+", "_", each).strip("_") for each in candidates)
        digest = hashlib.sha256(dataset.full_name.encode()).hexdigest()[:8]
        free = (name for name in plain if name and name not in used)
        result[dataset] = name = next(free, f"dataset_{digest}")
        used.add(name)
    return result
