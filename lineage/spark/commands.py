"""What each command does to which dataset."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from openlineage.client.facet_v2 import lifecycle_state_change_dataset

from lineage.spark.datasets import Dataset, Found, Names, Unresolved
from lineage.spark.values import (
    Column,
    ConnectorTable,
    ExpressionRef,
    Files,
    Identifier,
    Jdbc,
    Other,
    PlanRef,
    Source,
    Table,
    Value,
)

if TYPE_CHECKING:
    from lineage.naming import DatasetName
    from lineage.spark.plan import Node, Plan

Change = lifecycle_state_change_dataset.LifecycleStateChange


@dataclass(frozen=True)
class Output:
    """A dataset that a command writes or changes.

    ``change`` is None for an append and for the overwrite of some partitions: neither replaces what
    was there. ``mode`` says which. ``may_skip`` is true for a command that writes nothing where the
    target exists.
    """

    dataset: Dataset
    change: Change | None = None
    mode: str = "append"
    previous: DatasetName | None = None
    may_skip: bool = False
    carries_rows: bool = True


@dataclass(frozen=True)
class Effect:
    """What a command writes, what it reads besides its query, and where a walk must not go on.

    ``not_read`` are plans in its arguments that it does not read: the target of a write.
    """

    outputs: tuple[Output, ...] = ()
    inputs: tuple[Found, ...] = ()
    unresolved: tuple[Unresolved, ...] = ()
    not_read: frozenset[int] = frozenset()
    reads_nothing: bool = False


@dataclass(frozen=True)
class Command:
    """A command in its plan. ``dynamic``: overwrites of this session replace partitions."""

    plan: Plan
    node: Node
    names: Names
    dynamic: bool = False

    def columns(self) -> tuple[Column, ...]:
        """The columns that are written: the query's, under the names that the command gives."""
        query = self.plan.query(self.node)
        columns = self.plan.columns(query) if query else ()
        names = self.node.texts("outputColumnNames")
        if len(names) != len(columns):
            return columns
        return tuple(
            replace(column, name=name) for column, name in zip(columns, names, strict=True)
        )

    def unresolved(self, reason: str, detail: str | None = None) -> Effect:
        return Effect(unresolved=(Unresolved(self.node.op, reason, detail),))

    def effect(self, dataset: Dataset, change: Change | None, mode: str) -> Effect:
        if not dataset.columns:
            dataset = replace(dataset, columns=self.columns())
        skips = self.node.text("mode") == "Ignore"
        return Effect((Output(dataset, change, mode, may_skip=skips),))


Handler = Callable[[Command], Effect]


def effect(command: Command) -> Effect | None:
    """Return what the node does where it is a command, else None."""
    op = command.node.op
    if handler := HANDLERS.get(op):
        return handler(command)
    if op.startswith("AlterTable"):
        return _alter(command)
    if TOUCHES_NO_DATA.fullmatch(op):
        return Effect(reads_nothing=True)
    if op.endswith("Command"):
        return command.unresolved("a command that is not known")
    return None


# Commands about settings, sessions and catalogs, and those that show or drop what a session holds.
TOUCHES_NO_DATA = re.compile(
    r"(Show|Describe|Desc|Set|Reset|Explain|List|StreamingExplain|Refresh|Uncache|ClearCache|Use|"
    r"(Create|Drop|Alter|CommentOn|Analyze)(Database|Namespace|Function|Variable|TempView)|"
    r"Add(Jar|File|Archive)|CreateUserDefinedFunction|DropTempView|ExternalCommand|CompoundBody|"
    r"Create(Temp|Temporary)?ViewUsing|CommandResult|ResolvedNamespace)\w*"
)


def _by_mode(command: Command, is_partial: bool) -> tuple[Change | None, str]:
    mode = command.node.text("mode") or "Append"
    if mode == "Overwrite":
        return (None, "overwrite_partitions") if is_partial else (Change.OVERWRITE, "overwrite")
    return (None, "append") if mode == "Append" else (Change.CREATE, "create")


