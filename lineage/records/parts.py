"""The record of one partition of a step: exact counts, and the sampled items of smallest hash.

Parts merge in any order to the same result. Of several attempts of a partition, the newest counts.
"""

from __future__ import annotations

import heapq
import itertools
import time
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_SNAPSHOTS = 64
# Ids of contributors that an item stores; their number is exact.
MAX_CONTRIBUTORS = 16
SNAPSHOT_BYTES = 4096

_ORDER = itertools.count()


class PartKey(NamedTuple):
    """A partition of a step. ``stage``: that of Spark; -1 outside of it."""

    node: str
    stage: int
    partition: int


class ItemRecord:
    """The rows of one item in a partition of a step.

    ``contributors``: pairs of hash and id, the smallest of all. ``snapshots``: JSON of input and
    output.
    """

    __slots__ = (
        "contributors", "emissions", "error", "hash", "indices", "inputs", "outcome", "retries",
        "snapshots",
    )  # fmt: skip

    def __init__(self, hash: int, outcome: int, inputs: int, emissions: int, retries: int) -> None:
        self.hash = hash
        self.outcome = outcome
        self.inputs = inputs
        self.emissions = emissions
        self.retries = retries
        self.error: str | None = None
        self.contributors: list[tuple[int, bytes]] = []
        self.indices: list[int] | None = None
        self.snapshots: tuple[str | None, str | None] | None = None

    def merge_from(self, other: ItemRecord) -> None:
        """Add the rows of the same item that another record counts."""
        self.outcome |= other.outcome
        self.inputs += other.inputs
        self.emissions += other.emissions
        self.retries += other.retries
        errors = [each for each in (self.error, other.error) if each]
        self.error = min(errors, default=None)
        merged = {*self.contributors, *other.contributors}
        self.contributors = heapq.nsmallest(MAX_CONTRIBUTORS, merged)
        self.indices = None
        self.snapshots = min(filter(None, (self.snapshots, other.snapshots)), default=None, key=str)

    def to_tuple(self) -> tuple[Any, ...]:
        """Return all values in the order of ``from_tuple``."""
        return (
            self.hash, self.outcome, self.inputs, self.emissions, self.retries,
            self.error, self.contributors, self.indices, self.snapshots,
        )  # fmt: skip

    @classmethod
    def from_tuple(cls, values: tuple[Any, ...]) -> ItemRecord:
        """Return the record of the values of ``to_tuple``."""
        record = cls(*values[:5])
        record.error, record.contributors, record.indices, record.snapshots = values[5:]
        return record


class BottomItems:
    """Records by the id of their item: at most ``capacity``, those with the smallest hashes."""

    def __init__(self, capacity: int | None) -> None:
        self.capacity = capacity
        self.records: dict[bytes, ItemRecord] = {}
        self._largest: list[tuple[int, bytes]] = []  # a heap of negated hashes and inverted ids

    def add_record(self, id: bytes, record: ItemRecord) -> tuple[bytes, ItemRecord] | None:
        """Add a record; return the one that has no room, which may be the same."""
        present = self.records.get(id)
        if present is not None:
            present.merge_from(record)
            return None
        entry = (-record.hash, _invert_id(id))
        if self.capacity is None or len(self.records) < self.capacity:
            self.records[id] = record
            if self.capacity is not None:
                heapq.heappush(self._largest, entry)
            return None
        if not self._largest or entry <= self._largest[0]:
            return id, record
        _, evicted = heapq.heapreplace(self._largest, entry)
        self.records[id] = record
        evicted_id = _invert_id(evicted)
        return evicted_id, self.records.pop(evicted_id)

    def remove_above(self, limit: tuple[int, bytes]) -> Iterator[tuple[bytes, ItemRecord]]:
        """Remove and yield the items whose hash and id are greater than ``limit``."""
        above = [id for id, each in self.records.items() if (each.hash, id) > limit]
        for id in above:
            yield id, self.records.pop(id)
        if above and self.capacity is not None:
            self._largest = [(-each.hash, _invert_id(id)) for id, each in self.records.items()]
            heapq.heapify(self._largest)


