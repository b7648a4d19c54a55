"""What a relation reads: files, a table, a connection."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lineage.spark.datasets import Dataset, Found, Names, Unresolved
from lineage.spark.values import (
    Catalog,
    ConnectorTable,
    Files,
    Identifier,
    Jdbc,
    Table,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.spark.plan import Node, Plan

RELATIONS = {
    "DataSourceV2Relation",
    "DataSourceV2ScanRelation",
    "HiveTableRelation",
    "LogicalRelation",
    "StreamingDataSourceV2Relation",
    "StreamingDataSourceV2ScanRelation",
    "StreamingExecutionRelation",
    "StreamingRelation",
    "StreamingRelationV2",
}


def relation(plan: Plan, node: Node, names: Names) -> Iterator[Found]:
    """Name what a relation reads: files, a table, a connection."""
    columns = plan.columns(node)
    for found in _named(node, names):
        if isinstance(found, Dataset) and columns:
            yield replace(found, columns=columns)
        else:
            yield found


def _named(node: Node, names: Names) -> Iterator[Found]:
    table = next((arg for arg in node.args.values() if isinstance(arg, Table)), None)
    files = next((arg for arg in node.args.values() if isinstance(arg, Files)), None)
    if table is not None:
        yield _table_of_files(names, table, files)
    elif files is not None:
        yield from names.files(node.op, files)
    elif jdbc := next((arg for arg in node.args.values() if isinstance(arg, Jdbc)), None):
        yield names.jdbc(node.op, jdbc)
    elif v2 := next((arg for arg in node.args.values() if isinstance(arg, ConnectorTable)), None):
        identifier = node.get("identifier", Identifier)
        if identifier:
            identifier = replace(identifier, catalog=identifier.catalog or catalog_of(node))
        yield names.connector_table(node.op, v2, identifier)
    else:
        yield Unresolved(node.op, "a relation that is not known", _relation_class(node))


def _table_of_files(names: Names, table: Table, files: Files | None) -> Dataset:
    paths = files.paths if files else ()
    dataset = names.table(table, paths[0] if len(paths) == 1 else None)
    return dataset if dataset.format else replace(dataset, format=files.format if files else None)


def _relation_class(node: Node) -> str | None:
    for arg in node.args.values():
        if (cls := getattr(arg, "cls", None)) and isinstance(cls, str):
            return cls
    return node.cls


def catalog_of(node: Node) -> str | None:
    """The name of the catalog that the operator found its table in."""
    catalog = node.get("catalog", Catalog)
    return catalog.name if catalog else None