def _insert_into_files(command: Command) -> Effect:
    node = command.node
    table, path = node.get("catalogTable", Table), node.text("outputPath")
    if table is None and path is None:
        return command.unresolved("a write without a path")
    is_partial = bool(node.options("staticPartitions")) or _is_dynamic(command)
    if table:
        dataset = command.names.table(replace(table, columns=()), path)
    else:
        dataset = command.names.path(str(path), node.text("fileFormat"))
    return command.effect(dataset, *_by_mode(command, is_partial))


def _is_dynamic(command: Command) -> bool:
    given = command.node.options().get("partitionoverwritemode")
    is_dynamic = given.lower() == "dynamic" if given else command.dynamic
    return is_dynamic and bool(command.node.get("partitionColumns", tuple))


def _create_as_select(command: Command) -> Effect:
    table = command.node.get("table", Table) or command.node.get("tableDesc", Table)
    if table is None:
        return command.unresolved("a target that is not known")
    change, mode = _by_mode(command, is_partial=False)
    if command.node.text("mode") == "Overwrite":
        return command.effect(command.names.table(table), change, mode)
    return command.effect(command.names.table(table), change or Change.CREATE, "create")


def _create(command: Command) -> Effect:
    table = command.node.get("table", Table)
    if table is None:
        return command.unresolved("a target that is not known")
    return _changed(command.names.table(table), Change.CREATE)


def _create_like(command: Command) -> Effect:
    target = command.node.get("targetTable", Identifier)
    if target is None:
        return command.unresolved("a target that is not known")
    return _changed(command.names.identifier(target), Change.CREATE)


def _changed(dataset: Dataset, change: Change, previous: DatasetName | None = None) -> Effect:
    """A change of the dataset itself: no rows flow."""
    output = Output(dataset, change, change.value.lower(), previous, carries_rows=False)
    return Effect((output,), reads_nothing=True)


def _insert_into_hive(command: Command) -> Effect:
    table = command.node.get("table", Table)
    if table is None:
        return command.unresolved("a target that is not known")
    dataset = command.names.table(replace(table, columns=()))
    if not command.node.flag("overwrite"):
        return command.effect(dataset, None, "append")
    if command.node.get("partition", dict):
        return command.effect(dataset, None, "overwrite_partitions")
    return command.effect(dataset, Change.OVERWRITE, "overwrite")


def _insert_into_directory(command: Command) -> Effect:
    storage = command.node.get("storage", Other)
    location = storage.args.get("locationUri") if storage else None
    if not isinstance(location, str):
        return command.unresolved("a directory that is not known")
    dataset = command.names.path(location, command.node.text("provider"))
    if command.node.flag("overwrite"):
        return command.effect(dataset, Change.OVERWRITE, "overwrite")
    return command.effect(dataset, None, "append")


def _insert_into_relation(command: Command) -> Effect:
    """InsertIntoDataSourceCommand: into a relation that takes rows itself."""
    found = command.node.get("logicalRelation", PlanRef)
    target = command.plan.node(found)
    datasets = list(relation(command.plan, target, command.names)) if target else []
    overwrite = command.node.flag("overwrite")
    written = _written(command, datasets, Change.OVERWRITE if overwrite else None)
    return replace(written, not_read=frozenset([found.index] if found else ()))


def _written(command: Command, found: list[Found], change: Change | None, mode: str = "") -> Effect:
    datasets = [dataset for dataset in found if isinstance(dataset, Dataset)]
    missing = tuple(item for item in found if isinstance(item, Unresolved))
    if not found:
        return command.unresolved("a target that is not known")
    mode = mode or ("overwrite" if change is Change.OVERWRITE else "append")
    outputs = [out for dataset in datasets for out in command.effect(dataset, change, mode).outputs]
    return Effect(tuple(outputs), unresolved=missing)


def _save_into_source(command: Command) -> Effect:
    source, options = command.node.get("dataSource", Source), command.node.options()
    provider = source.provider if source else _class_name(command.node.args.get("dataSource"))
    change, mode = _by_mode(command, is_partial=False)
    if "url" in options and "dbtable" in options:
        jdbc = Jdbc(options["url"], options["dbtable"], None)
        return _written(command, [command.names.jdbc(command.node.op, jdbc)], change, mode)
    if path := options.get("path"):
        return command.effect(command.names.path(path, provider), change, mode)
    if provider == "noop":
        return Effect()
    return command.unresolved("a data source that is not known", provider)


