"""Data types in the form of Spark's ``catalogString``, and their nested fields."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from openlineage.client.facet_v2 import schema_dataset

from lineage.spark.document.column_names import equal_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.spark.document.arguments import Column

SchemaField = schema_dataset.SchemaDatasetFacetFields


def schema_fields(columns: tuple[Column, ...]) -> list[SchemaField]:
    """Build the fields of a schema facet, with nested fields of structs, arrays and maps."""
    return [
        _schema_field(column.name, column.type, column.comment) for column in _merge_equal(columns)
    ]


def _merge_equal(columns: tuple[Column, ...]) -> Iterator[Column]:
    """Yield the columns; those with an equal generated name are one."""
    types: dict[str, set[str]] = {name: set() for name in equal_names(c.name for c in columns)}
    for column in columns:
        if column.name in types:
            types[column.name].add(column.type)
    merged: set[str] = set()
    for column in columns:
        of_name = types.get(column.name, set())
        if column.name not in merged:
            yield column if len(of_name) < 2 else replace(column, type="unknown")
        if of_name:
            merged.add(column.name)


def struct_fields(data_type: str) -> tuple[str, ...]:
    """Return the names of a struct's fields; an empty tuple for another type."""
    outer, nested = nested_types(data_type)
    return tuple(name for name, _ in nested) if outer == "struct" else ()


def element_fields(data_type: str) -> tuple[str, ...]:
    """Return the names of the fields of the structs in an array."""
    outer, nested = nested_types(data_type)
    return struct_fields(nested[0][1]) if outer == "array" and nested else ()


def _schema_field(name: str, data_type: str, comment: str | None = None) -> SchemaField:
    outer, nested = nested_types(data_type)
    return SchemaField(
        name=name,
        type=outer,
        description=comment,
        fields=[_schema_field(inner_name, inner_type) for inner_name, inner_type in nested],
    )


def nested_types(data_type: str) -> tuple[str, list[tuple[str, str]]]:
    """Split a type into its name and its named nested types; an atomic type has none.

    ``struct<a:int>`` gives ``struct`` and ``[("a", "int")]``.
    """
    outer, opened, rest = data_type.partition("<")
    if not opened or not rest.endswith(">"):
        return data_type, []
    items = list(_split_fields(rest[:-1]))
    if outer == "array" and len(items) == 1:
        return outer, [("_element", items[0])]
    if outer == "map" and len(items) == 2:
        return outer, [("key", items[0]), ("value", items[1])]
    if outer == "struct":
        return outer, [_split_name(item) for item in items]
    return data_type, []


def _split_name(item: str) -> tuple[str, str]:
    if item.startswith("`") and "`:" in item:
        name, _, data_type = item[1:].partition("`:")
        return name.replace("``", "`"), data_type
    name, _, data_type = item.partition(":")
    return name, data_type


def _split_fields(text: str) -> Iterator[str]:
    """Split at commas outside of brackets and backquotes."""
    depth, start, quoted = 0, 0, False
    for place, char in enumerate(text):
        if char == "`":
            quoted = not quoted
        elif quoted:
            continue
        elif char in "<(":
            depth += 1
        elif char in ">)":
            depth -= 1
        elif char == "," and depth == 0:
            yield text[start:place]
            start = place + 1
    if text:
        yield text[start:]
