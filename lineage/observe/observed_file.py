"""A file of fsspec that counts the bytes that pass."""

from __future__ import annotations

import io
from collections import deque
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class ObservedFile(io.IOBase):
    """Passes everything on to ``file``, and calls ``on_close`` with the bytes read and written.

    It is called once, after the file has been closed without an error.
    """

    def __init__(self, file: Any, on_close: Callable[[int, int], None]) -> None:
        self._file = file
        self._on_close: Callable[[int, int], None] | None = on_close
        self._bytes_read = 0
        self._bytes_written = 0

    def read(self, *args: Any) -> Any:
        data = self._file.read(*args)
        self._bytes_read += len(data or b"")
        return data

    def read1(self, *args: Any) -> Any:
        data = self._file.read1(*args)
        self._bytes_read += len(data or b"")
        return data

    def readinto(self, buffer: Any) -> Any:
        count = self._file.readinto(buffer)
        self._bytes_read += count or 0
        return count

    def readinto1(self, buffer: Any) -> Any:
        count = self._file.readinto1(buffer)
        self._bytes_read += count or 0
        return count

    def readline(self, *args: Any) -> Any:
        line = self._file.readline(*args)
        self._bytes_read += len(line)
        return line

    def readlines(self, *args: Any) -> Any:
        lines = self._file.readlines(*args)
        self._bytes_read += sum(map(len, lines))
        return lines

    def write(self, data: Any) -> Any:
        count = self._file.write(data)
        self._bytes_written += memoryview(data).nbytes
        return count

    def close(self) -> None:
        self._file.close()
        on_close, self._on_close = self._on_close, None
        if on_close is not None:
            on_close(self._bytes_read, self._bytes_written)

    @property
    def closed(self) -> bool:
        return bool(self._file.closed)

    def seek(self, *args: Any) -> Any:
        return self._file.seek(*args)

    def tell(self) -> Any:
        return self._file.tell()

    def flush(self, *args: Any) -> Any:
        return self._file.flush(*args)

    def truncate(self, *args: Any) -> Any:
        return self._file.truncate(*args)

    def fileno(self) -> Any:
        return self._file.fileno()

    def isatty(self) -> Any:
        return self._file.isatty()

    def readable(self) -> bool:
        return bool(self._file.readable())

    def writable(self) -> bool:
        return bool(self._file.writable())

    def seekable(self) -> bool:
        return bool(self._file.seekable())

    def __next__(self) -> Any:
        line = next(self._file)
        self._bytes_read += len(line)
        return line

    def __enter__(self) -> Any:
        self._file.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def __getattr__(self, name: str) -> Any:
        if name == "_file":  # while a copy is made
            raise AttributeError(name)
        return getattr(self._file, name)


def record_at_commit(add_write: Callable[[], None], transaction: Any) -> None:
    """Call ``add_write`` when a transaction is committed, after the preceding file.

    Not that of dask, whose files are in another process: there the write is recorded now.
    """
    files = getattr(transaction, "files", None)
    if isinstance(files, deque):
        files.append(SimpleNamespace(commit=add_write, discard=lambda: None))
    else:
        add_write()