def _class_name(value: Value) -> str | None:
    return value.cls if isinstance(value, Other) else None


def _create_view(command: Command) -> Effect:
    name = command.node.get("name", Identifier)
    if command.node.text("viewType") in ("LocalTempView", "GlobalTempView") or name is None:
        return Effect(reads_nothing=True)
    given = command.node.get("userSpecifiedColumns", tuple) or ()
    renamed = [pair[0] for pair in given if isinstance(pair, tuple) and pair]
    columns = command.columns()
    if len(renamed) == len(columns):
        columns = tuple(
            replace(column, name=str(name)) for column, name in zip(columns, renamed, strict=True)
        )
    change = Change.OVERWRITE if command.node.flag("replace") else Change.CREATE
    return Effect((Output(command.names.view(name, columns), change, "create"),))


def _alter_view(command: Command) -> Effect:
    name = command.node.get("name", Identifier)
    if name is None or not name.namespace:
        return Effect(reads_nothing=True)
    return Effect(
        (Output(command.names.view(name, command.columns()), Change.OVERWRITE, "overwrite"),)
    )


def _drop(command: Command) -> Effect:
    name = command.node.get("tableName", Identifier)
    if name is None:
        return command.unresolved("a target that is not known")
    if not name.namespace:
        return Effect(reads_nothing=True)  # a temporary view
    names = command.names
    dataset = names.view(name) if command.node.flag("isView") else names.identifier(name)
    return _changed(dataset, Change.DROP)


def _truncate(command: Command) -> Effect:
    name = command.node.get("tableName", Identifier)
    if name is None:
        return command.unresolved("a target that is not known")
    is_whole = not command.node.get("partitionSpec", dict)
    return _changed(command.names.identifier(name), Change.TRUNCATE if is_whole else Change.ALTER)


def _rename(command: Command) -> Effect:
    old, new = command.node.get("oldName", Identifier), command.node.get("newName", Identifier)
    if old is None or new is None:
        return command.unresolved("a target that is not known")
    if not old.namespace:
        return Effect(reads_nothing=True)  # a temporary view
    if not new.namespace:
        new = replace(new, namespace=old.namespace)
    name = command.names.view if command.node.flag("isView") else command.names.identifier
    return _changed(name(new), Change.RENAME, name(old).name)


def _alter(command: Command) -> Effect:
    args = command.node.args
    for key in ("tableName", "table", "tableIdent", "tableIdentifier", "child"):
        if isinstance(name := args.get(key), Identifier):
            return _changed(command.names.identifier(name), Change.ALTER)
        if isinstance(table := args.get(key), Table):
            return _changed(command.names.table(table), Change.ALTER)
    return command.unresolved("a target that is not known")


def _load(command: Command) -> Effect:
    name, path = command.node.get("table", Identifier), command.node.text("path")
    if name is None or path is None:
        return command.unresolved("a target that is not known")
    is_whole = command.node.flag("isOverwrite") and not command.node.get("partition", dict)
    change, mode = (Change.OVERWRITE, "overwrite") if is_whole else (None, "append")
    output = Output(command.names.identifier(name), change, mode)
    return Effect((output,), inputs=(command.names.path(path),))


def _analyze(command: Command) -> Effect:
    name = command.node.get("tableIdent", Identifier)
    return Effect(inputs=(command.names.identifier(name),)) if name else Effect()


def _v2_write(command: Command) -> Effect:
    """AppendData and its like: ``table`` is the target's relation, not a child."""
    found = command.node.get("table", PlanRef) or command.node.get("originalTable", PlanRef)
    target = command.plan.node(found)
    datasets = list(relation(command.plan, target, command.names)) if target else []
    change, mode = _v2_mode(command)
    written = _written(command, datasets, change, mode)
    return replace(written, not_read=frozenset([found.index] if found else ()))


