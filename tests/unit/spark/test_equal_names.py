"""Columns whose generated names are equal without their literals."""

from __future__ import annotations

from lineage.spark.document.arguments import Column
from lineage.spark.document.column_names import equal_names
from lineage.spark.document.data_types import schema_fields


def test_only_generated_names_are_equal() -> None:
    assert equal_names(["a", "a", "f(?)", "g(?)", "f(?)"]) == ("f(?)",)


def test_a_schema_has_columns_of_equal_names_once() -> None:
    columns = (
        Column("f(?)", "int"),
        Column("a", "int"),
        Column("f(?)", "string"),
        Column("g(?)", "int"),
        Column("g(?)", "int"),
    )
    assert [(field.name, field.type) for field in schema_fields(columns)] == [
        ("f(?)", "unknown"),
        ("a", "int"),
        ("g(?)", "int"),
    ]
