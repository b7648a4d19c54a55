"""Entries that were just written to the log, so that who draws them need not read them again."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from lineage.graph.batch import BATCH_BYTES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineage.graph.log import Entry


class Recent:
    """Entries by their id, until they are taken. What is too much is forgotten, oldest first.

    Nothing depends on an entry being here: the log has it, and says the same.
    """

    def __init__(self, most_bytes: int = BATCH_BYTES) -> None:
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._entries: dict[int, Entry] = {}
        self._bytes = 0

    def add(self, entries: Mapping[int, Entry]) -> None:
        """Remember entries, by their id."""
        with self._lock:
            for id, entry in entries.items():
                self._forget(id)
                self._entries[id] = entry
                self._bytes += len(entry.body)
            while self._bytes > self._most_bytes:
                self._forget(next(iter(self._entries)))

    def __contains__(self, id: int) -> bool:
        """Is the entry of an id remembered?"""
        return id in self._entries

    def take(self, id: int) -> Entry | None:
        """Return the entry of an id, and forget it."""
        with self._lock:
            return self._forget(id)

    def _forget(self, id: int) -> Entry | None:
        entry = self._entries.pop(id, None)
        if entry:
            self._bytes -= len(entry.body)
        return entry
