"""Commands that make, change and drop tables and views, without a row."""

from __future__ import annotations

from dataclasses import replace

from lineage.spark.commands.effects import (
    Change,
    Command,
    Effect,
    Handler,
    Output,
    changed,
    relocated,
    renamed,
)
from lineage.spark.document.arguments import Identifier, Other, Table


def _create(command: Command) -> Effect:
    table = command.node.get("table", Table)
    if table is None:
        return command.unresolved("a target that is not known")
    name = command.names.wanted if command.node.flag("ignoreIfExists") else command.names.table
    # what is nested in it looks at its files for their columns
    return replace(changed(name(table), Change.CREATE), tells_all=True)


def _create_like(command: Command) -> Effect:
    target = command.node.get("targetTable", Identifier)
    if target is None:
        return command.unresolved("a target that is not known")
    storage = command.node.get("fileFormat", Other)
    location = storage.args.get("locationUri") if storage else None
    given = location if isinstance(location, str) else None
    return changed(command.names.identifier(target, location=given), Change.CREATE)


def _create_view(command: Command) -> Effect:
    name = command.node.get("name", Identifier)
    if command.node.text("viewType") in ("LocalTempView", "GlobalTempView") or name is None:
        return Effect(reads_nothing=True, target=name.name if name else None)
    given = command.node.get("userSpecifiedColumns", tuple) or ()
    renamed = [pair[0] for pair in given if isinstance(pair, tuple) and pair]
    columns = command.columns()
    if len(renamed) == len(columns):
        columns = tuple(
            replace(column, name=str(name)) for column, name in zip(columns, renamed, strict=True)
        )
    change = Change.OVERWRITE if command.node.flag("replace") else Change.CREATE
    mode = "overwrite" if change is Change.OVERWRITE else "create"
    return Effect((Output(command.names.view(name, columns), change, mode),))


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
    dataset = names.view(name) if command.node.flag("isView") else names.existing(name)
    return changed(dataset, Change.DROP)


def _truncate(command: Command) -> Effect:
    name = command.node.get("tableName", Identifier)
    if name is None:
        return command.unresolved("a target that is not known")
    is_whole = not command.node.get("partitionSpec", dict)
    return changed(command.names.existing(name), Change.TRUNCATE if is_whole else Change.ALTER)


def _rename(command: Command) -> Effect:
    old, new = command.node.get("oldName", Identifier), command.node.get("newName", Identifier)
    if old is None or new is None:
        return command.unresolved("a target that is not known")
    if not old.namespace:
        return Effect(reads_nothing=True)  # a temporary view
    if not new.namespace:
        new = replace(new, namespace=old.namespace)
    name = command.names.view if command.node.flag("isView") else command.names.existing
    return renamed(name(old), name(new))


def alter(command: Command) -> Effect:
    args = command.node.args
    for key in ("tableName", "table", "tableIdent", "tableIdentifier", "child"):
        if isinstance(name := args.get(key), Identifier):
            names = command.names
            dataset = names.view(name) if command.node.flag("isView") else names.existing(name)
            return changed(dataset, Change.ALTER)
        if isinstance(table := args.get(key), Table):
            return changed(command.names.table(table), Change.ALTER)
    return command.unresolved("a target that is not known")


def _set_location(command: Command) -> Effect:
    name = command.node.get("tableName", Identifier)
    if name is None:
        return command.unresolved("a target that is not known")
    return relocated(command, command.names.existing(name))


def _analyze(command: Command) -> Effect:
    name = command.node.get("tableIdent", Identifier)
    return Effect(inputs=(command.names.existing(name),)) if name else Effect()


DEFINITIONS: dict[str, Handler] = {
    "AlterTableRenameCommand": _rename,
    "AlterTableSetLocationCommand": _set_location,
    "AlterViewAsCommand": _alter_view,
    "AnalyzeColumnCommand": _analyze,
    "AnalyzePartitionCommand": _analyze,
    "AnalyzeTableCommand": _analyze,
    "CreateDataSourceTableCommand": _create,
    "CreateTableCommand": _create,
    "CreateTableLikeCommand": _create_like,
    "CreateViewCommand": _create_view,
    "DropTableCommand": _drop,
    "RepairTableCommand": alter,
    "TruncateTableCommand": _truncate,
}