def _invert_id(id: bytes) -> bytes:
    """Return an id that sorts in the opposite direction; its own inverse."""
    return bytes(255 - byte for byte in id)


class Part:
    """One attempt of a partition of a step.

    ``outcomes``: numbers of rows by their combined flags. ``digest``: sum of the hashes of the
    rows. ``sampled``: rows of sampled items. ``passed_on``: rows of evicted items that were handed
    to the sinks. ``first_error``: why the key of a row could not be determined.
    """

    __slots__ = (
        "attempt", "digest", "emissions", "first_error", "items", "key", "operator", "outcomes",
        "passed_on", "sampled", "snapshots", "started", "unrecorded",
    )  # fmt: skip

    def __init__(self, key: PartKey, attempt: int, capacity: int | None) -> None:
        self.key = key
        self.attempt = attempt
        self.operator = "step"
        self.started = (time.time_ns(), next(_ORDER))
        self.outcomes: dict[int, int] = {}
        self.emissions = 0
        self.digest = 0
        self.sampled = 0
        self.passed_on = 0
        self.unrecorded = 0
        self.first_error: str | None = None
        self.items = BottomItems(capacity)
        self.snapshots: BottomItems = BottomItems(MAX_SNAPSHOTS)

    @property
    def input_count(self) -> int:
        """The number of rows."""
        return sum(self.outcomes.values())

    def count_unrecorded(self, error: Exception) -> None:
        """Count a row whose key could not be determined."""
        self.unrecorded += 1
        if self.first_error is None:
            self.first_error = f"{type(error).__name__}: {error}"[:200]

    def to_tuple(self) -> tuple[Any, ...]:
        """Return the part in values of built-in types."""
        return (
            tuple(self.key), self.attempt, self.started, dict(self.outcomes),
            self.emissions, self.digest, self.sampled, self.passed_on, self.unrecorded,
            self.first_error, _to_pairs(self.items), _to_pairs(self.snapshots),
        )  # fmt: skip

    @classmethod
    def from_tuple(cls, values: tuple[Any, ...], capacity: int | None) -> Part:
        """Return the part of the values of ``to_tuple``."""
        part = cls(PartKey(*values[0]), values[1], capacity)
        (
            part.started, part.outcomes, part.emissions, part.digest, part.sampled, part.passed_on,
            part.unrecorded, part.first_error, items, snapshots,
        ) = values[2:]  # fmt: skip
        for bottom, pairs in ((part.items, items), (part.snapshots, snapshots)):
            for id, record in pairs:
                bottom.add_record(id, ItemRecord.from_tuple(record))
        return part


def _to_pairs(items: BottomItems) -> list[tuple[bytes, tuple[Any, ...]]]:
    return [(id, record.to_tuple()) for id, record in items.records.items()]


class Parts:
    """The parts of a capture: those of the newest attempt of each partition.

    A stage that Spark evaluates again, for example to find the bounds of a sort, gives the same
    rows once more. Of such evaluations the newest counts.
    """

    def __init__(self) -> None:
        self._by_key: dict[PartKey, list[Part]] = {}

    def add_part(self, part: Part) -> None:
        """Add a part, unless it is of an older attempt than a part that is here."""
        present = self._by_key.get(part.key)
        if present is None or present[0].attempt < part.attempt:
            self._by_key[part.key] = [part]
        elif present[0].attempt == part.attempt:  # a step that a plan applies twice
            present.append(part)

    def counted_parts(self) -> list[Part]:
        """Return the parts that count, in the order of their stages and times."""
        newest: dict[Any, list[Part]] = {}
        for key, parts in sorted(self._by_key.items(), key=lambda entry: entry[1][0].attempt):
            newest[_evaluation_key(key, parts)] = parts
        counted = itertools.chain.from_iterable(newest.values())
        return sorted(counted, key=lambda part: (part.key.stage, part.started))


def _evaluation_key(key: PartKey, parts: list[Part]) -> tuple[Any, ...]:
    """Return a value that is equal for evaluations of a partition by Spark over the same rows."""
    if key.stage < 0 or any(part.unrecorded for part in parts):
        return key
    return (key.node, key.partition, *sorted((part.input_count, part.digest) for part in parts))
