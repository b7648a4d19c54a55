"""Commands on tables of the connector API (DataSource V2)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lineage.spark.commands.delta import is_delta, replaces_some
from lineage.spark.commands.effects import (
    Change,
    Command,
    Effect,
    Handler,
    changed,
    relocated,
    renamed,
    written_to,
)
from lineage.spark.commands.iceberg import is_internal
from lineage.spark.datasets import kafka
from lineage.spark.datasets.relations import catalog_of, kafka_options, relation
from lineage.spark.datasets.resolver import Dataset, Found, Unresolved
from lineage.spark.document.arguments import (
    ConnectorTable,
    ExpressionRef,
    Identifier,
    Other,
    PlanRef,
    Table,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.spark.document.plan import Node


def _write(command: Command) -> Effect:
    """AppendData and its like: ``table`` is the target's relation, not a child."""
    found = command.node.get("table", PlanRef)
    target = command.plan.node(found)
    not_read = frozenset([found.index] if found else ())
    if target and (_is_nowhere(target) or is_internal(target)):
        return Effect(not_read=not_read)
    if target and (options := kafka_options(target)) is not None:
        given = {**options, **command.node.options("writeOptions")}
        return replace(kafka.written(command, given), not_read=not_read)
    datasets = list(relation(command.plan, target, command.names)) if target else []
    change, mode = _mode(command)
    written = written_to(command, datasets, change, mode)
    return replace(written, not_read=not_read, tells_all=is_delta(datasets))


def _is_nowhere(target: Node) -> bool:
    """Is it the sink ``noop``, which drops all rows?"""
    table = target.get("table", ConnectorTable)
    return table is not None and table.cls.startswith(NOWHERE)


def _rewrite(command: Command) -> Effect:
    """MERGE, UPDATE and DELETE as Spark rewrites them: the query has the rows as they shall be."""
    refs = [command.node.get(name, PlanRef) for name in ("originalTable", "table")]
    target = command.plan.node(refs[0])
    datasets = list(relation(command.plan, target, command.names)) if target else []
    written = written_to(command, datasets, None, "update")
    return replace(written, not_read=frozenset(ref.index for ref in refs if ref))


def _mode(command: Command) -> tuple[Change | None, str]:
    if command.node.op in APPENDING:
        return None, "append"
    condition = command.node.args.get("deleteExpr")
    expr = command.plan.exprs[condition.index] if isinstance(condition, ExpressionRef) else None
    if command.node.op == "OverwriteByExpression" and (expr is None or expr.cls == "Literal"):
        return Change.OVERWRITE, "overwrite"
    return None, "overwrite_partitions"


def _create_as_select(command: Command) -> Effect:
    target = _resolved_identifier(command)
    if target is None:
        return command.unresolved("a target that is not known")
    is_replace = command.node.op == "ReplaceTableAsSelect"
    change: Change | None = Change.OVERWRITE if is_replace else Change.CREATE
    mode = "overwrite" if is_replace else "create"
    if is_replace and replaces_some(command, command.node.options("writeOptions")):
        change, mode = None, "overwrite_partitions"
    done = command.effect(_defined(command, target), change, mode)
    return replace(done, tells_all=_provider(command) == "delta")


def _defined(command: Command, target: Identifier) -> Dataset:
    """The table that a definition makes, at its LOCATION where it has one."""
    spec = command.node.get("tableSpec", Other)
    told = spec.args.get("location") if spec else None
    return command.names.identifier(target, location=told if isinstance(told, str) else None)


def _provider(command: Command) -> str | None:
    spec = command.node.get("tableSpec", Other)
    provider = spec.args.get("provider") if spec else None
    return provider.lower() if isinstance(provider, str) else None


def _change(change: Change) -> Handler:
    def handler(command: Command) -> Effect:
        target = _target(command, is_made=change in (Change.CREATE, Change.OVERWRITE))
        if not isinstance(target, Dataset):
            return _unnamed(command, target)
        return replace(changed(target, change), tells_all=_provider(command) == "delta")

    return handler


def _unnamed(command: Command, target: Unresolved | None) -> Effect:
    unknown = target or Unresolved(command.node.op, "a target that is not known")
    return Effect(unresolved=(unknown,), reads_nothing=True)


