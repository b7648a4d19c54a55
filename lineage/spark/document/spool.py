"""Spools: files of plan documents, and the locks of running applications."""

from __future__ import annotations

import fcntl
import re
import socket
import sys
from dataclasses import dataclass
from enum import Enum
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from lineage.directories import PACKED, list_files, unpacked_name
from lineage.errors import InvalidEvent, SpoolError, UsageError
from lineage.spark.document.document import APPLICATION_END, Document
from lineage.spark.document.parser import parse_document
from lineage.text_files import numbered_lines, open_file, open_unpacked

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator

STANDARD_INPUT = "-"

_FILE = re.compile(rf"(?P<run>.+)-(?P<number>\d{{4,}})\.jsonl({'|'.join(map(re.escape, PACKED))})?")


class State(Enum):
    """The state of an application, as far as its files on this host show it."""

    ENDED = "ended"
    RUNNING = "running"
    DIED = "died"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Line:
    """A line of a spool. ``is_whole`` is false for a last line without a line end."""

    place: str
    text: str
    is_whole: bool


_NAME_SPOOL = "Specify the directory of spark.lineage.spool, or a file in it."


@dataclass(frozen=True)
class Spooled:
    """The files of one application, in the order they were written, and its lock file."""

    files: tuple[Path, ...]
    lock: Path | None = None

    def read_lines(self, bad: Callable[[InvalidEvent], None]) -> Iterator[Line]:
        """Yield the lines; raise SpoolError if a file cannot be read.

        ``bad`` is called with each part of a file that cannot be read as text.
        """
        for path in self.files:
            if str(path) == STANDARD_INPUT:
                yield from _read_stream("<stdin>", sys.stdin.buffer, bad)
                continue
            try:
                with open_file(path) as file, open_unpacked(file) as stream:
                    yield from _read_stream(str(path), stream, bad)
            except UsageError as error:
                raise SpoolError(error.message, "Check its permissions.") from error
            except OSError as error:
                raise _unreadable_file(path, error) from error

    def is_locked(self) -> bool | None:
        """Return whether a running driver holds the lock; None if the lock cannot be checked."""
        if self.lock is None:
            return None
        try:
            with self.lock.open("rb") as file:
                fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return None
        return False

    def application_state(self, last: Document | None) -> State:
        """Determine the state of the application from its last document and its lock."""
        if last is not None and last.kind == APPLICATION_END:
            return State.ENDED
        if last is None or last.app.host != socket.gethostname():
            return State.UNKNOWN  # the lock is valid only on the driver's host
        locked = self.is_locked()
        if locked is None:
            return State.UNKNOWN
        return State.RUNNING if locked else State.DIED


def _read_stream(
    name: str, stream: BinaryIO, bad: Callable[[InvalidEvent], None]
) -> Iterator[Line]:
    for number, line in numbered_lines(name, stream, bad):
        text = line.decode(errors="replace")
        if text.strip():
            yield Line(f"{name}:{number}", text, text.endswith("\n"))


def find_applications(source: str | os.PathLike[str]) -> list[Spooled]:
    """Return the applications of a spool directory, a file, or ``-`` for standard input.

    Directories below a spool belong to it, such as those of ``lineage run``. Raises SpoolError if
    there is no such file or directory, or if it cannot be read.
    """
    path = Path(source)
    if str(source) == STANDARD_INPUT:
        return [Spooled((path,))]
    if not str(source):  # Path("") is the working directory
        raise SpoolError("The name of the spool is empty.", _NAME_SPOOL)
    try:
        if not path.exists():
            raise SpoolError(f"There is no spool at {path}.", _NAME_SPOOL)
        if not path.is_dir():
            return group_by_application([path])
    except OSError as error:
        raise _unreadable_file(path, error) from error
    files = list_files(path, _refuse_directory)
    return group_by_application(
        file for file in files if unpacked_name(file.name).endswith(".jsonl")
    )


def _refuse_directory(error: OSError) -> None:
    raise _unreadable_file(Path(error.filename), error) from error


def group_by_application(files: Iterable[Path]) -> list[Spooled]:
    """Group files of plan documents by their application."""
    grouped = groupby(sorted(files, key=_sort_key), key=lambda file: (file.parent, _run_of(file)))
    of_runs = [tuple(of_run) for _, of_run in grouped]
    return [Spooled(of_run, _lock_file(of_run[0])) for of_run in of_runs]


def _run_of(path: Path) -> str:
    match = _FILE.fullmatch(path.name)
    return match["run"] if match else path.stem


def _sort_key(path: Path) -> tuple[Path, str, int]:
    match = _FILE.fullmatch(path.name)
    return path.parent, _run_of(path), int(match["number"]) if match else 0


def _lock_file(path: Path) -> Path | None:
    lock = path.with_name(f"{_run_of(path)}.lock")
    return lock if lock.exists() else None


def _unreadable_file(path: Path, error: OSError) -> SpoolError:
    return SpoolError(f"{path} cannot be read: {error.strerror}.", "Check its permissions.")


def read_documents(spooled: Spooled, bad: Callable[[InvalidEvent], None]) -> Iterator[Document]:
    """Yield the documents of one application.

    ``bad`` is called for each invalid line with an error that contains file and line number. An
    incomplete last line is not an error while the driver is writing it.
    """
    for line in spooled.read_lines(bad):
        try:
            yield parse_document(line.text)
        except InvalidEvent as error:
            if line.is_whole:
                bad(InvalidEvent(f"{line.place}: {error.message}", error.hint))
            elif not spooled.is_locked():
                bad(InvalidEvent(f"{line.place}: The last line is incomplete.", None))
