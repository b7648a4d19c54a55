"""Read events and plan documents from files, directories and standard input."""

from __future__ import annotations

import os
import re
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Protocol

from lineage.directories import list_files, unrotated_name
from lineage.errors import InvalidEvent, UsageError
from lineage.ingest.workers import Item
from lineage.json_values import split_values
from lineage.spark.document import spool
from lineage.spark.document.parser import is_plan_document
from lineage.text_files import DAMAGED, numbered_lines, open_file, open_unpacked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import BinaryIO

    from lineage.ingest.writer import Written

STANDARD_INPUT = "-"
_ENDINGS = (".json", ".jsonl", ".ndjson")
# A name that has such an ending before another one, such as events.json.bak or events.jsonl.xz.
_INNER_ENDING = re.compile(rf"({'|'.join(map(re.escape, _ENDINGS))})\b", re.IGNORECASE)
PIPE_REPORT_SECONDS = 1.0


class Listener(Protocol):
    """Receives the progress and the errors of the work."""

    def on_written(self, written: Written) -> None:
        """Called with the counts of events committed since the last call."""

    def on_read(self, done: int, total: int) -> None:
        """Called with the bytes of the source read so far; ``total`` is 0 if it is unknown."""

    def bad_line(self, error: InvalidEvent) -> None:
        """Called with each line that cannot be read; the work continues."""

    def report_omitted(self, place: str, parts: Sequence[str]) -> None:
        """Called with the omitted parts of an event, or the omitted files of a directory."""

    def on_waiting(self, pipe: Path) -> None:
        """Called in a separate thread if no process has opened the named pipe for writing."""


@dataclass
class Reading:
    """Progress of reading the files of a source, in bytes on disk."""

    total: int = 0
    finished: int = 0
    current: BinaryIO | None = None

    @property
    def bytes_read(self) -> int:
        """The number of bytes read."""
        return self.finished + (self.current.tell() if self.current else 0)

    def finish_files(self, files: Iterable[Path]) -> None:
        """Count files that have been read to their end."""
        self.finished += sum(_file_size(file) for file in files)
        self.current = None


def may_never_end(source: str) -> bool:
    """Return whether a source is a pipe, a socket or a terminal, and not a file or a directory."""
    if source != STANDARD_INPUT:
        return _is_channel(Path(source))
    try:
        return not stat.S_ISREG(os.fstat(sys.stdin.fileno()).st_mode)
    except OSError:
        return True  # replaced by a stream without a file


def _refuse_pipe(file: Path) -> None:
    """Raise UsageError for a named pipe, because plan documents are read twice."""
    if file.is_fifo():
        raise UsageError(
            f"{file} is a pipe with plan documents, which must be read twice.",
            f"Pass them on standard input: lineage ingest - < {file}",
        )


def read_items(
    source: str,
    listener: Listener,
    exit_code: int | None = None,
    reading: Reading | None = None,
) -> Iterator[Item]:
    """Yield the events of a source; plan documents are converted.

    ``reading`` is updated if the source is a file or a directory.
    """
    reading = reading or Reading()
    if source == STANDARD_INPUT:
        stream = open_unpacked(sys.stdin.buffer)
        if not is_plan_document(_peek_beginning(stream)):
            yield from _read_events("<stdin>", stream, listener)
        elif stream is sys.stdin.buffer:
            yield from _read_plan_documents(spool.find_applications(source), listener, exit_code)
        else:
            raise UsageError(
                "Standard input holds compressed plan documents.",
                "Unpack them: zcat FILE | lineage ingest -",
            )
        return
    documents = []
    files = _find_files(source, listener)
    reading.total = sum(map(_file_size, files))
    for file in files:
        try:
            opened = _open_file(file, listener)
        except UsageError as error:
            if file == Path(source):
                raise
            listener.bad_line(InvalidEvent(error.message))
            continue
        with opened, open_unpacked(opened) as stream:
            if is_plan_document(_peek_beginning(stream)):
                _refuse_pipe(file)
                documents.append(file)
            else:
                reading.current = opened
                yield from _read_events(str(file), stream, listener)
                reading.finish_files([file])
    applications = spool.group_by_application(documents)
    if exit_code is not None:
        yield from _read_plan_documents(applications, listener, exit_code)
        return
    for application in applications:
        yield from _read_plan_documents([application], listener, None)
        reading.finish_files(application.files)


