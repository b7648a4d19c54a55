"""The capture: records the steps that run in its block, in tasks of Spark or this process."""

from __future__ import annotations

import itertools
import logging
import threading
import time
from typing import TYPE_CHECKING, Any

from lineage.errors import CaptureOverflow, NotFound
from lineage.openlineage.timestamps import current_time
from lineage.records import assembly
from lineage.records.capture_options import CaptureOptions, settings_of
from lineage.records.keys import pipeline_uuid
from lineage.records.parts import ItemRecord, Part, PartKey, Parts
from lineage.records.query_operators import QueryOperators, collect_operators
from lineage.records.recording import Recording
from lineage.records.recordings import enter_capture, leave_capture
from lineage.records.reports import PipelineReport
from lineage.records.sink_queue import BATCH_ITEMS, SinkQueue, SinkResult
from lineage.records.sinks import resolve_sinks
from lineage.records.taps import Taps

if TYPE_CHECKING:
    import uuid
    from collections.abc import Callable, Iterable, Sequence
    from types import TracebackType

    from pyspark.sql import DataFrame
    from typing_extensions import Self

    from lineage.records.items import Hop, Item
    from lineage.records.outcomes import Outcome
    from lineage.records.reports import Overflow
    from lineage.records.tasks import JobProperty

# Items above the cap are evicted once there are so many times as many records as the cap.
_SLACK = 2

logger = logging.getLogger(__name__)


