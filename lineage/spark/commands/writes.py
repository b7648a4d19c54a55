"""Commands that write rows into files, tables and other sources (DataSource V1 and Hive)."""

from __future__ import annotations

import re
from dataclasses import replace

from lineage.spark.commands.delta import replaces_some
from lineage.spark.commands.effects import (
    Change,
    Command,
    Effect,
    Handler,
    Output,
    by_mode,
    written_to,
)
from lineage.spark.commands.kafka_sink import topic_effect
from lineage.spark.datasets import jdbc
from lineage.spark.datasets.relations import catalog_table, resolve_relation
from lineage.spark.document.arguments import Identifier, Other, PlanRef, Source, Table, Value


def _insert_into_files(command: Command) -> Effect:
    node = command.node
    table, path = node.get_argument("catalogTable", Table), node.get_text("outputPath")
    if table is None and path is None:
        return command.unresolved_effect("a write without a path")
    is_partial = bool(node.get_options("staticPartitions")) or _is_dynamic(command)
    if table:
        dataset = command.names.resolve_table(replace(table, columns=()), path)
    else:
        dataset = command.names.resolve_path(str(path), node.get_text("fileFormat"))
    return command.write_effect(dataset, *by_mode(command, is_partial))


def _is_dynamic(command: Command) -> bool:
    mode = command.node.get_options().get("partitionoverwritemode")
    is_dynamic = mode.lower() == "dynamic" if mode else command.dynamic
    return is_dynamic and bool(command.node.get_argument("partitionColumns", tuple))


def _create_as_select(command: Command) -> Effect:
    table = command.node.get_argument("table", Table) or command.node.get_argument(
        "tableDesc", Table
    )
    if table is None:
        return command.unresolved_effect("a target that is not known")
    return command.write_effect(
        command.names.resolve_table(table), *by_mode(command, is_partial=False)
    )


def _save_as_table(command: Command) -> Effect:
    """Resolve ``saveAsTable``; the database of an unqualified table is in the nested CTAS.

    If Spark rejects the statement before a CTAS exists, for example because it also reads the
    table, the error message names the table.
    """
    table = command.node.get_argument("tableDesc", Table)
    if table is None or table.database:
        return _create_as_select(command)
    database = _database_in(command.error, table.name)
    if database is None:
        return Effect(target=table.name, skips_if_exists=command.skips_if_exists)
    dataset = command.names.resolve_existing_table(Identifier(None, (database,), table.name))
    read = (value for node in command.plan.nodes for value in node.args.values())
    for other in read:
        if isinstance(other, Table) and (other.database, other.name) == (database, table.name):
            dataset = command.names.resolve_table(replace(other, columns=table.columns))
    change, mode = by_mode(command, is_partial=False)
    return replace(command.write_effect(dataset, change, mode), target=table.name)


def _database_in(message: str, table: str) -> str | None:
    """Return the database that a message names with the table, both in backquotes.

    Returns None if there is no such database or more than one.
    """
    name = re.escape(f"`{table}`")
    databases = set(re.findall(rf"`([^`]+)`\.{name}(?!\.`)", message))
    return databases.pop() if len(databases) == 1 else None


def _insert_into_hive(command: Command) -> Effect:
    table = command.node.get_argument("table", Table)
    if table is None:
        return command.unresolved_effect("a target that is not known")
    dataset = command.names.resolve_table(replace(table, columns=()))
    return command.write_effect(
        dataset, *_overwrite_mode(command, command.node.get_flag("overwrite"))
    )


def _overwrite_mode(command: Command, overwrite: bool) -> tuple[Change | None, str]:
    """Return the mode of a Hive command: it overwrites the table, or only the named partitions."""
    if not overwrite:
        return None, "append"
    if command.node.get_argument("partition", dict):
        return None, "overwrite_partitions"
    return Change.OVERWRITE, "overwrite"


def _insert_into_directory(command: Command) -> Effect:
    storage = command.node.get_argument("storage", Other)
    location = storage.args.get("locationUri") if storage else None
    if not isinstance(location, str):
        return command.unresolved_effect("a directory that is not known")
    dataset = command.names.resolve_path(location, command.node.get_text("provider"))
    if command.node.get_flag("overwrite"):
        return command.write_effect(dataset, Change.OVERWRITE, "overwrite")
    return command.write_effect(dataset, None, "append")


def _insert_into_relation(command: Command) -> Effect:
    """Resolve InsertIntoDataSourceCommand: an insert into a relation that accepts rows."""
    relation = command.node.get_argument("logicalRelation", PlanRef)
    target = command.plan.get_node(relation)
    datasets = list(resolve_relation(command.plan, target, command.names)) if target else []
    if target and (table := catalog_table(target, command.names)):
        datasets.insert(0, table)
    overwrite = command.node.get_flag("overwrite")
    written = written_to(command, datasets, Change.OVERWRITE if overwrite else None)
    return replace(written, not_read=frozenset([relation.index] if relation else ()))


def _save_into_source(command: Command) -> Effect:
    source, options = command.node.get_argument("dataSource", Source), command.node.get_options()
    provider = source.provider if source else _class_name(command.node.args.get("dataSource"))
    is_delta = provider == "delta"
    change, mode = by_mode(command, is_delta and replaces_some(command, options))
    if "url" in options and "dbtable" in options:
        return command.write_effect(
            jdbc.jdbc_table(options["url"], options["dbtable"]), change, mode
        )
    if provider == "kafka":
        return topic_effect(command, options)
    if path := options.get("path"):
        done = command.write_effect(command.names.resolve_path(path, provider), change, mode)
        return replace(done, covers_nested=is_delta)
    if provider == "noop":
        return Effect()
    return command.unresolved_effect("a data source that is not known", provider)


def _class_name(value: Value) -> str | None:
    return value.cls if isinstance(value, Other) else None


def _load_effect(command: Command) -> Effect:
    name, path = command.node.get_argument("table", Identifier), command.node.get_text("path")
    if name is None or path is None:
        return command.unresolved_effect("a target that is not known")
    change, mode = _overwrite_mode(command, command.node.get_flag("isOverwrite"))
    output = Output(command.names.resolve_existing_table(name), change, mode)
    return Effect((output,), inputs=(command.names.resolve_path(path),))


def _save_as_hadoop_file(command: Command) -> Effect:
    """Resolve ``rdd.saveAsTextFile`` and similar methods, which never write to an existing path."""
    path = command.node.get_text("path")
    if path is None:
        return command.unresolved_effect("a write of an RDD without a path")
    return command.write_effect(command.names.resolve_path(path), Change.CREATE, "create")


WRITES: dict[str, Handler] = {
    "CreateDataSourceTableAsSelectCommand": _create_as_select,
    "CreateHiveTableAsSelectCommand": _create_as_select,
    "InsertIntoDataSourceCommand": _insert_into_relation,
    "InsertIntoDataSourceDirCommand": _insert_into_directory,
    "InsertIntoHadoopFsRelationCommand": _insert_into_files,
    "InsertIntoHiveDirCommand": _insert_into_directory,
    "InsertIntoHiveTable": _insert_into_hive,
    "LoadDataCommand": _load_effect,
    "OptimizedCreateHiveTableAsSelectCommand": _create_as_select,
    "SaveAsHadoopFile": _save_as_hadoop_file,
    "SaveAsV1TableCommand": _save_as_table,
    "SaveIntoDataSourceCommand": _save_into_source,
}
