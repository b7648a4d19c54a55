"""The datasets of the sinks of streaming queries."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from lineage.naming import snake_case
from lineage.spark.commands.effects import Change, Command, Effect, Handler, Output
from lineage.spark.commands.kafka_sink import topic_effect
from lineage.spark.datasets.kafka import PACKAGE
from lineage.spark.datasets.resolver import Dataset, Unresolved
from lineage.spark.datasets.streams import is_named_table, source_identifier
from lineage.spark.document.arguments import (
    Catalog,
    ConnectorTable,
    Identifier,
    PlanRef,
    Table,
    Value,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineage.spark.datasets.resolver import ResolvedDataset

# Sinks that store no rows outside the driver.
KEEPS_NOTHING = re.compile(r"(?:Console|Memory|Noop)\w*")


def _stream_effect(command: Command) -> Effect:
    """Resolve WriteToStream, and the operator that replaces it in a micro-batch's plan."""
    sink = _sink_of(command)
    cls = getattr(sink, "cls", "")
    kind = cls.rpartition(".")[2].rpartition("$")[2] or cls.rstrip("$").rpartition(".")[2]
    options = dict(command.options) | command.node.get_options("writeOptions")
    if cls.startswith(PACKAGE):
        written = topic_effect(command, options)
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
    if isinstance(sink, ConnectorTable) and is_named_table(sink, _written_identifier(command)):
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
    return identifier or (source_identifier(relation) if relation else None)


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
