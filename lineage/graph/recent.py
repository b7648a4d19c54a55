"""Entries that were just written to the log, so that who draws them need not read them again."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from lineage.graph.batch import BATCH_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lineage.graph.log import Entry


class Recent:
    """Entries by their key, until they are taken. What is too much is forgotten, oldest first.

    Nothing depends on an entry being here: the log has it, and says the same.
    """

    def __init__(self, most_bytes: int = BATCH_BYTES) -> None:
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._entries: dict[bytes, Entry] = {}
        self._bytes = 0

    def add(self, entries: Iterable[Entry]) -> None:
        """Remember entries."""
        with self._lock:
            for entry in entries:
                self._forget(entry.sha256)
                self._entries[entry.sha256] = entry
                self._bytes += len(entry.body)
            while self._bytes > self._most_bytes:
                self._forget(next(iter(self._entries)))

    def take(self, sha256: bytes) -> Entry | None:
        """Return the entry of a key, and forget it."""
        with self._lock:
            return self._forget(sha256)

    def _forget(self, sha256: bytes) -> Entry | None:
        entry = self._entries.pop(sha256, None)
        if entry:
            self._bytes -= len(entry.body)
        return entry
