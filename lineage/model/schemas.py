"""Columns of nodes, in the form of the OpenLineage facet ``schema``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.model.entities import LineageNode


def columns_of_node(node: LineageNode, schemas: Sequence[LineageNode]) -> list[dict[str, str]]:
    """Return name and type of each column: those of the node, else those of its newest schema.

    Schemas of the keys of a topic do not count.
    """
    if own := _read_columns(node.attributes):
        return own
    values = [each for each in schemas if not each.qualified_name.endswith("-key")]
    for schema in sorted(values, key=_schema_version, reverse=True):
        if columns := _read_columns(schema.attributes):
            return columns
    return []


def _read_columns(attributes: dict[str, Any]) -> list[dict[str, str]]:
    fields = attributes.get("fields") or attributes.get("columns") or _avro_fields(attributes)
    columns = [
        {"name": field["name"], "type": _type_text(field.get("type"))}
        for field in (fields if isinstance(fields, list) else ())
        if isinstance(field, dict) and isinstance(field.get("name"), str) and field["name"]
    ]
    return columns if len({column["name"] for column in columns}) == len(columns) else []


def _avro_fields(attributes: dict[str, Any]) -> Any:
    text = attributes.get("schema_string")
    if attributes.get("schema_type") != "AVRO" or not isinstance(text, str):
        return None
    try:
        schema = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return schema.get("fields") if isinstance(schema, dict) else None


def _type_text(type: Any) -> str:
    return type if isinstance(type, str) else json.dumps(type, ensure_ascii=False)


def _schema_version(schema: LineageNode) -> float:
    version = schema.attributes.get("version")
    return version if isinstance(version, int | float) else -1
