"""Dead letters: rows that a step could not process, one JSON line each.

Each attempt of a partition writes a file of its own, and renames it to the file of the partition
when the attempt has ended. A retried or speculative attempt replaces the file of an earlier one.
"""

from __future__ import annotations

import contextlib
import json
import os
from typing import IO, TYPE_CHECKING, Any

from lineage.errors import UsageError
from lineage.records.recording import as_plain
from lineage.settings import expand_home

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from typing_extensions import Self


def dead_letter_directory(path: str | os.PathLike[str]) -> Path:
    """Return the absolute directory. Raises UsageError for a URL of another file system."""
    text = os.fspath(path)
    if "://" in text and not text.startswith("file://"):
        raise UsageError(
            f"Dead letters cannot be written to {text}.",
            "Give a directory of a file system that all executors mount.",
        )
    return expand_home(text.removeprefix("file://"))


class DeadLetterFile:
    """The dead letters of one attempt of a partition; created with the first of them.

    Errors in writing are raised: without its dead letter, the row would be lost.
    """

    def __init__(self, directory: Path, name: str, attempt: str) -> None:
        """Store the paths. ``name``: of the partition; ``attempt``: unique for each attempt."""
        self.path = directory / f"{name}.jsonl"
        self._partial = directory / f".{name}.{attempt}.partial"
        self._file: IO[str] | None = None

    def append_row(self, row: Any, item: str | None, error: BaseException, retries: int) -> None:
        """Write a row with the error of its last call; ``item``: its id, if it is recorded."""
        if self._file is None:
            self._partial.parent.mkdir(parents=True, exist_ok=True)
            # Rows may be personal data.
            handle = os.open(self._partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            self._file = os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace")
        line = {
            "item": item,
            "error": f"{type(error).__name__}: {error}",
            "retries": retries,
            "row": as_plain(row),
        }
        self._file.write(json.dumps(line, default=_to_text, skipkeys=True) + "\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Commit the file; remove it if the attempt has failed."""
        if self._file is None:
            return
        # A consumer that needs no more rows closes the iterator: the attempt has not failed.
        if kind is not None and not issubclass(kind, GeneratorExit):
            with contextlib.suppress(OSError):
                self._file.close()
            self._partial.unlink(missing_ok=True)
            return
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        self._partial.replace(self.path)


def _to_text(value: Any) -> Any:
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    return value.tolist() if hasattr(value, "tolist") else str(value)
