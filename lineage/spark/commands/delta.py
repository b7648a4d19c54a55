"""Commands of Delta Lake, and detection of reads of its transaction log."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lineage.spark.commands.effects import Change, Command, Effect, Handler, Output, written_to
from lineage.spark.datasets.relations import resolve_relation
from lineage.spark.datasets.resolver import Dataset, ResolvedDataset, Unresolved
from lineage.spark.document.arguments import ConnectorTable, Files, Identifier, PlanRef, Rdd, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lineage.spark.document.plan import Node, Plan

LOG = "_delta_log"
# Columns of the file list from which a stream reads the versions of its table in order.
OF_A_STREAM = {"add", "index", "version", "isLast", "shouldSkip"}
# Columns of log entries, and of the file list of one table version.
OF_THE_LOG = (
    {"add", "remove", "metaData", "protocol"},
    {"path", "partitionValues", "size", "modificationTime", "dataChange", "stats"},
    OF_A_STREAM,
)


def is_log(plan: Plan, node: Node) -> bool:
    """Return whether a relation reads a Delta table's log or its cached state."""
    if rdd := node.get_argument("rdd", Rdd):
        roots = [_are_of_the_log(root.paths) for root in rdd.roots]
        if node.op == "ExternalRDD":  # objects, whose columns are in the operators above
            is_of_a_stream = any(_table_names(plan, other) >= OF_A_STREAM for other in plan.nodes)
            return is_of_a_stream or (bool(roots) and all(roots))
        names = _table_names(plan, node)
        return any(of <= names for of in OF_THE_LOG) or (bool(roots) and all(roots))
    files = next((arg for arg in node.args.values() if isinstance(arg, Files)), None)
    return files is not None and _are_of_the_log(files.paths)


def _table_names(plan: Plan, node: Node) -> set[str | None]:
    return {expr.name for expr in plan.output_expressions(node)}


def _are_of_the_log(paths: Sequence[str]) -> bool:
    return bool(paths) and all(LOG in path.split("/") for path in paths)


def is_delta(datasets: Iterable[ResolvedDataset]) -> bool:
    return any(isinstance(dataset, Dataset) and dataset.format == "delta" for dataset in datasets)


def replaces_some(command: Command, options: Mapping[str, str]) -> bool:
    """Return whether the options limit an overwrite of a Delta table to some of its rows."""
    mode = options.get("partitionoverwritemode", "")
    by_session = command.dynamic and not mode and "__partition_columns" in options
    return "replacewhere" in options or mode.lower() == "dynamic" or by_session


def target_of(plan: Plan, ref: PlanRef | None) -> Node | None:
    """Return the relation that is the target of a command, below its aliases."""
    target = plan.get_node(ref)
    while target is not None and target.op in ("SubqueryAlias", "Project") and target.children:
        target = plan.nodes[target.children[0]]
    return target


def _resolve_table(command: Command, ref: PlanRef | None) -> list[ResolvedDataset]:
    target = target_of(command.plan, ref)
    return list(resolve_relation(command.plan, target, command.names)) if target else []


def _row_level_effect(command: Command) -> Effect:
    """Resolve MERGE, UPDATE and DELETE, which also read the target's rows."""
    datasets = _resolve_table(command, command.node.get_argument("target", PlanRef))
    return replace(written_to(command, datasets, None, "update"), covers_nested=True)


def _maintenance_effect(command: Command) -> Effect:
    """Resolve OPTIMIZE, VACUUM and similar commands, which replace files but keep the rows."""
    nodes = (command.plan.nodes[index] for index in (*command.node.children, *command.node.inner))
    tables = [table for node in nodes if (table := node.get_argument("table", ConnectorTable))]
    target = tables[0].name.rsplit(".", 1)[-1] if tables else None
    return Effect(reads_nothing=True, covers_nested=True, target=target)


def _restore_effect(command: Command) -> Effect:
    """Resolve RESTORE, which overwrites the table with an older version of itself."""
    table = command.node.get_argument("sourceTable", ConnectorTable)
    target = _named_table(command, table) if table else None
    if not isinstance(target, Dataset):
        return command.unresolved_effect("a target that is not known")
    output = Output(target, Change.OVERWRITE, "overwrite")
    return Effect((output,), inputs=(target,), reads_nothing=True, covers_nested=True)


def _create_effect(command: Command) -> Effect:
    """Resolve the creation of a CLONE's target; its plan has no source."""
    table = command.node.get_argument("table", Table)
    if table is None:
        return command.unresolved_effect("a target that is not known")
    is_new = command.node.get_text("operation") == "Create"
    change, mode = (Change.CREATE, "create") if is_new else (Change.OVERWRITE, "overwrite")
    output = Output(command.names.resolve_table(table), change, mode, carries_rows=False)
    return Effect((output,), covers_nested=True)


def _clone_effect(command: Command) -> Effect:
    """Resolve the source of a CLONE: a Delta table, or one that the command converts."""
    table = command.node.get_argument("sourceTable", ConnectorTable)
    source = _named_table(command, table) if table else None
    if isinstance(source, Dataset):
        return Effect(inputs=(source,), reads_nothing=True)
    unknown = Unresolved(command.node.op, "the source of a clone, which is not a Delta table")
    return Effect(unresolved=(source or unknown,), reads_nothing=True)


def _named_table(command: Command, table: ConnectorTable) -> ResolvedDataset:
    """Resolve a table in a command; a table of a catalog has its full identifier as name."""
    parts = table.name.split(".")
    identifier = Identifier(parts[0], tuple(parts[1:-1]), parts[-1]) if len(parts) > 2 else None
    return command.names.connector_table(command.node.op, table, identifier)


DELTA: dict[str, Handler] = {
    "CloneTableCommand": _clone_effect,
    "CreateDeltaTableCommand": _create_effect,
    "DeleteCommand": _row_level_effect,
    "DeltaReorgTableCommand": _maintenance_effect,
    "MergeIntoCommand": _row_level_effect,
    "OptimizeTableCommand": _maintenance_effect,
    "RestoreTableCommand": _restore_effect,
    "UpdateCommand": _row_level_effect,
    "VacuumTableCommand": _maintenance_effect,
}
