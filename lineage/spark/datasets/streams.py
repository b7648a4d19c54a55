"""Streaming queries: what their sources read and their sinks write."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from lineage.naming import snake_case
from lineage.spark.commands.effects import Change, Command, Effect, Handler, Output
from lineage.spark.datasets import kafka
from lineage.spark.datasets.resolver import Dataset, Names, Unresolved
from lineage.spark.document.arguments import (
    Catalog,
    ConnectorTable,
    Files,
    Identifier,
    Other,
    PlanRef,
    Table,
    Value,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lineage.spark.datasets.resolver import Found
    from lineage.spark.document.plan import Node

# Sources whose rows come from nowhere, and sinks that keep none beyond the driver.
MAKES_ROWS = {"memory", "rate", "rate-micro-batch"}
KEEPS_NOTHING = re.compile(r"(?:Console|Memory|Noop)\w*")
# A wildcard of Hadoop's globs.
GLOB = re.compile(r"[*?\[{]")


def source(node: Node, names: Names) -> Iterator[Found]:
    """Name what a StreamingRelation or StreamingRelationV2 reads."""
    opened = node.get("dataSource", Other)
    args = opened.args if opened else node.args
    options = _options(args.get("options") or args.get("extraOptions"))
    format_ = str(args.get("className") or node.text("sourceName") or "")
    table, files = args.get("catalogTable"), args.get("table")
    if isinstance(table, Table):
        yield names.table(table)
    elif format_ == "kafka":
        yield from kafka.topics_read(node, options, names)
    elif isinstance(files, Files):
        yield from names.files(node.op, files)
    elif isinstance(files, ConnectorTable) and (identifier := _identifier(node)):
        yield names.connector_table(node.op, files, identifier)
    elif path := options.get("path"):
        yield _files(names, path, format_)
    elif format_ == "socket":
        place = f"{options.get('host', '')}:{options.get('port', '')}"
        yield Unresolved(node.op, "lines from a socket", place)
    elif format_ not in MAKES_ROWS:
        yield Unresolved(node.op, "a streaming source that is not known", format_)


def _options(raw: Value) -> dict[str, str]:
    """Keys in lower case, as data sources take them."""
    held = raw if isinstance(raw, dict) else {}
    return {key.lower(): text for key, text in held.items() if isinstance(text, str)}


def _identifier(node: Node) -> Identifier | None:
    identifier, catalog = node.get("identifier", Identifier), node.get("catalog", Catalog)
    if identifier and catalog:
        return replace(identifier, catalog=identifier.catalog or catalog.name)
    return identifier


def _files(names: Names, path: str, format_: str) -> Dataset:
    """A directory that is watched; of a pattern the directory below which all it matches lies."""
    segments = path.split("/")
    fixed = next((at for at, part in enumerate(segments) if GLOB.search(part)), len(segments))
    dataset = names.path("/".join(segments[:fixed]) or "/", format_)
    return replace(dataset, locations=(path,)) if fixed < len(segments) else dataset


def _write(command: Command) -> Effect:
    """WriteToStream, and what stands for it in the plan of one micro-batch."""
    sink = _sink(command)
    cls = getattr(sink, "cls", "")
    kind = cls.rpartition(".")[2].rpartition("$")[2] or cls.rstrip("$").rpartition(".")[2]
    options = dict(command.options) | command.node.options("writeOptions")
    if cls.startswith(kafka.PACKAGE):
        written = kafka.written(command, options)
        return written if written.outputs else replace(written, target=_label(command, kind))
    found = _target(command, sink, kind, options)
    if isinstance(found, Dataset):
        change, mode = _mode(command)
        dataset = found if found.columns else replace(found, columns=command.columns())
        return Effect((Output(dataset, change, mode),), target=found.label)
    return Effect(unresolved=(found,) if found else (), target=_label(command, kind))


def _sink(command: Command) -> Value:
    relation = command.plan.node(command.node.get("relation", PlanRef))
    if relation:
        return relation.args.get("table")
    return command.node.args.get("sink") or command.node.args.get("table")


def _target(command: Command, sink: Value, kind: str, options: Mapping[str, str]) -> Found | None:
    """What is written; None where that is nothing, or the function behind the sink knows."""
    node, names = command.node, command.names
    if table := node.get("catalogTable", Table):
        return names.table(replace(table, columns=()))
    if kind.startswith("ForeachBatch") or KEEPS_NOTHING.fullmatch(kind):
        return None
    if kind.startswith("Foreach"):
        return Unresolved(node.op, "a function that may write anywhere")
    if isinstance(sink, ConnectorTable) and (identifier := _written_identifier(command)):
        return names.connector_table(node.op, sink, identifier)
    if path := options.get("path"):
        return names.path(path, None)
    return Unresolved(node.op, "a streaming sink that is not known", getattr(sink, "cls", None))


def _written_identifier(command: Command) -> Identifier | None:
    pair = command.node.get("catalogAndIdent", tuple) or ()
    catalog = next((item for item in pair if isinstance(item, Catalog)), None)
    identifier = next((item for item in pair if isinstance(item, Identifier)), None)
    if identifier and catalog:
        return replace(identifier, catalog=identifier.catalog or catalog.name)
    relation = command.plan.node(command.node.get("relation", PlanRef))
    return identifier or (_identifier(relation) if relation else None)


def _mode(command: Command) -> tuple[Change | None, str]:
    """Output mode Complete gives the whole result anew with each batch."""
    modes: dict[str | None, tuple[Change | None, str]] = {
        "Complete": (Change.OVERWRITE, "overwrite"),
        "Update": (None, "update"),
    }
    return modes.get(command.node.text("outputMode"), (None, "append"))


def _label(command: Command, kind: str) -> str:
    """Where no dataset names the job, its checkpoint does, or the kind of its sink.

    A temporary checkpoint has another name in each run.
    """
    checkpoint = command.node.text("resolvedCheckpointLocation")
    if checkpoint and not command.node.flag("deleteCheckpointOnStop"):
        return checkpoint
    return snake_case(re.sub(r"(Sink|Table|Writer)+$", "", kind))


STREAMS: dict[str, Handler] = {
    "WriteToContinuousDataSource": _write,
    "WriteToMicroBatchDataSource": _write,
    "WriteToMicroBatchDataSourceV1": _write,
    "WriteToStream": _write,
}
