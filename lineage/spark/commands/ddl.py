"""Commands that create, alter and drop tables and views without writing rows."""

from __future__ import annotations

import re
from dataclasses import replace

from lineage.spark.commands.effects import (
    ABSOLUTE,
    Change,
    Command,
    Effect,
    Handler,
    Output,
    change_effect,
    definition_effect,
    relocation_effect,
    rename_effect,
)
from lineage.spark.datasets.resolver import Dataset, Unresolved
from lineage.spark.document.arguments import Identifier, Other, Table

# The views that PySpark makes for each call of `spark.sql("… {df}", df=df)` and of `ps.sql`.
GENERATED_VIEW = re.compile(r"_(pyspark|pandas_api)_[0-9a-f]{32}")


def _create_effect(command: Command) -> Effect:
    table = command.node.get_argument("table", Table)
    if table is None:
        return command.unresolved_effect("a target that is not known")
    name = (
        command.names.resolve_optional_table
        if command.node.get_flag("ignoreIfExists")
        else command.names.resolve_table
    )
    effect = definition_effect if table.is_external else change_effect
    # nested executions read its files to infer their columns
    return replace(effect(name(table), Change.CREATE), covers_nested=True)


def _create_like(command: Command) -> Effect:
    target = command.node.get_argument("targetTable", Identifier)
    if target is None:
        return command.unresolved_effect("a target that is not known")
    storage = command.node.get_argument("fileFormat", Other)
    location = storage.args.get("locationUri") if storage else None
    path = location if isinstance(location, str) else None
    effect = definition_effect if path else change_effect
    return effect(command.names.resolve_new_table(target, location=path), Change.CREATE)


def _create_view(command: Command) -> Effect:
    name = command.node.get_argument("name", Identifier)
    if command.node.get_text("viewType") in ("LocalTempView", "GlobalTempView") or name is None:
        is_named = name is not None and not GENERATED_VIEW.fullmatch(name.name)
        return Effect(reads_nothing=True, target=name.name if name and is_named else None)
    specified = command.node.get_argument("userSpecifiedColumns", tuple) or ()
    renamed = [pair[0] for pair in specified if isinstance(pair, tuple) and pair]
    columns = command.output_columns()
    if len(renamed) == len(columns):
        columns = tuple(
            replace(column, name=str(name)) for column, name in zip(columns, renamed, strict=True)
        )
    change = Change.OVERWRITE if command.node.get_flag("replace") else Change.CREATE
    mode = "overwrite" if change is Change.OVERWRITE else "create"
    return Effect((Output(command.names.resolve_view(name, columns), change, mode),))


def _alter_view(command: Command) -> Effect:
    name = command.node.get_argument("name", Identifier)
    if name is None or not name.namespace:
        return Effect(reads_nothing=True)
    return Effect(
        (
            Output(
                command.names.resolve_view(name, command.output_columns()),
                Change.OVERWRITE,
                "overwrite",
            ),
        )
    )


def _drop_effect(command: Command) -> Effect:
    name = command.node.get_argument("tableName", Identifier)
    if name is None:
        return command.unresolved_effect("a target that is not known")
    if not name.namespace:
        return Effect(reads_nothing=True)  # a temporary view
    if command.node.get_flag("isView"):
        return change_effect(command.names.resolve_view(name), Change.DROP)
    effect = change_effect if name.is_managed else definition_effect
    return effect(command.names.resolve_existing_table(name), Change.DROP)


def _truncate_effect(command: Command) -> Effect:
    name = command.node.get_argument("tableName", Identifier)
    if name is None:
        return command.unresolved_effect("a target that is not known")
    is_whole = not command.node.get_argument("partitionSpec", dict)
    return change_effect(
        command.names.resolve_existing_table(name), Change.TRUNCATE if is_whole else Change.ALTER
    )


