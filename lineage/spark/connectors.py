"""Commands on tables of the connector API (DataSource V2)."""

from __future__ import annotations

from dataclasses import replace

from lineage.spark.effects import (
    Change,
    Command,
    Effect,
    Handler,
    changed,
    written_to,
)
from lineage.spark.relations import catalog_of, relation
from lineage.spark.values import (
    ExpressionRef,
    Identifier,
    PlanRef,
)


def _write(command: Command) -> Effect:
    """AppendData and its like: ``table`` is the target's relation, not a child."""
    found = command.node.get("table", PlanRef) or command.node.get("originalTable", PlanRef)
    target = command.plan.node(found)
    datasets = list(relation(command.plan, target, command.names)) if target else []
    change, mode = _mode(command)
    written = written_to(command, datasets, change, mode)
    return replace(written, not_read=frozenset([found.index] if found else ()))


def _mode(command: Command) -> tuple[Change | None, str]:
    if command.node.op == "AppendData":
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
    change, mode = (Change.OVERWRITE, "overwrite") if is_replace else (Change.CREATE, "create")
    return command.effect(command.names.identifier(target), change, mode)


def _change(change: Change) -> Handler:
    def handler(command: Command) -> Effect:
        target = _resolved_identifier(command)
        if target is None:
            return command.unresolved("a target that is not known")
        return changed(command.names.identifier(target), change)

    return handler


def _rows(command: Command) -> Effect:
    """MERGE, UPDATE and DELETE: the target is a child, for its rows are read too."""
    children = command.node.children
    target = command.plan.nodes[children[0]] if children else None
    while target is not None and target.op in ("SubqueryAlias", "Project") and target.children:
        target = command.plan.nodes[target.children[0]]
    datasets = list(relation(command.plan, target, command.names)) if target else []
    return written_to(command, datasets, None, "update")


def _resolved_identifier(command: Command) -> Identifier | None:
    """The identifier in the ResolvedIdentifier or ResolvedTable that stands for a name."""
    held = (*command.node.children, *command.node.inner)
    for node in (command.node, *(command.plan.nodes[index] for index in held)):
        if found := (node.get("identifier", Identifier) or node.get("tableName", Identifier)):
            return replace(found, catalog=found.catalog or catalog_of(node))
    return None


CONNECTORS: dict[str, Handler] = {
    "AppendData": _write,
    "CreateTable": _change(Change.CREATE),
    "CreateTableAsSelect": _create_as_select,
    "DeleteFromTable": _rows,
    "DropTable": _change(Change.DROP),
    "MergeIntoTable": _rows,
    "OverwriteByExpression": _write,
    "OverwritePartitionsDynamic": _write,
    "ReplaceTable": _change(Change.OVERWRITE),
    "ReplaceTableAsSelect": _create_as_select,
    "TruncateTable": _change(Change.TRUNCATE),
    "UpdateTable": _rows,
}
