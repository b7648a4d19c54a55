"""A saved trace, and recorded items of a run, for tests of their display."""

from __future__ import annotations

from typing import TYPE_CHECKING

import lineage.records as records
from lineage.records.fidelity import Fidelity
from lineage.records.trace_writer import ContributingRows, TraceResult, save_trace

if TYPE_CHECKING:
    from pathlib import Path


def save_rows(dsn: str, target: str, source: str, text: str = "Ada") -> str:
    """Save a trace of a row with values: of 60 rows of a file and two without a position.

    ``text`` is in the condition, the reasons, the values, and the names of columns and files.
    """
    file = f"s3://lake/{text}/part-0.parquet"
    rows = [{"id": n, text: text, "_file": file, "_row_index": n} for n in range(60)]
    sources = [
        ContributingRows(1, target, source, 4_200, rows),
        ContributingRows(2, source, text, 2, [{text: text}, {text: None}]),
    ]
    result = TraceResult(
        target, f"name = '{text}'", ["name", text], "dry run", Fidelity.UNKNOWN,
        ["opaque:MapInPandas", text], 1, sources, values=[{text: text, "spent": 18}],
    )  # fmt: skip
    return save_trace(result, dsn, with_values=True)


def record_items(dsn: str, run: str, directory: Path, name: str = "parse") -> None:
    """Record 20 items of a run at the nodes ``name`` and ``load``: some fail, some are emitted."""

    def parse(row: dict[str, int]) -> dict[str, int] | None:
        if row["id"] % 7 == 6:
            raise ValueError(name)
        return row if row["id"] % 2 == 0 else None

    first = records.step(parse, key="id", retries=2, dead_letter=directory, name=name)
    last = records.step(dict, key="id", name="load")
    sinks = [records.GraphSink(dsn)]
    with records.capture(pipeline=name, sample=1.0, run_id=run, sinks=sinks):
        list(last(first({"id": n} for n in range(20))))


def halve_items(dsn: str, run: str, directory: Path) -> None:
    """Record eight items: even ones are emitted, 6 is dead-lettered, others are filtered out."""

    def halve(row: dict[str, int]) -> dict[str, int] | None:
        if row["id"] == 6:
            raise ValueError(row)
        return row if row["id"] % 2 == 0 else None

    step = records.step(halve, key="id", retries=2, dead_letter=directory, name="halve")
    with records.capture(sample=1.0, run_id=run, sinks=[records.GraphSink(dsn)]):
        list(step({"id": n} for n in range(8)))
