"""The recording of one step in one partition: decides which items are sampled, and stores them.

Errors in it are counted and never reach the rows.
"""

from __future__ import annotations

import json
import uuid
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.records.keys import correlation_bytes, hash_key, salted_hash
from lineage.records.parts import MAX_CONTRIBUTORS, SNAPSHOT_BYTES, ItemRecord, Part, PartKey

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Evicted = Callable[[PartKey, bytes, ItemRecord], None]


class CaptureSettings(NamedTuple):
    """The options of a capture for its tasks.

    ``capacity``: number of items that a partition stores, None for all. ``mask``: function of a
    row, whose result is stored in its place; None if values are redacted. ``salt``: None to sample
    the same items in each run. ``messages``: whether messages of errors are stored.
    """

    run_id: str
    threshold: int
    capacity: int | None
    salt: int | None = None
    mask: Callable[[Any], Any] | None = None
    messages: bool = False


class Call(NamedTuple):
    """The calls of a function for one row: flags, number of outputs and of retries."""

    outcome: int
    emissions: int
    retries: int = 0
    error: BaseException | None = None


class Recording:
    """Records the rows of a step in one part.

    ``hash_of``: the hash of a key in this capture. ``on_evicted`` gets each item that has no room.
    """

    def __init__(
        self, settings: CaptureSettings, source: str, part: Part, on_evicted: Evicted | None = None
    ) -> None:
        self.settings = settings
        self.source = source
        self.part = part
        self.threshold = settings.threshold
        self.hash_of: Callable[[Any], int] = hash_key
        if settings.salt is not None:
            self.hash_of = partial(salted_hash, salt=settings.salt)
        self._on_evicted = on_evicted

    def item_id(self, key: Any) -> bytes:
        """Return the correlation id of a row with this key."""
        return correlation_bytes(self.settings.run_id, self.source, key)

    def item_text(self, key: Any) -> str | None:
        """Return the correlation id of a row as text; None if the key has no canonical form."""
        try:
            return str(uuid.UUID(bytes=self.item_id(key)))
        except Exception:  # noqa: BLE001 - an error of the recording is not one of the job
            return None

    def count_row(self, call: Call, rows: int = 1) -> None:
        """Count the outcome of a row, or of the rows of a group."""
        part = self.part
        part.outcomes[call.outcome] = part.outcomes.get(call.outcome, 0) + rows
        part.emissions += call.emissions

    def take_snapshot(self, value: Any) -> str | None:
        """Return the JSON text of a masked row, at most 4 KB; None if values are redacted."""
        if self.settings.mask is None:
            return None
        try:
            masked = self.settings.mask(as_plain(value))
            text = json.dumps(masked, default=str, ensure_ascii=False)
        except Exception as error:  # noqa: BLE001 - a mask must not fail the job
            self.part.count_unrecorded(error)
            return None
        return _cut_text(text)

    def record_item(
        self, key: Any, hashed: int, call: Call, snapshots: tuple[str | None, Sequence[str | None]]
    ) -> None:
        """Record a row of a sampled item. ``snapshots``: of the row, and of its first outputs."""
        self.part.sampled += 1
        try:
            id = self.item_id(key)
            record = self.make_record(hashed, call)
            if self.settings.mask is not None:
                self._record_snapshots(id, hashed, *snapshots)
            self.store_record(id, record)
        except Exception as error:  # noqa: BLE001 - an error of the recording is not one of the job
            self.part.count_unrecorded(error)

    def make_record(self, hashed: int, call: Call, rows: int = 1) -> ItemRecord:
        """Return the record of one call of the function."""
        record = ItemRecord(hashed, call.outcome, rows, call.emissions, call.retries)
        if call.error is not None:
            record.error = type(call.error).__name__
            if self.settings.messages:
                record.error = f"{record.error}: {call.error}"[:200]
        return record

    def store_record(self, id: bytes, record: ItemRecord) -> None:
        """Store a record; if there is no room, hand over the one with the greatest hash."""
        evicted = self.part.items.add_record(id, record)
        if evicted is not None and self._on_evicted is not None:
            self.part.passed_on += evicted[1].inputs
            self._on_evicted(self.part.key, *evicted)

    def _record_snapshots(
        self, id: bytes, hashed: int, before: str | None, after: Sequence[str | None]
    ) -> None:
        snapshot = ItemRecord(hashed, 0, 0, 0, 0)
        joined = f"[{', '.join(each for each in after if each is not None)}]"
        snapshot.snapshots = (before, _cut_text(joined) if after else None)
        self.part.snapshots.add_record(id, snapshot)

    def group_id(self, key: Any) -> bytes:
        """Return the correlation id of a group, which no row has."""
        return correlation_bytes(self.settings.run_id, f"group:{self.part.key.node}", key)

    def record_group(self, id: bytes, hashed: int, call: Call, keys: Sequence[Any]) -> None:
        """Record a sampled group with the keys of its rows."""
        self.part.sampled += len(keys)
        try:
            record = self.make_record(hashed, call, len(keys))
            self._add_contributors(record, keys)
            self.store_record(id, record)
        except Exception as error:  # noqa: BLE001 - an error of the recording is not one of the job
            self.part.count_unrecorded(error)

    def _add_contributors(self, record: ItemRecord, keys: Sequence[Any]) -> None:
        """Store the ids of the rows of a group: at most 16, those with the smallest hashes."""
        hashes = sorted((self.hash_of(key), index) for index, key in enumerate(keys))
        lowest = hashes[:MAX_CONTRIBUTORS]
        record.contributors = [(hashed, self.item_id(keys[index])) for hashed, index in lowest]
        record.indices = sorted(index for _, index in lowest)


def _cut_text(text: str) -> str:
    """Return the beginning of a text that takes at most 4 KB as UTF-8."""
    return text.encode("utf-8", "replace")[:SNAPSHOT_BYTES].decode("utf-8", "ignore")


def as_plain(value: Any) -> Any:
    """Return a row as a dict, if it is a Row of Spark; other values unchanged."""
    return value.asDict(recursive=True) if hasattr(value, "asDict") else value


def unmasked_row(row: Any) -> Any:
    """Return the row: the mask of a capture that does not redact."""
    return row
