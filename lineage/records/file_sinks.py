"""Sinks that write files: JSON lines, and Parquet."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import msgspec

from lineage.settings import expand_home

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from lineage.records.items import Item
    from lineage.records.reports import PipelineReport


class JsonLinesSink:
    """Appends a line ``{"item": …}`` for each item and ``{"report": …}`` for the report."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Store the path of the file; it is created with the first line."""
        self.path = expand_home(path)

    def record_items(self, items: Sequence[Item], /) -> None:
        """Append the items. Raises OSError if the file cannot be written."""
        self._append_lines("item", [item_fields(item) for item in items])

    def record_report(self, report: PipelineReport, /) -> None:
        """Append the report. Raises OSError if the file cannot be written."""
        self._append_lines("report", [msgspec.to_builtins(report)])

    def _append_lines(self, kind: str, bodies: Sequence[Any]) -> None:
        lines = [msgspec.json.encode({kind: body}) + b"\n" for body in bodies]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "ab") as file:
            file.write(b"".join(lines))


class ParquetSink:
    """Writes items to a Parquet file, one row each, with the hops as a list. It needs pyarrow.

    The file has its name when it is complete. Reports are not written.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Store the path of the file."""
        self.path = expand_home(path)
        self._partial = self.path.with_name(f".{self.path.name}.partial")
        self._writer: Any = None

    def record_items(self, items: Sequence[Item], /) -> None:
        """Write the items as a row group."""
        import pyarrow
        from pyarrow import parquet

        schema = _parquet_schema()
        if self._writer is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._writer = parquet.ParquetWriter(self._partial, schema)
        rows = [item_fields(item) for item in items]
        self._writer.write_table(pyarrow.Table.from_pylist(rows, schema=schema))

    def close_sink(self) -> None:
        """Complete the file."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
            with contextlib.suppress(FileNotFoundError):
                self._partial.replace(self.path)


def item_fields(item: Item) -> dict[str, Any]:
    """Return the fields of an item with those derived from its hops; outcomes are names."""
    fields: dict[str, Any] = msgspec.to_builtins(item)
    for fields_of_hop, hop in zip(fields["hops"], item.hops, strict=True):
        fields_of_hop["outcome"] = list(hop.outcome.flag_names)
        fields_of_hop["cardinality"] = hop.cardinality.name.lower()
    return {
        **fields,
        "traversal_path": list(item.traversal_path),
        "outcome": list(item.outcome.flag_names),
        "sample_outcome": item.sample_outcome,
    }


def _parquet_schema() -> Any:
    import pyarrow

    text, many = pyarrow.string(), pyarrow.list_(pyarrow.string())
    hop = pyarrow.struct(
        [
            ("node_id", text),
            ("outcome", many),
            ("cardinality", text),
            ("input_contributor_count", pyarrow.int64()),
            ("output_emission_count", pyarrow.int64()),
            ("ancestry_input_indices", pyarrow.list_(pyarrow.int64())),
            ("truncated", pyarrow.bool_()),
            ("pipeline_id", text),
            ("input_snapshot", text),
            ("output_snapshot", text),
            ("pipeline_name", text),
            ("retry_count", pyarrow.int64()),
            ("error", text),
        ]
    )
    return pyarrow.schema(
        [
            ("correlation_id", text),
            ("run_id", text),
            ("pipeline_id", text),
            ("pipeline_name", text),
            ("traversal_path", many),
            ("outcome", many),
            ("sample_outcome", text),
            ("hops", pyarrow.list_(hop)),
            ("contributors", many),
            ("data", text),
        ]
    )