def _file_size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0  # reported when the file is opened


def _peek_beginning(stream: BinaryIO) -> bytes:
    """Return the first bytes of a stream without consuming them; empty if that is impossible."""
    try:
        begin: bytes = stream.peek(100) if hasattr(stream, "peek") else b""
    except DAMAGED:
        return b""  # reported when the lines are read
    return begin


def _open_file(file: Path, listener: Listener) -> BinaryIO:
    """Open a file; for a named pipe, which opens once it has a writer, report the wait."""
    if not _is_channel(file):
        return open_file(file)
    timer = Timer(PIPE_REPORT_SECONDS, listener.on_waiting, [file])
    timer.daemon = True
    timer.start()
    try:
        return open_file(file)
    finally:
        timer.cancel()


def _find_files(source: str, listener: Listener) -> list[Path]:
    """Return the file ``source``, or the files in the directory.

    Raises UsageError if there is none. Directories that cannot be listed, and files that are likely
    to have events and whose names have another ending, are reported to ``listener``. If no name
    has such an ending, all files are reported but the locks of a spool.
    """
    if not source:  # Path("") is the working directory
        raise UsageError(
            "The name of the file is empty.",
            "Specify a file, a directory, or - for standard input.",
        )
    path = Path(source)
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError) as error:
        missing = f"There is no file or directory {path}."
        raise UsageError(missing, "Specify an existing one.") from error
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error
    if not os.path.isdir(path):  # Path.is_dir() may raise
        return [path]

    def report(error: OSError) -> None:
        unreadable = f"{error.filename} cannot be read: {error.strerror}."
        if error.filename == str(path):
            raise UsageError(unreadable) from error
        listener.bad_line(InvalidEvent(unreadable))

    named = list_files(path, report)
    files = [file for file in named if unrotated_name(file.name).endswith(_ENDINGS)]
    others = [file for file in named if _is_omitted(file.name, any_ending=not files)]
    if others:
        listener.report_omitted(str(path), [str(file.relative_to(path)) for file in others])
    return [file for file in files if not _is_channel(file)]


def _is_omitted(name: str, *, any_ending: bool) -> bool:
    """Return whether a file may have events and is not read, such as a copy.

    ``any_ending``: a file of any name may have events.
    """
    if name.startswith(".") or name.endswith(".lock"):  # of editors, of Hadoop and of a spool
        return False
    is_likely = any_ending or bool(_INNER_ENDING.search(name))
    return is_likely and not unrotated_name(name).endswith(_ENDINGS)


def _is_channel(file: Path) -> bool:
    """Return whether ``file`` is a named pipe or a socket."""
    try:
        return file.is_fifo() or file.is_socket()
    except OSError:
        return False  # reported when the file is opened


def _read_events(name: str, stream: BinaryIO, listener: Listener) -> Iterator[Item]:
    """Yield the events of JSON lines, of objects on several lines, or of arrays."""
    lines = numbered_lines(name, stream, listener.bad_line)
    for number, text in split_values(name, lines, listener.bad_line):
        yield Item(f"{name}:{number}", text)


def _read_plan_documents(
    spooled: Iterable[spool.Spooled], listener: Listener, exit_code: int | None
) -> Iterator[Item]:
    from openlineage.client.serde import Serde

    from lineage.spark.conversion.applications import convert_applications

    for event in convert_applications(spooled, listener.bad_line, exit_code):
        yield Item(f"run {event.run.runId}", Serde.to_json(event).encode())
