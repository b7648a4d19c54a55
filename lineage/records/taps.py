"""Rows of a frame, recorded with ids of the rows that they are made of, while Spark writes them."""

from __future__ import annotations

import heapq
import logging
import uuid
from typing import TYPE_CHECKING

from lineage.errors import NotFound
from lineage.records import gateway
from lineage.records.fidelity import Fidelity, parse_label, worst_of
from lineage.records.keys import HASHES, correlation_bytes, hash_int
from lineage.records.outcomes import Outcome
from lineage.records.parts import ItemRecord, Part, PartKey

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame

    from lineage.records.recording import CaptureSettings

_ID = "__lineage_id"

logger = logging.getLogger(__name__)


class Tap:
    """A frame whose rows are recorded.

    ``frame`` is the frame to write in place of the other one. ``fidelity`` is how far the recorded
    rows are the contributors of a row, and ``reasons`` are its limits.
    """

    def __init__(self, frame: DataFrame, node: str, settings: CaptureSettings) -> None:
        """Raise UsageError or an error of Spark if the frame cannot be recorded."""
        self.node = node
        self._settings = settings
        self._spark = frame.sparkSession
        self._plan = gateway.plan_of(frame)
        records = gateway.records_of(self._spark)
        gateway.add_jar(self._spark)
        salt = 0 if settings.salt is None else settings.salt >> 1
        capacity = -1 if settings.capacity is None else settings.capacity
        threshold = -1 if settings.threshold >= HASHES else settings.threshold >> 1
        self._tap = records.tap(self._plan, threshold, salt, capacity)
        self.frame: DataFrame = gateway.frame_of(self._spark, self._tap.frame())
        labels = [parse_label(line) for line in self._tap.labels()]
        self.fidelity: Fidelity = worst_of(labels)
        self.reasons: list[str] = [label.reason for label in labels]
        self._sources = list(self._plan.datasets())
        self._source_of_column: list[int] = list(self._tap.sources())
        self._rows: dict[bytes, tuple[int, tuple[int | None, ...]]] = {}

    def read_parts(self) -> Iterator[Part]:
        """Yield the parts that tasks have sent since the last call."""
        for result in self._tap.results():
            yield self._read_part(bytes(result).decode())

    def _read_part(self, text: str) -> Part:
        head, *lines = text.split("\n")
        stage, partition, attempt, started, rows, sampled, digest, failures = map(int, head.split())
        part = Part(PartKey(self.node, stage, partition), attempt, self._settings.capacity)
        part.operator = "tap"
        part.started = (started * 1_000_000, attempt)
        part.outcomes[int(Outcome.EMITTED)] = part.emissions = rows
        part.sampled, part.digest, part.unrecorded = sampled, digest, failures
        for line in lines:
            count, hashed, *ids = line.split(",")
            self._add_item(part, int(count), int(hashed), [int(id) if id else None for id in ids])
        return part

    def _add_item(self, part: Part, count: int, hashed: int, ids: list[int | None]) -> None:
        run = self._settings.run_id
        id = correlation_bytes(run, f"tap:{self.node}", ids)
        record = ItemRecord(hashed % HASHES, int(Outcome.EMITTED), count, count, 0)
        contributors = {
            (hash_int(row), correlation_bytes(run, self._sources[source], row))
            for source, row in zip(self._source_of_column, ids, strict=True)
            if row is not None
        }
        record.contributors = sorted(contributors)
        if part.items.add_record(id, record) is None:
            self._rows[id] = (record.hash, tuple(ids))
        self._limit_rows()

    def _limit_rows(self) -> None:
        """Forget the rows of items that the capture cannot hold."""
        capacity = self._settings.capacity
        if capacity is not None and len(self._rows) > 2 * capacity:
            smallest = heapq.nsmallest(
                capacity, ((hashed, id) for id, (hashed, _) in self._rows.items())
            )
            self._rows = {id: self._rows[id] for _, id in smallest}

    def witnesses_of(self, id: bytes) -> dict[str, DataFrame] | None:
        """Return the recorded rows of each source for an item; None if it is not of this tap."""
        from pyspark.sql import functions as F

        if id not in self._rows:
            return None
        rows: dict[int, set[int]] = {}
        for source, row in zip(self._source_of_column, self._rows[id][1], strict=True):
            if row is not None:
                rows.setdefault(source, set()).add(row)
        frames: dict[str, list[DataFrame]] = {}
        for source, ids in rows.items():
            frame = gateway.frame_of(self._spark, self._plan.source(source))
            recorded = frame.where(F.col(_ID).isin(sorted(ids))).drop(_ID)
            frames.setdefault(self._sources[source], []).append(recorded)
        return {name: gateway.unite_frames(each) for name, each in frames.items()}


class Taps(list[Tap]):
    """The taps of a capture."""

    def __init__(self, settings: CaptureSettings) -> None:
        super().__init__()
        self._settings = settings

    def add_tap(self, frame: DataFrame, node: str) -> DataFrame:
        """Return the frame that is recorded; the same one, with a warning, if it cannot be."""
        try:
            self.append(Tap(frame, node, self._settings))
        except Exception:
            logger.warning("The frame %s is not recorded.", node, exc_info=True)
            return frame
        return self[-1].frame

    def read_parts(self) -> list[Part]:
        """Yield the parts that tasks have sent since the last call."""
        return [part for tap in self[:] for part in tap.read_parts()]

    def witnesses_of(self, id: str) -> dict[str, DataFrame]:
        """Return the recorded rows of each source for an item. Raises NotFound."""
        for tap in self:
            rows = tap.witnesses_of(uuid.UUID(id).bytes)
            if rows is not None:
                return rows
        raise NotFound(f'The item "{id}" is of no tap.', "Items of steps have contributors.")
