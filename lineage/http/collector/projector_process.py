"""Projection in a separate process.

Python runs one thread at a time: in the serving process, requests and projection would delay each
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
    """A ``Projector`` in another process, which is restarted if it ends unexpectedly.

    That process ends when this end of the pipe is closed, also if this process is killed.
    """

    def __init__(self, dsn: str | None) -> None:
        self._dsn = dsn
        self._closing = threading.Event()
        self._lock = threading.Lock()
        self._pipe: Connection | None = None
        self._thread = threading.Thread(target=self._run_projector, name="lineage-projector")
        self._thread.start()

    def notify_events(self) -> None:
        """Report that events were written to the log."""
        self._send_signal(_EVENTS)

    def notify_documents(self) -> None:
        """Report that plan documents were stored."""
        self._send_signal(_DOCUMENTS)

    def close(self) -> None:
        """End the process after the current batches. The next one continues with the rest."""
        self._closing.set()
        self._close_pipe()
        self._thread.join()

    def _send_signal(self, what: bytes) -> None:
        # The bytes in a full pipe already wake the process; without a reader it has ended.
        with self._lock, suppress(BlockingIOError, BrokenPipeError):
            if self._pipe:
                os.write(self._pipe.fileno(), what)

    def _run_projector(self) -> None:
        while not self._closing.is_set():
            try:
                self._run_until_exit()
            except OSError as error:  # no memory, or too many processes or files
                LOG.error("The projector process cannot be started: %s. Retrying.", error)
            self._closing.wait(_AGAIN_SECONDS)

    def _run_until_exit(self) -> None:
        """Start the process, and return when it has ended."""
        process = self._start_process()
        process.join()
        self._close_pipe()
        if not self._closing.is_set():
            LOG.error(
                "The projector process ended unexpectedly (exit code %s). It may have run out of"
                " memory. It is restarted.",
                process.exitcode,
            )

    def _start_process(self) -> BaseProcess:
        context = multiprocessing.get_context("spawn")  # a fork would inherit held locks
        reading, writing = context.Pipe(duplex=False)
        os.set_blocking(writing.fileno(), False)
        process = context.Process(target=_run_projector, args=(reading, self._dsn))
        with reading, ExitStack() as unless_it_starts:
            unless_it_starts.enter_context(writing)
            process.start()
            unless_it_starts.pop_all()
        with self._lock:
            self._pipe = writing
        if self._closing.is_set():  # close() may have been called before there was a pipe
            self._close_pipe()
        return process

    def _close_pipe(self) -> None:
        with self._lock:
            if self._pipe:
                self._pipe.close()
            self._pipe = None


def _run_projector(pipe: Connection, dsn: str | None) -> None:
    """Run a projector until the other end of the pipe is closed."""
    # A terminal sends signals to all processes; this one ends when the other closes the pipe.
    for word in (signal.SIGINT, signal.SIGTERM):
        signal.signal(word, signal.SIG_IGN)
    logs.log_to_stderr()
    projector = Projector(dsn)
    try:
        while received := os.read(pipe.fileno(), 1 << 16):
            if _EVENTS in received:
                projector.notify_events()
            if _DOCUMENTS in received:
                projector.notify_documents()
    finally:
        projector.close()
