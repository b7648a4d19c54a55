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
    change_effect,
    definition_effect,
    relocation_effect,
    rename_effect,
    written_to,
)
from lineage.spark.commands.iceberg import is_internal
from lineage.spark.commands.kafka_sink import topic_effect
from lineage.spark.datasets.relations import catalog_of, kafka_options, resolve_relation
from lineage.spark.datasets.resolver import (
    SESSION_CATALOG,
    Dataset,
    ResolvedDataset,
    Unresolved,
)
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


def _write_effect(command: Command) -> Effect:
    """Resolve AppendData and similar commands; ``table`` is the target's relation, not a child."""
    reference = command.node.get_argument("table", PlanRef)
    target = command.plan.get_node(reference)
    not_read = frozenset([reference.index] if reference else ())
    if target and (_is_nowhere(target) or is_internal(target)):
        return Effect(not_read=not_read)
    if target and (options := kafka_options(target)) is not None:
        write_options = {**options, **command.node.get_options("writeOptions")}
        return replace(topic_effect(command, write_options), not_read=not_read)
    datasets = list(resolve_relation(command.plan, target, command.names)) if target else []
    change, mode = _write_mode(command)
    written = written_to(command, datasets, change, mode)
    return replace(written, not_read=not_read, covers_nested=is_delta(datasets))


def _is_nowhere(target: Node) -> bool:
    """Return whether the target is the sink ``noop``, which drops all rows."""
    table = target.get_argument("table", ConnectorTable)
    return table is not None and table.cls.startswith(NOWHERE)


def _rewrite_effect(command: Command) -> Effect:
    """Resolve MERGE, UPDATE and DELETE as rewritten by Spark: the query returns the new rows."""
    refs = [command.node.get_argument(name, PlanRef) for name in ("originalTable", "table")]
    target = command.plan.get_node(refs[0])
    datasets = list(resolve_relation(command.plan, target, command.names)) if target else []
    written = written_to(command, datasets, None, "update")
    return replace(written, not_read=frozenset(ref.index for ref in refs if ref))


def _write_mode(command: Command) -> tuple[Change | None, str]:
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
        return command.unresolved_effect("a target that is not known")
    is_replace = command.node.op == "ReplaceTableAsSelect"
    change: Change | None = Change.OVERWRITE if is_replace else Change.CREATE
    mode = "overwrite" if is_replace else "create"
    if is_replace and replaces_some(command, command.node.get_options("writeOptions")):
        change, mode = None, "overwrite_partitions"
    done = command.write_effect(_defined_table(command, target), change, mode)
    return replace(done, covers_nested=_table_provider(command) == "delta")


def _defined_table(command: Command, target: Identifier) -> Dataset:
    """Resolve the table that a definition creates, at its LOCATION if it has one."""
    spec = command.node.get_argument("tableSpec", Other)
    location = spec.args.get("location") if spec else None
    return command.names.resolve_new_table(
        target, location=location if isinstance(location, str) else None
    )


def _table_provider(command: Command) -> str | None:
    spec = command.node.get_argument("tableSpec", Other)
    provider = spec.args.get("provider") if spec else None
    return provider.lower() if isinstance(provider, str) else None


def _change_handler(change: Change) -> Handler:
    def resolve_change(command: Command) -> Effect:
        target = _find_target(command, is_created=change in (Change.CREATE, Change.OVERWRITE))
        if not isinstance(target, Dataset):
            return _unnamed_effect(command, target)
        return replace(
            change_effect(target, change), covers_nested=_table_provider(command) == "delta"
        )

    return resolve_change


def _drop_effect(command: Command) -> Effect:
    """Resolve DROP; it leaves the files of an external table of the session catalog."""
    target = _find_target(command, is_created=False)
    if not isinstance(target, Dataset):
        return _unnamed_effect(command, target)
    table = _resolved_identifier(command)
    is_left = table and table.catalog in (None, SESSION_CATALOG) and not table.is_managed
    return (definition_effect if is_left else change_effect)(target, Change.DROP)


def _unnamed_effect(command: Command, target: Unresolved | None) -> Effect:
    unknown = target or Unresolved(command.node.op, "a target that is not known")
    return Effect(unresolved=(unknown,), reads_nothing=True)


def _rename_effect(command: Command) -> Effect:
    """Resolve RENAME: the new name is in the same catalog.

    A new name without a namespace keeps the namespace of the old one.
    """
    old, names = _resolved_identifier(command), command.node.get_texts("newName")
    if old is None or not names:
        return command.unresolved_effect("a target that is not known")
    namespace = names[:-1] or old.namespace
    new = replace(old, namespace=namespace, name=names[-1])
    name = (
        command.names.resolve_view
        if command.node.get_flag("isView")
        else command.names.resolve_existing_table
    )
    return rename_effect(name(old), name(new))


