"""Events on disk: JSON lines in a file of this process and sink, which ``lineage ingest`` reads."""

from __future__ import annotations

import contextlib
import os
import threading
import uuid
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

LIMIT = 64 << 20  # bytes of a file


class Spool:
    """A file that is created with the first event and removed when all its events are sent.

    A batch is one ``write`` to a file opened with O_APPEND. It survives the process, but a power
    failure only if the system has written it by then. If the disk has no room for a batch, the file
    has nothing of it. If another process deletes the file, the next batch begins another one.
    """

    def __init__(self, directory: Path, name: str, limit: int = LIMIT) -> None:
        self.directory = directory
        self.error = ""
        self._name = name
        self._path = self._choose_path()
        self._path_read = self._path  # of the lines that read_unsent returned last
        self._limit = limit
        self._lock = threading.Lock()  # threads that emit append too, if the queue has no room
        self._descriptor: int | None = None
        self._size = 0
        self._sent = 0  # bytes at the beginning of the file that were sent since

    def _choose_path(self) -> Path:
        return self.directory / f"{self._name}-{os.getpid()}-{uuid.uuid4().hex[:8]}.jsonl"

    @property
    def is_empty(self) -> bool:
        """Whether all events in the file were sent."""
        return self._sent >= self._size

    def append_lines(self, lines: Sequence[bytes]) -> bool:
        """Append ``lines`` and return whether all are in the file; ``error`` has the reason."""
        data = b"".join(lines)
        with self._lock:
            self._leave_deleted_file()
            if self._size + len(data) > self._limit:
                self.error = f"{self._path} has reached its limit of {self._limit >> 20} MiB"
                return False
            try:
                self._write_whole(data)
            except OSError as error:
                self.error = f"{self._path}: {error.strerror}"
                return False
            self._size += len(data)
            return True

    def _leave_deleted_file(self) -> None:
        """Choose another file if the present one has no name, because nothing can read it."""
        if self._descriptor is not None and os.fstat(self._descriptor).st_nlink == 0:
            os.close(self._descriptor)
            self._descriptor, self._size, self._sent = None, 0, 0
            self._path = self._choose_path()

    def _write_whole(self, data: bytes) -> None:
        """Write ``data``, or nothing of it. Raises OSError."""
        if self._descriptor is None:
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
            self._descriptor = os.open(self._path, flags, 0o600)
        rest = memoryview(data)
        try:
            while rest:  # a disk without room accepts a part, and raises for the next
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, self._size)
            raise

    def read_unsent(self, count: int) -> list[bytes]:
        """Return up to ``count`` lines that were not sent. Raises OSError."""
        with self._lock:
            if self._descriptor is None or self.is_empty:
                return []
            self._path_read = self._path
            lines: list[bytes] = []
            with os.fdopen(os.dup(self._descriptor), "rb") as file:
                file.seek(self._sent)
                while len(lines) < count and (line := file.readline()):
                    lines.append(line)
            return lines

    def mark_sent(self, lines: Sequence[bytes]) -> None:
        """Remove ``lines``, the first unsent ones; remove the file after the last."""
        with self._lock:
            if self._path_read != self._path:
                return  # the file of these lines was deleted meanwhile
            self._sent += sum(map(len, lines))
            if self.is_empty:
                self._remove_file()

    def remove_file(self) -> None:
        """Remove the file with its events; the next event creates it again."""
        with self._lock:
            self._remove_file()

    def _remove_file(self) -> None:
        if self._descriptor is not None:
            with contextlib.suppress(OSError):
                os.unlink(self._path)
            os.close(self._descriptor)
        self._descriptor, self._size, self._sent = None, 0, 0

    def close_file(self) -> None:
        """Close the file, which stays if it has unsent events."""
        with self._lock:
            if self.is_empty:
                self._remove_file()
            elif self._descriptor is not None:
                os.close(self._descriptor)
                self._descriptor = None