def _rename_effect(command: Command) -> Effect:
    old, new = (
        command.node.get_argument("oldName", Identifier),
        command.node.get_argument("newName", Identifier),
    )
    if old is None or new is None:
        return command.unresolved_effect("a target that is not known")
    if not old.namespace:
        return Effect(reads_nothing=True)  # a temporary view
    if not new.namespace:
        new = replace(new, namespace=old.namespace)
    name = (
        command.names.resolve_view
        if command.node.get_flag("isView")
        else command.names.resolve_existing_table
    )
    return rename_effect(name(old), name(new))


def alter_effect(command: Command) -> Effect:
    args = command.node.args
    for key in ("tableName", "table", "tableIdent", "tableIdentifier", "child"):
        if isinstance(name := args.get(key), Identifier):
            names = command.names
            dataset = (
                names.resolve_view(name)
                if command.node.get_flag("isView")
                else names.resolve_existing_table(name)
            )
            return change_effect(dataset, Change.ALTER)
        if isinstance(table := args.get(key), Table):
            return change_effect(command.names.resolve_table(table), Change.ALTER)
    return command.unresolved_effect("a target that is not known")


def _set_location(command: Command) -> Effect:
    name = command.node.get_argument("tableName", Identifier)
    if name is None:
        return command.unresolved_effect("a target that is not known")
    location = command.node.get_text("location")
    if command.node.args.get("partitionSpec") and location:
        return _with_partitions(command, name, [location], "overwrite_partitions")
    return relocation_effect(command, command.names.resolve_existing_table(name))


def _add_partitions(command: Command) -> Effect:
    name = command.node.get_argument("tableName", Identifier)
    added = command.node.get_argument("partitionSpecsAndLocs", tuple) or ()
    locations = [
        text for pair in added if isinstance(pair, tuple) for text in pair if isinstance(text, str)
    ]
    if name is None or not locations:
        return alter_effect(command)
    effect = _with_partitions(command, name, locations, "append")
    if effect.inputs and command.node.get_flag("ifNotExists"):
        reason = "IF NOT EXISTS: an existing partition keeps its location"
        unknown = Unresolved(command.node.op, reason, ", ".join(locations))
        return replace(effect, unresolved=(*effect.unresolved, unknown))
    return effect


def _with_partitions(command: Command, name: Identifier, locations: list[str], mode: str) -> Effect:
    """Build the effect of partitions at locations: the table has the rows of data outside of it."""
    table = command.names.resolve_existing_table(name)
    unknown = tuple(
        Unresolved(command.node.op, "a relative location", text)
        for text in locations
        if not ABSOLUTE.match(text)
    )
    inputs = {
        source.name: source
        for source in map(command.names.resolve_path, filter(ABSOLUTE.match, locations))
        if source.name != table.name and not _is_inside(source, table)
    }
    if not inputs:
        return replace(change_effect(table, Change.ALTER), unresolved=unknown)
    return Effect((Output(table, None, mode),), tuple(inputs.values()), unknown)


def _is_inside(dataset: Dataset, table: Dataset) -> bool:
    return dataset.name.namespace == table.name.namespace and dataset.name.name.startswith(
        f"{table.name.name}/"
    )


def _analyze_effect(command: Command) -> Effect:
    name = command.node.get_argument("tableIdent", Identifier)
    return Effect(inputs=(command.names.resolve_existing_table(name),)) if name else Effect()


DEFINITIONS: dict[str, Handler] = {
    "AlterTableAddPartitionCommand": _add_partitions,
    "AlterTableRenameCommand": _rename_effect,
    "AlterTableSetLocationCommand": _set_location,
    "AlterViewAsCommand": _alter_view,
    "AnalyzeColumnCommand": _analyze_effect,
    "AnalyzePartitionCommand": _analyze_effect,
    "AnalyzeTableCommand": _analyze_effect,
    "CreateDataSourceTableCommand": _create_effect,
    "CreateTableCommand": _create_effect,
    "CreateTableLikeCommand": _create_like,
    "CreateViewCommand": _create_view,
    "DropTableCommand": _drop_effect,
    "RepairTableCommand": alter_effect,
    "TruncateTableCommand": _truncate_effect,
}
