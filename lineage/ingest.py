"""Events and plan documents from files, directories and standard input into the graph."""

from __future__ import annotations

import json
import re
import sys
from functools import partial
from io import BufferedReader
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from lineage.errors import InvalidEvent, UsageError
from lineage.graph.batch import BATCH_SIZE
from lineage.graph.emitter import Emitter, Written
from lineage.graph.workers import Item, Workers
from lineage.spark import spool

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import BinaryIO

    import psycopg

    from lineage.graph.workers import Done

STANDARD_INPUT = "-"
ENDINGS = (".json", ".jsonl", ".ndjson")
TOLD_EVERY = 500
# How a plan document begins, and no event does.
_DOCUMENT = re.compile(rb"""\s*\{\s*"lineage"\s*:""")


class Listener(Protocol):
    """What wants to know how the work goes."""

    def written(self, written: Written) -> None:
        """So many more events are on disk."""

    def bad_line(self, error: InvalidEvent) -> None:
        """A line cannot be read; the rest goes on."""

    def left_out(self, place: str, parts: Sequence[str]) -> None:
        """An event is taken, but for these parts of it."""


def ingest(
    conn: psycopg.Connection[Any],
    source: str,
    listener: Listener,
    exit_code: int | None = None,
    *,
    workers: int = 1,
    dsn: str | None = None,
) -> None:
    """Write all events of ``source``: a file, a directory or ``-``.

    ``exit_code`` is that of the application whose plan documents ``source`` has. What is more than
    a batch is written by so many ``workers``, processes that connect as ``lineage.connect(dsn)``
    does. Raises UsageError, SpoolError and DatabaseError; what was told as written stays written.
    """
    found = items(source, listener, exit_code)
    _write(conn, islice(found, BATCH_SIZE) if workers > 1 else found, listener)
    if first := next(found, None):
        with Workers(dsn, workers, partial(_tell_done, listener)) as writing:
            for item in chain([first], found):
                writing.emit(item)


def _write(conn: psycopg.Connection[Any], found: Iterable[Item], listener: Listener) -> None:
    told = Written()
    emitter = Emitter(conn)
    for number, item in enumerate(found, start=1):
        try:
            if parts := emitter.emit(item.text):
                listener.left_out(item.place, parts)
        except InvalidEvent as error:
            listener.bad_line(InvalidEvent(f"{item.place}: {error.message}", error.hint))
        if number % TOLD_EVERY == 0:
            told = _tell(listener, told, emitter.written)
    _tell(listener, told, emitter.flush())


def _tell_done(listener: Listener, done: Done) -> None:
    listener.written(done.written)
    for error in done.bad:
        listener.bad_line(error)
    for place, parts in done.left_out:
        listener.left_out(place, parts)


def _tell(listener: Listener, told: Written, now: Written) -> Written:
    if now != told:
        listener.written(Written(now.count - told.count, now.new - told.new))
    return now


def items(source: str, listener: Listener, exit_code: int | None = None) -> Iterator[Item]:
    """Yield the events of a source; those of plan documents are converted."""
    if source == STANDARD_INPUT:
        if _DOCUMENT.match(_begin(sys.stdin.buffer)):
            yield from _converted(spool.find(source), listener, exit_code)
        else:
            yield from _events("<stdin>", sys.stdin.buffer)
        return
    files = _files(Path(source))
    documents = [file for file in files if _holds_documents(file)]
    for file in files:
        if file not in documents:
            with _opened(file) as stream:
                yield from _events(str(file), stream)
    yield from _converted(spool.group(documents), listener, exit_code)


def _begin(stream: BinaryIO) -> bytes:
    """Return what a stream begins with, and leave it there; nothing where that cannot be done."""
    return stream.peek(100) if isinstance(stream, BufferedReader) else b""


def _files(source: Path) -> list[Path]:
    if not source.exists():
        raise UsageError(f"There is no file or directory {source}.", "Name what is to be read.")
    if not source.is_dir():
        return [source]
    return sorted(file for file in source.rglob("*") if file.suffix in ENDINGS and file.is_file())


def _holds_documents(file: Path) -> bool:
    with _opened(file) as stream:
        return bool(_DOCUMENT.match(stream.read(100)))


def _opened(file: Path) -> BinaryIO:
    try:
        return file.open("rb")
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}.") from error


def _events(name: str, lines: Iterable[bytes]) -> Iterator[Item]:
    """Yield the events of JSON lines, of one object over many lines, or of an array of them."""
    numbered = ((n, line) for n, line in enumerate(lines, start=1) if line.strip())
    first = next(numbered, None)
    if first is None:
        return
    rest: Iterable[tuple[int, bytes]] = numbered
    if not _is_object(first[1]):
        rest = list(numbered)
        if whole := _whole(b"".join([first[1], *(line for _, line in rest)])):
            yield from (Item(f"{name}:{first[0]}", text) for text in whole)
            return
    for number, line in chain([first], rest):
        yield Item(f"{name}:{number}", line)


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _whole(text: bytes) -> list[bytes] | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    if isinstance(found, list):
        # Half a character, which no UTF-8 has, is refused where the event is read.
        return [json.dumps(e, ensure_ascii=False).encode(errors="surrogatepass") for e in found]
    return [text]


def _converted(
    spooled: Iterable[spool.Spooled], listener: Listener, exit_code: int | None
) -> Iterator[Item]:
    from openlineage.client.serde import Serde

    from lineage.spark.applications import events

    for event in events(spooled, listener.bad_line, exit_code):
        yield Item(f"run {event.run.runId}", Serde.to_json(event).encode())