def _set_location(command: Command) -> Effect:
    target = _find_target(command, is_created=False)
    if not isinstance(target, Dataset):
        return _unnamed_effect(command, target)
    return relocation_effect(command, target)


def _view_handler(change: Change) -> Handler:
    def resolve_view(command: Command) -> Effect:
        target = _resolved_identifier(command)
        if target is None:
            return command.unresolved_effect("a target that is not known")
        return change_effect(command.names.resolve_view(target), change)

    return resolve_view


def _row_level_effect(command: Command) -> Effect:
    """Resolve MERGE, UPDATE and DELETE; the target is a child, because its rows are also read."""
    children = command.node.children
    target = command.plan.nodes[children[0]] if children else None
    while target is not None and target.op in ("SubqueryAlias", "Project") and target.children:
        target = command.plan.nodes[target.children[0]]
    datasets = list(resolve_relation(command.plan, target, command.names)) if target else []
    return written_to(command, datasets, None, "update")


def _find_target(command: Command, is_created: bool) -> ResolvedDataset | None:
    """Resolve the table in the ResolvedTable or ResolvedIdentifier of the command."""
    for node in _resolved_nodes(command):
        if table := node.get_argument("table", Table):
            return command.names.resolve_table(table)
        if v2 := node.get_argument("table", ConnectorTable):
            return command.names.connector_table(node.op, v2, _resolved_identifier(command))
    identifier = _resolved_identifier(command)
    if identifier is None:
        return None
    return (
        _defined_table(command, identifier)
        if is_created
        else command.names.resolve_existing_table(identifier)
    )


def _resolved_nodes(command: Command) -> Iterator[Node]:
    candidates = (*command.node.children, *command.node.inner)
    yield from (command.node, *(command.plan.nodes[index] for index in candidates))


def _resolved_identifier(command: Command) -> Identifier | None:
    """Return the identifier in the ResolvedIdentifier or ResolvedTable of the command."""
    for node in _resolved_nodes(command):
        if identifier := (
            node.get_argument("identifier", Identifier)
            or node.get_argument("tableName", Identifier)
        ):
            return replace(identifier, catalog=identifier.catalog or catalog_of(node))
    return None


APPENDING = {"AppendData", "InsertOnlyMerge"}
NOWHERE = "org.apache.spark.sql.execution.datasources.noop."

# Commands that change the definition of a table but not its rows: the forms of ALTER TABLE.
ALTERING = (
    *("AddCheckConstraint", "AddColumns", "AddConstraint", "AddPartitions", "AlterColumn"),
    *("AlterColumns", "AlterTableClusterBy", "AlterTableCollation", "CommentOnTable"),
    *("CreateIndex", "DropColumns", "DropConstraint", "DropIndex", "DropPartitions"),
    *("RecoverPartitions", "RenameColumn", "RenamePartitions", "RepairTable", "ReplaceColumns"),
    *("SetTableProperties", "SetTableSerDeProperties", "TruncatePartition"),
    *("UnsetTableProperties",),
)

CONNECTORS: dict[str, Handler] = {
    **dict.fromkeys(ALTERING, _change_handler(Change.ALTER)),
    "AppendData": _write_effect,
    "CreateTable": _change_handler(Change.CREATE),
    "CreateTableAsSelect": _create_as_select,
    "DeleteFromTable": _row_level_effect,
    "DeltaDynamicPartitionOverwriteCommand": _write_effect,
    "DropTable": _drop_effect,
    "DropView": _view_handler(Change.DROP),
    "InsertOnlyMerge": _write_effect,
    "MergeIntoTable": _row_level_effect,
    "OverwriteByExpression": _write_effect,
    "ReplaceData": _rewrite_effect,
    "WriteDelta": _rewrite_effect,
    "OverwritePartitionsDynamic": _write_effect,
    "RenameTable": _rename_effect,
    "ReplaceTable": _change_handler(Change.OVERWRITE),
    "ReplaceTableAsSelect": _create_as_select,
    "SetTableLocation": _set_location,
    "SetViewProperties": _view_handler(Change.ALTER),
    "TruncateTable": _change_handler(Change.TRUNCATE),
    "UnsetViewProperties": _view_handler(Change.ALTER),
    "UpdateTable": _row_level_effect,
}
