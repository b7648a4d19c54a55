"""Starts and ends of runs on disk until a sink has them, for programs that may be killed."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lineage.hub.report import Rejected
from lineage.hub.spool import Spool

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from lineage.hub.emitted import Emitted

_PAGE_EVENTS = 1000


@dataclass
class _Page:
    """A file. ``count``: its events; ``unsettled``: those that the sink does not have yet."""

    file: Spool
    count: int = 0
    unsettled: int = 0


class Journal:
    """Files of events of one sink, each removed once all its events are settled.

    A program that emits without a pause always has unsettled events; therefore there are several
    files.
    """

    def __init__(self, directory: Path, sink_id: str) -> None:
        self._directory = directory
        self._name = f"{sink_id}-journal"
        self._lock = threading.Lock()
        self._page = self._create_page()
        self._pages: dict[Emitted, _Page] = {}

    def _create_page(self) -> _Page:
        return _Page(Spool(self._directory, self._name))

    def record_event(self, emitted: Emitted) -> None:
        """Write an event, in the thread that emits it. An event that is not JSON is omitted."""
        try:
            line = emitted.encode_line()
        except Rejected:
            return  # the thread of the sink reports it
        with self._lock:
            if self._page.count >= _PAGE_EVENTS:
                self._page = self._create_page()
            page = self._page
            if page.file.append_lines([line]):
                page.count += 1
                page.unsettled += 1
                self._pages[emitted] = page

    def settle_events(self, events: Sequence[Emitted]) -> None:
        """Remove the files whose last unsettled events are among ``events``."""
        with self._lock:
            for each in events:
                page = self._pages.pop(each, None)
                if page is None:
                    continue
                page.unsettled -= 1
                if page.unsettled == 0:
                    page.file.remove_file()
                    page.count = 0
