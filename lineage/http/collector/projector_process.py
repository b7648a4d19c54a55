"""Bringing the graph up to date in a process of its own, with an interpreter of its own.

Python runs one thread at a time: in the process that serves, requests and drawing wait for each
other.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

from lineage import logs
from lineage.http.collector.projector import Projector

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

LOG = logging.getLogger(__name__)

_EVENTS, _DOCUMENTS = b"e", b"d"
_AGAIN_SECONDS = 1.0


class ProjectorProcess:
    """A ``Projector`` in another process, which is started again should it end before its time.

    The other end of a pipe that is closed tells that process to end, also when this one is killed.
    """

    def __init__(self, dsn: str | None) -> None:
        self._dsn = dsn
        self._closing = threading.Event()
        self._lock = threading.Lock()
        self._pipe: Connection | None = None
        self._thread = threading.Thread(target=self._run, name="lineage-projector")
        self._thread.start()

    def events_came(self) -> None:
        """Events are in the log."""
        self._send_signal(_EVENTS)

    def documents_came(self) -> None:
        """Plan documents are kept."""
        self._send_signal(_DOCUMENTS)

    def close(self) -> None:
        """Let it end after the parts at hand. What waits then is for the next process."""
        self._closing.set()
        self._hang_up()
        self._thread.join()

    def _send_signal(self, what: bytes) -> None:
        # A pipe that is full, or has no reader any more, needs no other word.
        with self._lock, suppress(BlockingIOError, BrokenPipeError):
            if self._pipe:
                os.write(self._pipe.fileno(), what)

    def _run(self) -> None:
        while not self._closing.is_set():
            try:
                self._see_through()
            except OSError as error:  # no memory, or too many processes or files
                LOG.error(
                    "The process that brings the graph up to date cannot be started: %s", error
                )
            self._closing.wait(_AGAIN_SECONDS)

    def _see_through(self) -> None:
        """Start the process, and return when it has ended."""
        process = self._start_process()
        process.join()
        self._hang_up()
        if not self._closing.is_set():
            LOG.error(
                "The process that brings the graph up to date ended (exit code %s), perhaps for"
                " want of memory. It is started again.",
                process.exitcode,
            )

    def _start_process(self) -> BaseProcess:
        context = multiprocessing.get_context("spawn")  # a fork would have our threads' locks
        reading, writing = context.Pipe(duplex=False)
        os.set_blocking(writing.fileno(), False)
        process = context.Process(target=_run_projector, args=(reading, self._dsn))
        with reading, ExitStack() as unless_it_starts:
            unless_it_starts.enter_context(writing)
            process.start()
            unless_it_starts.pop_all()
        with self._lock:
            self._pipe = writing
        if self._closing.is_set():  # since then: who closes had no pipe to close
            self._hang_up()
        return process

    def _hang_up(self) -> None:
        with self._lock:
            if self._pipe:
                self._pipe.close()
            self._pipe = None


def _run_projector(pipe: Connection, dsn: str | None) -> None:
    """Bring the graph up to date, woken by what comes, until nothing more can come."""
    # Who stops all processes at once, as a terminal does, stops this one through the other.
    for word in (signal.SIGINT, signal.SIGTERM):
        signal.signal(word, signal.SIG_IGN)
    logs.log_to_stderr()
    projector = Projector(dsn)
    try:
        while received := os.read(pipe.fileno(), 1 << 16):
            if _EVENTS in received:
                projector.events_came()
            if _DOCUMENTS in received:
                projector.documents_came()
    finally:
        projector.close()
