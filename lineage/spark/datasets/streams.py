"""The datasets of the sources of streaming queries."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from lineage.spark.datasets import kafka
from lineage.spark.datasets.resolver import Dataset, DatasetResolver, Unresolved
from lineage.spark.document.arguments import (
    Catalog,
    ConnectorTable,
    Files,
    Identifier,
    Other,
    Table,
    Value,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.spark.datasets.resolver import ResolvedDataset
    from lineage.spark.document.plan import Node

# Sources that generate rows.
MAKES_ROWS = {"memory", "rate", "rate-micro-batch"}
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
    elif isinstance(files, ConnectorTable) and is_named_table(files, source_identifier(node)):
        yield names.connector_table(node.op, files, source_identifier(node))
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


def is_named_table(table: ConnectorTable, identifier: Identifier | None) -> bool:
    """Return whether the table has a name or a location; its option ``path`` may be a name."""
    return identifier is not None or "location" in table.properties


def source_identifier(node: Node) -> Identifier | None:
    """Return the identifier of the table of a source, with its catalog."""
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
