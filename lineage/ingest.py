"""Events and plan documents from files, directories and standard input into the graph."""

from __future__ import annotations

import json
import sys
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from lineage.errors import InvalidEvent, UsageError
from lineage.graph.emitter import BATCH_SIZE, Emitter, Written

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import psycopg

STDIN = "-"
ENDINGS = (".json", ".jsonl", ".ndjson")


class Item(NamedTuple):
    """The JSON text of one event and where it was read: a file and a line."""

    place: str
    text: str


class Listener(Protocol):
    """What wants to know how the work goes."""

    def written(self, written: Written) -> None:
        """A batch is on disk."""

    def bad_line(self, error: InvalidEvent) -> None:
        """A line cannot be read; the rest goes on."""


def ingest(
    conn: psycopg.Connection[Any], source: str, listener: Listener, exit_code: int | None = None
) -> None:
    """Write all events of ``source``: a file, a directory or ``-``.

    ``exit_code`` is that of the application whose plan documents ``source`` has. Raises UsageError,
    SpoolError and DatabaseError; what was told as written stays written.
    """
    before = Written()
    with Emitter(conn) as emitter:
        for number, item in enumerate(items(source, listener, exit_code), start=1):
            try:
                emitter.emit(item.text)
            except InvalidEvent as error:
                listener.bad_line(InvalidEvent(f"{item.place}: {error.message}", error.hint))
            if number % BATCH_SIZE == 0:
                before = _tell(listener, before, emitter.written)
    _tell(listener, before, emitter.written)
