"""Sinks: an error or a hang of one reaches neither the job nor the others."""

from __future__ import annotations

import json
import logging
import threading
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING, Any

from pyarrow import parquet

import lineage.records as records
from lineage.records import sinks as sinks_module
from lineage.records.sink_queue import QUEUE_BATCHES, SinkQueue

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pytest

    from lineage.records import Capture, Item, PipelineReport


class Memory:
    """A sink of both levels that stores what it gets."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.reports: list[PipelineReport] = []
        self.closed = False

    def record_items(self, items: Sequence[Item]) -> None:
        assert not self.reports, "the report comes last"
        self.items += items

    def record_report(self, report: PipelineReport) -> None:
        self.reports.append(report)

    def close_sink(self) -> None:
        self.closed = True


class Broken:
    """A sink that fails with each call."""

    def record_items(self, items: Sequence[Item]) -> None:
        raise OSError("the disk is at its limit")

    def record_report(self, report: PipelineReport) -> None:
        raise OSError("the disk is at its limit")


class Hanging:
    """A sink that does not return before the test ends."""

    def __init__(self) -> None:
        self.released = threading.Event()

    def record_items(self, items: Sequence[Item]) -> None:
        self.released.wait(60)


def record(*sinks: Any, number: int = 20, **options: Any) -> Capture:
    step = records.step(lambda row: row if row["id"] % 2 else None, key="id", name="odd")
    with records.capture(pipeline="p", sample=1.0, sinks=sinks, **options) as capture:
        assert len(list(step({"id": n} for n in range(number)))) == number // 2
    return capture


def test_a_sink_gets_all_items_then_the_report_and_is_closed() -> None:
    memory = Memory()
    capture = record(memory, number=2500)
    assert memory.items == capture.items()
    assert memory.reports == [capture.report()]
    assert memory.closed
    assert capture.sink_results[0].is_complete


def test_an_error_of_a_sink_reaches_neither_the_job_nor_other_sinks(
    caplog: pytest.LogCaptureFixture,
) -> None:
    memory = Memory()
    capture = record(Broken(), memory)
    assert len(memory.items) == 20
    broken, complete = capture.sink_results
    assert (broken.failed, broken.recorded, broken.report) == (20, 0, False)
    assert broken.error == "OSError: the disk is at its limit"
    assert complete.is_complete
    [line] = [each.getMessage() for each in caplog.records]  # once
    assert line == "The sink Broken recorded 0 of 20 items: OSError: the disk is at its limit"


def test_a_sink_that_hangs_reaches_neither_the_job_nor_other_sinks(
    caplog: pytest.LogCaptureFixture,
) -> None:
    hanging, memory = Hanging(), Memory()
    capture = record(hanging, memory, timeout=0.2)
    hanging.released.set()
    assert len(memory.items) == 20
    assert memory.closed
    result, complete = capture.sink_results
    assert (result.pending, result.error) == (20, "it did not end in time")
    assert complete.is_complete
    assert "recorded 0 of 20 items: it did not end in time" in caplog.text


def test_drops_of_a_full_queue_are_counted_and_reported_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    hanging = Hanging()
    queue = SinkQueue("slow", hanging)
    for _ in range(QUEUE_BATCHES + 10):
        queue.offer_batch([None] * 3)  # type: ignore[list-item]
    report = record().report()
    queue.finish_run([], report)
    hanging.released.set()
    result = queue.wait_until(float("inf"))
    # One batch may have left the queue before it was at its limit.
    assert result.dropped in (27, 30)
    assert result.recorded + result.dropped == 3 * (QUEUE_BATCHES + 10)
    assert len(caplog.records) == 1


def test_item_and_pipeline_sinks_get_their_level_only() -> None:
    items: list[Any] = []
    reports: list[Any] = []

    class OnlyReports:
        def record_report(self, report: PipelineReport) -> None:
            reports.append(report)

    capture = record(items.extend, OnlyReports())
    assert len(items) == 20
    assert reports == [capture.report()]
    assert all(result.is_complete for result in capture.sink_results)


def test_functions_get_items_and_report() -> None:
    items: list[Any] = []
    reports: list[Any] = []
    record(records.CallableSink(items.extend, reports.append))
    assert (len(items), len(reports)) == (20, 1)


def test_the_null_sink_discards_all() -> None:
    assert record("null").sink_results[0].is_complete


def test_the_logging_sink_logs_counts_and_items_with_errors(
    caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    def fail(row: dict[str, int]) -> None:
        raise ValueError(row)

    caplog.set_level(logging.INFO)
    step = records.step(fail, key="id", retries=1, dead_letter=tmp_path)
    with records.capture(sample=1.0, sinks=["logging"]) as capture:
        list(step(iter([{"id": 1}])))
    item = records.correlation_id(capture.run_id, "id", 1)
    assert [each.getMessage() for each in caplog.records] == [
        f"item {item} at fail: error|dead_lettered after 1 retries: ValueError",
        f"run {capture.run_id}, fail: 1 rows in, 0 out; error 1, dead_lettered 1",
    ]


def test_json_lines_have_items_and_the_report(tmp_path: Path) -> None:
    path = tmp_path / "below" / "items.jsonl"
    capture = record(records.JsonLinesSink(path))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [list(line) for line in lines] == [["item"]] * 20 + [["report"]]
    items = {line["item"]["correlation_id"]: line["item"] for line in lines[:-1]}
    for item in capture.items():
        written = items[item.correlation_id]
        assert written["sample_outcome"] == item.sample_outcome
        assert written["traversal_path"] == list(item.traversal_path)
        assert written["hops"][0]["outcome"] == list(item.hops[0].outcome.flag_names)
    [node] = lines[-1]["report"]["nodes"]
    assert (node["rows_in"], node["outcomes"]["filtered_out"]) == (20, 10)


def test_parquet_has_one_row_for_each_item(tmp_path: Path) -> None:
    path = tmp_path / "items.parquet"
    capture = record(records.ParquetSink(path), number=1500)
    rows = parquet.read_table(path).to_pylist()
    assert [row["correlation_id"] for row in rows] == [
        item.correlation_id for item in capture.items()
    ]
    assert sum(row["sample_outcome"] == "filtered_out" for row in rows) == 750
    assert rows[0]["hops"][0]["node_id"] == "odd"
    assert list(tmp_path.iterdir()) == [path]


def test_sinks_of_other_distributions_are_used_by_their_name(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    points = [
        EntryPoint("memory", f"{__name__}:Memory", sinks_module.ENTRY_POINTS),
        EntryPoint("damaged", "absent_module:Sink", sinks_module.ENTRY_POINTS),
    ]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points if group else [])
    monkeypatch.setattr(EntryPoint, "load", lambda self: load_here(self))
    capture = record("memory", "damaged")
    assert [result.name for result in capture.sink_results] == ["memory"]
    assert "The sink damaged cannot be used: No module named" in caplog.text


def load_here(point: EntryPoint) -> Any:
    if point.name == "memory":
        return Memory
    raise ModuleNotFoundError("No module named 'absent_module'")