class Capture:
    """Items and counts of the steps in a ``with`` block; ``capture`` describes the parameters.

    The queries answer during the block and after it. All methods may be called by any thread.
    """

    def __init__(self, spark: Any, options: CaptureOptions) -> None:
        self.options = options
        self.run_id = options.run_id
        self.pipeline_id = pipeline_uuid(options.pipeline or "")
        self.sink_results: tuple[SinkResult, ...] = ()
        self._pipeline = assembly.Pipeline(self.pipeline_id, options.pipeline, self.run_id)
        self._settings = settings_of(options)
        self._spark = spark
        self._named_sinks = resolve_sinks(options.sinks)
        self._lock = threading.RLock()
        self._parts = Parts()
        self._stored = 0  # records in the parts that tasks have sent
        self._evict_at = _SLACK * options.cap
        self._serials = itertools.count()
        self._queues: list[SinkQueue] = []
        self._spilled: list[Item] = []
        self._property: JobProperty | None = None
        self.taps = Taps(self._settings)
        self._operators: QueryOperators | None = None
        self._queries: list[PipelineReport] = []
        self._started_at: str | None = None
        self._ended_at: str | None = None  # from then on, no more parts arrive
        self._result: tuple[PipelineReport, dict[str, Item]] | None = None  # set after the end

    def __enter__(self) -> Self:
        """Begin to record. Raises UsageError if the session has no SparkContext."""
        self._started_at = current_time()
        if self._spark is not None:
            from lineage.records.tasks import JobProperty, spark_context

            context = spark_context(self._spark)
            self._property = JobProperty(context, self._settings, self._receive_part)
            if self.options.operators:
                self._operators = collect_operators(self._spark)
        self._queues = [SinkQueue(name, sink) for name, sink in self._named_sinks]
        enter_capture(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End the recording, and wait for the sinks at most ``options.timeout`` seconds.

        Raises CaptureOverflow if items are missing and ``overflow`` is "strict"; not if the block
        itself ends with an error.
        """
        leave_capture(self)
        try:
            report = self._finish_recording()
        except Exception:
            logger.warning("The capture of run %s is incomplete.", self.run_id, exc_info=True)
            return
        if kind is None and self.options.overflow == "strict" and report.dropped:
            raise CaptureOverflow(
                f"{report.sampled:,} rows were sampled, of more items than the cap of"
                f" {self.options.cap:,}; {report.dropped:,} of them are not recorded.",
                "Raise cap=, lower sample=, or choose another overflow=.",
            )

    @property
    def _is_running(self) -> bool:
        return self._ended_at is None

    # ---------------------------------------------------------------- queries

    def report(self) -> PipelineReport:
        """Return the exact counts of the run so far."""
        if self._result is not None:
            return self._result[0]
        parts = self._received_parts()
        with self._lock:
            return self._make_report(parts, self._assemble_items(parts))

    def items(self, outcome: Outcome | None = None) -> list[Item]:
        """Return the items in memory; with ``outcome``, those that have one of its flags."""
        every = self._items_by_id().values()
        return [each for each in every if outcome is None or each.outcome & outcome]

    def item(self, id: str) -> Item:
        """Return the item with this correlation id. Raises NotFound."""
        item = self._items_by_id().get(id)
        if item is None:
            hint = "Its key was not sampled, or was not among those within the cap."
            raise NotFound(f'The capture has no item "{id}".', hint)
        return item

    def history(self, id: str) -> tuple[Hop, ...]:
        """Return the hops of the item with this correlation id. Raises NotFound."""
        return self.item(id).hops

    def unresolved(self) -> list[Item]:
        """Return the items that left a node with an output and did not reach the nodes after it."""
        return assembly.find_unresolved(self.items())

    def query_reports(self) -> list[PipelineReport]:
        """Return the operators of each query of the session that has ended, with their rows.

        Empty without ``operators``. Their numbers are Spark's own, of the plan that ran in the end.
        """
        if self._operators is not None and self._is_running:
            self._queries = self._operators.read_reports(self._pipeline)
        return self._queries

    def _items_by_id(self) -> dict[str, Item]:
        if self._result is not None:
            return self._result[1]
        parts = self._received_parts()
        with self._lock:
            every = self._assemble_items(parts)
        return {each.correlation_id: each for each in every}

    def _received_parts(self) -> list[Part]:
        """Return the parts that count, with all that tasks have sent so far."""
        if self._is_running:
            if self._property is not None:
                self._property.wait_for_updates()
            self._read_taps()
        with self._lock:
            return self._parts.counted_parts()

    # ---------------------------------------------------------------- recording

    def tap(self, frame: DataFrame, name: str = "output") -> DataFrame:
        """Return a frame with the same rows, which are recorded when Spark writes it.

        ``name``: the node. An item is a row of the frame; its contributors are ids of one row of
        each scan: all of them, but for aggregates, of whose groups it is one row each. A frame that
        cannot be recorded is returned as it is, with a warning.
        """
        return self.taps.add_tap(frame, name)

    def witnesses_of(self, id: str) -> dict[str, DataFrame]:
        """Return the rows that are recorded of an item of a tap, by source. Raises NotFound."""
        self.item(id)
        return self.taps.witnesses_of(id)

    def open_recording(self, node: str, source: str) -> Recording:
        """Return a recording for a thread of this process, which shares its part with no other."""
        with self._lock:
            key = PartKey(node, -1, next(self._serials))
            part = Part(key, 0, self._settings.capacity)
            self._parts.add_part(part)
        writes_through = self.options.overflow == "degrade" and bool(self._queues)
        return Recording(
            self._settings, source, part, self._write_through if writes_through else None
        )

    def _receive_part(self, part: Part) -> None:
        """Take a part that a task has sent."""
        with self._lock:
            self._parts.add_part(part)
            self._stored += len(part.items.records)
            if self._stored > self._evict_at:
                self._limit_memory()

    def _read_taps(self) -> None:
        for part in self.taps.read_parts():
            self._receive_part(part)

    def _limit_memory(self) -> None:
        """Evict the items above the cap."""
        cap = self.options.cap
        if self.options.overflow == "materialize":
            return
        parts = self._parts.counted_parts()
        limit = assembly.find_limit(parts, cap)
        evicted: dict[bytes, list[tuple[str, ItemRecord]]] = {}
        writes_through = self.options.overflow == "degrade" and bool(self._queues)
        for part in parts:
            for id, record in part.items.remove_above(limit):
                if writes_through:
                    part.passed_on += record.inputs
                    evicted.setdefault(id, []).append((part.key.node, record))
        for id, records in evicted.items():
            self._spill_item(assembly.make_item(self._pipeline, id, records, {}))
        self._stored = sum(len(part.items.records) for part in parts)
        self._evict_at = _SLACK * max(cap, self._stored)

    def _write_through(self, key: PartKey, id: bytes, record: ItemRecord) -> None:
        with self._lock:
            self._spill_item(assembly.make_item(self._pipeline, id, [(key.node, record)], {}))

    def _spill_item(self, item: Item) -> None:
        self._spilled.append(item)
        if len(self._spilled) >= BATCH_ITEMS:
            self._spill_batch()

    def _spill_batch(self) -> None:
        batch, self._spilled = self._spilled, []
        for queue in self._queues if batch else ():
            queue.offer_batch(batch)

    def _finish_recording(self) -> PipelineReport:
        if self._property is not None:
            self._property.remove_property()
        self._read_taps()
        self.query_reports()
        if self._operators is not None:
            self._operators.stop_collecting()
        self._ended_at = current_time()
        report = self._finish_sinks()
        self._log_errors()
        return report

    def _finish_sinks(self) -> PipelineReport:
        with self._lock:
            self._limit_memory()
            self._spill_batch()
            parts = self._parts.counted_parts()
            items = self._assemble_items(parts)
            report = self._make_report(parts, items)
            self._result = report, {item.correlation_id: item for item in items}
            for queue in self._queues:
                queue.finish_run(items, report)
        deadline = time.monotonic() + self.options.timeout
        self.sink_results = tuple(queue.wait_until(deadline) for queue in self._queues)
        return report

    def _log_errors(self) -> None:
        parts = self._parts.counted_parts()
        if rows := sum(part.unrecorded for part in parts):
            error = next(part.first_error for part in parts if part.first_error)
            logger.warning("%s rows have no item: %s", f"{rows:,}", error)

    def _assemble_items(self, parts: Sequence[Part]) -> list[Item]:
        return assembly.assemble_items(self._pipeline, parts, self._settings.capacity)

    def _make_report(self, parts: Sequence[Part], items: Iterable[Item]) -> PipelineReport:
        limit = assembly.find_limit(parts, self._settings.capacity)
        sampled = sum(part.sampled for part in parts)
        recorded = sum(
            record.inputs
            for part in parts
            for id, record in list(part.items.records.items())
            if (record.hash, id) <= limit
        )
        written = sum(part.passed_on for part in parts)
        return PipelineReport(
            pipeline_id=self.pipeline_id,
            run_id=self.run_id,
            pipeline_name=self.options.pipeline,
            nodes=assembly.report_nodes(parts),
            edges=assembly.find_edges(items),
            started_at=self._started_at,
            ended_at=self._ended_at,
            sample=self.options.rate,
            cap=self.options.cap,
            overflow=self.options.overflow,
            degraded=recorded < sampled,
            sampled=sampled,
            recorded=recorded,
            written_through=written,
            dropped=sampled - recorded - written,
            unrecorded=sum(part.unrecorded for part in parts),
        )


def capture(
    spark: Any = None,
    *,
    pipeline: str | None = None,
    run_id: str | uuid.UUID | None = None,
    sample: float | str = 0.01,
    rate: float | None = None,
    cap: int = 10_000,
    overflow: Overflow = "degrade",
    redact: bool | Callable[[Any], Any] = True,
    snapshots: bool = False,
    sinks: Iterable[Any] = (),
    timeout: float = 30.0,
    operators: bool = False,
) -> Capture:
    """Return a context manager that records the steps in its block.

    ``spark``: a session, to record the tasks of jobs that this thread starts. ``pipeline``: name of
    the pipeline. ``run_id``: a UUID, by default a new one. ``sample``: share of the items that are
    sampled, the same items in each run; "random" samples others in each run, at ``rate``. ``cap``:
    number of items in memory. ``overflow``: beyond the cap, "degrade" passes items to the sinks
    only, "drop" keeps those with the smallest hashes, "materialize" has no cap, and "strict" does
    as "drop" and raises an error at the end. ``redact``: True stores no values of rows; a function
    returns the stored form of a row. ``snapshots``: store rows before and after a step, of at most
    64 items and 4 KB each. ``sinks``: names, sinks or functions of items. ``timeout``: seconds to
    wait for the sinks at the end. ``operators``: collect the operators of the session's queries.

    Counts are exact in each case. Raises UsageError if a parameter is invalid.
    """
    options = CaptureOptions.check_options(
        pipeline=pipeline, run_id=run_id, sample=sample, rate=rate, cap=cap, overflow=overflow,
        redact=redact, snapshots=snapshots, sinks=tuple(sinks), timeout=timeout,
        operators=operators and spark is not None,
    )  # fmt: skip
    return Capture(spark, options)
