"""The datasets of the sources and sinks of streaming queries."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from lineage.naming import snake_case
from lineage.spark.commands.effects import Change, Command, Effect, Handler, Output
from lineage.spark.datasets import kafka
from lineage.spark.datasets.resolver import Dataset, DatasetResolver, Unresolved
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

    from lineage.spark.datasets.resolver import ResolvedDataset
    from lineage.spark.document.plan import Node

# Sources that generate rows, and sinks that store none outside the driver.
MAKES_ROWS = {"memory", "rate", "rate-micro-batch"}
KEEPS_NOTHING = re.compile(r"(?:Console|Memory|Noop)\w*")
# A wildcard of Hadoop's globs.
GLOB = re.compile(r"[*?\[{]")


def resolve_source(node: Node, names: DatasetResolver) -> Iterator[ResolvedDataset]:
    """Resolve the source of a StreamingRelation or StreamingRelationV2."""
    opened = node.get_argument("dataSource", Other)
    args = opened.args if opened else node.args
    options = _lower_case_options(args.get("options") or args.get("extraOptions"))
    format_ = str(args.get("className") or node.get_text("sourceName") or "")
    table, files = args.get("catalogTable"), args.get("table")
    if isinstance(table, Table):
        yield names.resolve_table(table)
    elif format_ == "kafka":
        yield from kafka.topics_read(node, options, names)
    elif isinstance(files, Files):
        yield from names.resolve_files(node.op, files)
    elif isinstance(files, ConnectorTable) and _is_named(files, _source_identifier(node)):
        yield names.connector_table(node.op, files, _source_identifier(node))
    elif path := options.get("path"):
        yield _watched_directory(names, path, format_)
    elif format_ == "socket":
        place = f"{options.get('host', '')}:{options.get('port', '')}"
        yield Unresolved(node.op, "lines from a socket", place)
    elif format_ not in MAKES_ROWS:
        yield Unresolved(node.op, "a streaming source that is not known", format_)


def _lower_case_options(raw: Value) -> dict[str, str]:
    """Return options with keys in lower case, as data sources expect them."""
    options = raw if isinstance(raw, dict) else {}
    return {key.lower(): text for key, text in options.items() if isinstance(text, str)}


def _is_named(table: ConnectorTable, identifier: Identifier | None) -> bool:
    """Return whether the table has a name or a location; its option ``path`` may be a name."""
    return identifier is not None or "location" in table.properties


def _source_identifier(node: Node) -> Identifier | None:
    identifier, catalog = (
        node.get_argument("identifier", Identifier),
        node.get_argument("catalog", Catalog),
    )
    if identifier and catalog:
        return replace(identifier, catalog=identifier.catalog or catalog.name)
    return identifier


def _watched_directory(names: DatasetResolver, path: str, format_: str) -> Dataset:
    """Resolve a watched directory; for a pattern, the deepest directory without a wildcard."""
    segments = path.split("/")
    fixed = next((at for at, part in enumerate(segments) if GLOB.search(part)), len(segments))
    dataset = names.resolve_path("/".join(segments[:fixed]) or "/", format_)
    return replace(dataset, locations=(path,)) if fixed < len(segments) else dataset


def _stream_effect(command: Command) -> Effect:
    """Resolve WriteToStream, and the operator that replaces it in a micro-batch's plan."""
    sink = _sink_of(command)
    cls = getattr(sink, "cls", "")
    kind = cls.rpartition(".")[2].rpartition("$")[2] or cls.rstrip("$").rpartition(".")[2]
    options = dict(command.options) | command.node.get_options("writeOptions")
    if cls.startswith(kafka.PACKAGE):
        written = kafka.topic_effect(command, options)
        return written if written.outputs else replace(written, target=_job_label(command, kind))
    target = _find_target(command, sink, kind, options)
    if isinstance(target, Dataset):
        change, mode = _output_mode(command)
        dataset = target if target.columns else replace(target, columns=command.output_columns())
        return Effect((Output(dataset, change, mode),), target=target.display_label)
    return Effect(unresolved=(target,) if target else (), target=_job_label(command, kind))


def _sink_of(command: Command) -> Value:
    relation = command.plan.get_node(command.node.get_argument("relation", PlanRef))
    if relation:
        return relation.args.get("table")
    return command.node.args.get("sink") or command.node.args.get("table")


def _find_target(
    command: Command, sink: Value, kind: str, options: Mapping[str, str]
) -> ResolvedDataset | None:
    """Resolve the written dataset; return None if there is none or foreachBatch determines it."""
    node, names = command.node, command.names
    if table := node.get_argument("catalogTable", Table):
        return names.resolve_table(replace(table, columns=()))
    if kind.startswith("ForeachBatch") or KEEPS_NOTHING.fullmatch(kind):
        return None
    if kind.startswith("Foreach"):
        return Unresolved(node.op, "a function that may write anywhere")
    if isinstance(sink, ConnectorTable) and _is_named(sink, _written_identifier(command)):
        return names.connector_table(node.op, sink, _written_identifier(command))
    if path := options.get("path"):
        return names.resolve_path(path, None)
    return Unresolved(node.op, "a streaming sink that is not known", getattr(sink, "cls", None))


def _written_identifier(command: Command) -> Identifier | None:
    pair = command.node.get_argument("catalogAndIdent", tuple) or ()
    catalog = next((item for item in pair if isinstance(item, Catalog)), None)
    identifier = next((item for item in pair if isinstance(item, Identifier)), None)
    if identifier and catalog:
        return replace(identifier, catalog=identifier.catalog or catalog.name)
    relation = command.plan.get_node(command.node.get_argument("relation", PlanRef))
    return identifier or (_source_identifier(relation) if relation else None)


def _output_mode(command: Command) -> tuple[Change | None, str]:
    """Return the write mode; output mode Complete replaces the whole result in each batch."""
    modes: dict[str | None, tuple[Change | None, str]] = {
        "Complete": (Change.OVERWRITE, "overwrite"),
        "Update": (None, "update"),
    }
    return modes.get(command.node.get_text("outputMode"), (None, "append"))


def _job_label(command: Command, kind: str) -> str:
    """Return the checkpoint, or else the kind of the sink, to name a job without a dataset.

    A temporary checkpoint is not used, because its name differs in each run.
    """
    checkpoint = command.node.get_text("resolvedCheckpointLocation")
    if checkpoint and not command.node.get_flag("deleteCheckpointOnStop"):
        return checkpoint
    return snake_case(re.sub(r"(Sink|Table|Writer)+$", "", kind))


STREAMS: dict[str, Handler] = {
    "WriteToContinuousDataSource": _stream_effect,
    "WriteToMicroBatchDataSource": _stream_effect,
    "WriteToMicroBatchDataSourceV1": _stream_effect,
    "WriteToStream": _stream_effect,
}