def _rename(command: Command) -> Effect:
    """The new name is one of the same catalog; without a namespace it keeps the old one's."""
    old, names = _resolved_identifier(command), command.node.texts("newName")
    if old is None or not names:
        return command.unresolved("a target that is not known")
    namespace = names[:-1] or old.namespace
    new = replace(old, namespace=namespace, name=names[-1])
    name = command.names.view if command.node.flag("isView") else command.names.existing
    return renamed(name(old), name(new))


def _set_location(command: Command) -> Effect:
    target = _target(command, is_made=False)
    if not isinstance(target, Dataset):
        return _unnamed(command, target)
    return relocated(command, target)


def _view(change: Change) -> Handler:
    def handler(command: Command) -> Effect:
        target = _resolved_identifier(command)
        if target is None:
            return command.unresolved("a target that is not known")
        return changed(command.names.view(target), change)

    return handler


def _rows(command: Command) -> Effect:
    """MERGE, UPDATE and DELETE: the target is a child, for its rows are read too."""
    children = command.node.children
    target = command.plan.nodes[children[0]] if children else None
    while target is not None and target.op in ("SubqueryAlias", "Project") and target.children:
        target = command.plan.nodes[target.children[0]]
    datasets = list(relation(command.plan, target, command.names)) if target else []
    return written_to(command, datasets, None, "update")


def _target(command: Command, is_made: bool) -> Found | None:
    """The table that a ResolvedTable holds, or that a ResolvedIdentifier names."""
    for node in _held(command):
        if table := node.get("table", Table):
            return command.names.table(table)
        if v2 := node.get("table", ConnectorTable):
            return command.names.connector_table(node.op, v2, _resolved_identifier(command))
    identifier = _resolved_identifier(command)
    if identifier is None:
        return None
    return _defined(command, identifier) if is_made else command.names.existing(identifier)


def _held(command: Command) -> Iterator[Node]:
    held = (*command.node.children, *command.node.inner)
    yield from (command.node, *(command.plan.nodes[index] for index in held))


def _resolved_identifier(command: Command) -> Identifier | None:
    """The identifier in the ResolvedIdentifier or ResolvedTable that stands for a name."""
    for node in _held(command):
        if found := (node.get("identifier", Identifier) or node.get("tableName", Identifier)):
            return replace(found, catalog=found.catalog or catalog_of(node))
    return None


APPENDING = {"AppendData", "InsertOnlyMerge"}
NOWHERE = "org.apache.spark.sql.execution.datasources.noop."

# Commands that change a table and not its rows; ALTER TABLE under its many names.
ALTERING = (
    *("AddCheckConstraint", "AddColumns", "AddConstraint", "AddPartitions", "AlterColumn"),
    *("AlterColumns", "AlterTableClusterBy", "AlterTableCollation", "CommentOnTable"),
    *("CreateIndex", "DropColumns", "DropConstraint", "DropIndex", "DropPartitions"),
    *("RecoverPartitions", "RenameColumn", "RenamePartitions", "RepairTable", "ReplaceColumns"),
    *("SetTableProperties", "SetTableSerDeProperties", "TruncatePartition"),
    *("UnsetTableProperties",),
)

CONNECTORS: dict[str, Handler] = {
    **dict.fromkeys(ALTERING, _change(Change.ALTER)),
    "AppendData": _write,
    "CreateTable": _change(Change.CREATE),
    "CreateTableAsSelect": _create_as_select,
    "DeleteFromTable": _rows,
    "DeltaDynamicPartitionOverwriteCommand": _write,
    "DropTable": _change(Change.DROP),
    "DropView": _view(Change.DROP),
    "InsertOnlyMerge": _write,
    "MergeIntoTable": _rows,
    "OverwriteByExpression": _write,
    "ReplaceData": _rewrite,
    "WriteDelta": _rewrite,
    "OverwritePartitionsDynamic": _write,
    "RenameTable": _rename,
    "ReplaceTable": _change(Change.OVERWRITE),
    "ReplaceTableAsSelect": _create_as_select,
    "SetTableLocation": _set_location,
    "SetViewProperties": _view(Change.ALTER),
    "TruncateTable": _change(Change.TRUNCATE),
    "UnsetViewProperties": _view(Change.ALTER),
    "UpdateTable": _rows,
}
