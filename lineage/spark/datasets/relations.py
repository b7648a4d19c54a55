"""The datasets of a relation: files, a table or a connection."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from lineage.spark.datasets.jdbc import is_query, resolve_jdbc
from lineage.spark.datasets.kafka import PACKAGE, topics_read
from lineage.spark.datasets.resolver import Dataset, DatasetResolver, ResolvedDataset, Unresolved
from lineage.spark.datasets.streams import resolve_source
from lineage.spark.document.arguments import (
    Catalog,
    ConnectorTable,
    Files,
    Identifier,
    Jdbc,
    Rdd,
    RddRoot,
    Relation,
    Table,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lineage.spark.document.plan import Node, Plan

T = TypeVar("T")

STREAMING = {"StreamingRelation", "StreamingRelationV2"}
ROWS_OF_RDDS = {"ExternalRDD", "LogicalRDD"}
# Operators whose rows the driver created, and RDDs of collections of the driver.
IN_MEMORY = {"LocalRelation", "OneRowRelation", "Range"}
COLLECTIONS = {
    "org.apache.spark.rdd.EmptyRDD",
    "org.apache.spark.rdd.ParallelCollectionRDD",
}

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


def resolve_relation(plan: Plan, node: Node, names: DatasetResolver) -> Iterator[ResolvedDataset]:
    """Resolve the datasets of a relation: files, a table or a connection."""
    columns = () if jdbc_query(node) or is_metadata(node) else plan.output_columns(node)
    for dataset in _resolve_named(node, names):
        if isinstance(dataset, Dataset) and columns:
            yield replace(dataset, columns=columns)
        else:
            yield dataset


def _resolve_named(node: Node, names: DatasetResolver) -> Iterator[ResolvedDataset]:
    options = kafka_options(node)
    if node.op in STREAMING:
        yield from resolve_source(node, names)
    elif options is not None:
        yield from topics_read(node, options, names)
    else:
        yield from _resolve_reported(node, names)


def kafka_options(node: Node) -> Mapping[str, str] | None:
    """Return the options of a relation over Kafka topics, or None for another relation."""
    relation = node.get_argument("relation", Relation)
    if relation and relation.cls.startswith(PACKAGE):
        return relation.options
    table = node.get_argument("table", ConnectorTable)
    return node.get_options() if table and table.cls.startswith(PACKAGE) else None


def _resolve_reported(node: Node, names: DatasetResolver) -> Iterator[ResolvedDataset]:
    table, files = _argument_of_kind(node, Table), _argument_of_kind(node, Files)
    if jdbc := _argument_of_kind(node, Jdbc):
        yield from resolve_jdbc(node.op, jdbc)
    elif table is not None:
        yield _table_of_files(names, table, files)
    elif files is not None:
        yield from names.resolve_files(node.op, files)
    elif v2 := _argument_of_kind(node, ConnectorTable):
        identifier = node.get_argument("identifier", Identifier)
        if identifier:
            identifier = replace(identifier, catalog=identifier.catalog or catalog_of(node))
        yield names.connector_table(node.op, v2, identifier, node.get_options())
    else:
        yield Unresolved(node.op, "a relation that is not known", _relation_class(node))


def _argument_of_kind(node: Node, kind: type[T]) -> T | None:
    return next((arg for arg in node.args.values() if isinstance(arg, kind)), None)


def is_in_memory(node: Node) -> bool:
    """Return whether the driver created the rows: VALUES, a range, a list or a pandas frame."""
    roots = _rdd_roots(node)
    return node.op in IN_MEMORY or (bool(roots) and all(root.cls in COLLECTIONS for root in roots))


def rows_of_rdd(node: Node, names: DatasetResolver) -> Iterator[ResolvedDataset]:
    """Resolve the files of an RDD's rows; its transformations, and so its columns, are unknown."""
    for root in _rdd_roots(node):
        yield from names.resolve_files(node.op, Files(None, root.paths))
        if root.more:
            yield Unresolved(node.op, "more paths than a plan document lists", root.cls)
    if not is_in_memory(node):
        classes = dict.fromkeys(root.cls for root in _rdd_roots(node) if not root.paths)
        detail = ", ".join(cls for cls in classes if cls not in COLLECTIONS)
        reason = "rows of an RDD whose source is" if detail else "rows of an RDD whose columns are"
        yield Unresolved(node.op, f"{reason} not in Spark's plan", detail or None)


def _rdd_roots(node: Node) -> tuple[RddRoot, ...]:
    rdd = node.get_argument("rdd", Rdd)
    return rdd.roots if rdd else ()


def catalog_table(node: Node, names: DatasetResolver) -> Dataset | None:
    """Return the session catalog table for a connection: USING jdbc or kafka.

    The rows of such a table are in the database or in topics.
    """
    table = _argument_of_kind(node, Table)
    is_connection = _argument_of_kind(node, Jdbc) or kafka_options(node) is not None
    return names.resolve_table(table) if table and is_connection else None


def jdbc_query(node: Node) -> Jdbc | None:
    """Return the query that a database runs for a relation; None if it reads a table unchanged."""
    jdbc = _argument_of_kind(node, Jdbc)
    return jdbc if jdbc and is_query(jdbc) else None


def is_metadata(node: Node) -> bool:
    """Return whether the node reads a metadata table, whose columns are not those of the table."""
    table = _argument_of_kind(node, ConnectorTable)
    return table is not None and table.is_metadata


def _table_of_files(names: DatasetResolver, table: Table, files: Files | None) -> Dataset:
    paths = files.paths if files else ()
    dataset = names.resolve_table(table, paths[0] if len(paths) == 1 else None)
    return dataset if dataset.format else replace(dataset, format=files.format if files else None)


def _relation_class(node: Node) -> str | None:
    for arg in node.args.values():
        if (cls := getattr(arg, "cls", None)) and isinstance(cls, str):
            return cls
    return node.cls


def catalog_of(node: Node) -> str | None:
    """Return the name of the catalog in which the operator found its table."""
    catalog = node.get_argument("catalog", Catalog)
    return catalog.name if catalog else None