def _v2_mode(command: Command) -> tuple[Change | None, str]:
    if command.node.op == "AppendData":
        return None, "append"
    condition = command.node.args.get("deleteExpr")
    expr = command.plan.exprs[condition.index] if isinstance(condition, ExpressionRef) else None
    if command.node.op == "OverwriteByExpression" and (expr is None or expr.cls == "Literal"):
        return Change.OVERWRITE, "overwrite"
    return None, "overwrite_partitions"


def _v2_create_as_select(command: Command) -> Effect:
    target = _resolved_identifier(command)
    if target is None:
        return command.unresolved("a target that is not known")
    is_replace = command.node.op == "ReplaceTableAsSelect"
    change, mode = (Change.OVERWRITE, "overwrite") if is_replace else (Change.CREATE, "create")
    return command.effect(command.names.identifier(target), change, mode)


def _v2_change(change: Change) -> Handler:
    def handler(command: Command) -> Effect:
        target = _resolved_identifier(command)
        if target is None:
            return command.unresolved("a target that is not known")
        return _changed(command.names.identifier(target), change)

    return handler


def _v2_rows(command: Command) -> Effect:
    """MERGE, UPDATE and DELETE: the target is a child, for its rows are read too."""
    children = command.node.children
    target = command.plan.nodes[children[0]] if children else None
    while target is not None and target.op in ("SubqueryAlias", "Project") and target.children:
        target = command.plan.nodes[target.children[0]]
    datasets = list(relation(command.plan, target, command.names)) if target else []
    return _written(command, datasets, None, "update")


def _resolved_identifier(command: Command) -> Identifier | None:
    """The identifier in the ResolvedIdentifier or ResolvedTable that stands for a name."""
    held = (*command.node.children, *command.node.inner)
    for node in (command.node, *(command.plan.nodes[index] for index in held)):
        if found := (node.get("identifier", Identifier) or node.get("tableName", Identifier)):
            return replace(found, catalog=found.catalog or _catalog(node))
    return None


def _catalog(node: Node) -> str | None:
    catalog = node.args.get("catalog")
    name = catalog.args.get("name") if isinstance(catalog, Other) else catalog
    return name if isinstance(name, str) else None


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
            identifier = replace(identifier, catalog=identifier.catalog or _catalog(node))
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


HANDLERS: dict[str, Handler] = {
    "AlterTableRenameCommand": _rename,
    "AlterViewAsCommand": _alter_view,
    "AnalyzeColumnCommand": _analyze,
    "AnalyzePartitionCommand": _analyze,
    "AnalyzeTableCommand": _analyze,
    "AppendData": _v2_write,
    "CreateDataSourceTableAsSelectCommand": _create_as_select,
    "CreateDataSourceTableCommand": _create,
    "CreateHiveTableAsSelectCommand": _create_as_select,
    "CreateTable": _v2_change(Change.CREATE),
    "CreateTableAsSelect": _v2_create_as_select,
    "CreateTableCommand": _create,
    "CreateTableLikeCommand": _create_like,
    "CreateViewCommand": _create_view,
    "DeleteFromTable": _v2_rows,
    "DropTable": _v2_change(Change.DROP),
    "DropTableCommand": _drop,
    "InsertIntoDataSourceCommand": _insert_into_relation,
    "InsertIntoDataSourceDirCommand": _insert_into_directory,
    "InsertIntoHadoopFsRelationCommand": _insert_into_files,
    "InsertIntoHiveDirCommand": _insert_into_directory,
    "InsertIntoHiveTable": _insert_into_hive,
    "LoadDataCommand": _load,
    "MergeIntoTable": _v2_rows,
    "OptimizedCreateHiveTableAsSelectCommand": _create_as_select,
    "OverwriteByExpression": _v2_write,
    "OverwritePartitionsDynamic": _v2_write,
    "RepairTableCommand": _alter,
    "ReplaceTable": _v2_change(Change.OVERWRITE),
    "ReplaceTableAsSelect": _v2_create_as_select,
    "SaveIntoDataSourceCommand": _save_into_source,
    "TruncateTable": _v2_change(Change.TRUNCATE),
    "TruncateTableCommand": _truncate,
    "UpdateTable": _v2_rows,
}
