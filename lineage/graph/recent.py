"""Entries that were just written to the log, so that who draws them need not read them again."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from lineage.graph.batch import BATCH_BYTES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineage.graph.log import Entry


class Recent:
    """Entries by their id, until they are taken. What is too much is not remembered.

    As the oldest are drawn first, those that came first are the ones to remember. Nothing depends
    on an entry being here: the log has it, and says the same.
    """

    def __init__(self, most_bytes: int = BATCH_BYTES) -> None:
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._entries: dict[int, Entry] = {}
        self._bytes = 0

    def add(self, entries: Mapping[int, Entry]) -> None:
        """Remember entries, by their id, as far as there is room."""
        with self._lock:
            for id, entry in entries.items():
                if self._bytes + len(entry.body) <= self._most_bytes and id not in self._entries:
                    self._entries[id] = entry
                    self._bytes += len(entry.body)

    def __contains__(self, id: int) -> bool:
        """Is the entry of an id remembered?"""
        return id in self._entries

    def take(self, id: int) -> Entry | None:
        """Return the entry of an id, and forget it."""
        with self._lock:
            return self._forget(id)

    def forget_before(self, id: int) -> None:
        """Forget what has a lower id: others have drawn it."""
        with self._lock:
            for each in [each for each in self._entries if each < id]:
                self._forget(each)

    def _forget(self, id: int) -> Entry | None:
        entry = self._entries.pop(id, None)
        if entry:
            self._bytes -= len(entry.body)
        return entry
