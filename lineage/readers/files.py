"""Read the records of files: CSV, JSON, JSON lines and XML, each with its position."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from lineage.directories import by_rotation, list_files, unpacked_name, unrotated_name
from lineage.errors import InvalidEvent, UsageError
from lineage.text_files import numbered_lines, open_file, open_unpacked

if TYPE_CHECKING:
    from typing import BinaryIO

STANDARD_INPUT = "-"
# A batch of SQL is one field. The limit of Python's csv module is 131,072 characters.
MAX_FIELD_LENGTH = 1 << 27
# The beginning of a file from which its form is recognized, in bytes.
_BEGINNING = 16 << 10

_UNDECODED = re.compile("[\udc80-\udcff]")
_TAB_SEPARATED_NAMES = re.compile(rb"[\w ()$#]+(?:\t[\w ()$#]+)+\r?")
# The escapes of tab-separated text, as mysql --batch and COPY of PostgreSQL write it.
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v"}
_ESCAPED |= {"0": "\0", "N": "NULL"}

OnBad: TypeAlias = Callable[[InvalidEvent], None]
Record: TypeAlias = dict[str, Any]  # a row by the names of its columns, in lower case


@dataclass(frozen=True)
class Source:
    """An opened file: its name, and its lines in UTF-8 by number."""

    name: str
    beginning: bytes
    lines: Iterator[tuple[int, bytes]]

    def read_text(self) -> str:
        """Return the whole text. Raises InvalidEvent if it is not UTF-8."""
        return decode_text(b"".join(line for _, line in self.lines), self.name)


def find_source_files(
    sources: tuple[str, ...], endings: tuple[str, ...], *, rotated: bool = False
) -> list[str]:
    """Return the files of ``sources``; of directories, those with one of ``endings``, sorted.

    ``rotated``: also logs that were rotated, such as postgresql.log.2.gz, the oldest first. Raises
    UsageError for a source that does not exist, for a directory without such files, and for one
    that cannot be listed.
    """
    name_of = unrotated_name if rotated else unpacked_name
    files: list[str] = []
    for source in sources:
        path = Path(source)
        if source == STANDARD_INPUT:
            files.append(source)
        elif path.is_dir():
            named = list_files(path, _refuse_directory)
            if rotated:
                named.sort(key=by_rotation)
            inside = [str(file) for file in named if name_of(file.name).endswith(endings)]
            if not inside:
                raise UsageError(f"No file in {source} ends in {', '.join(endings)}.")
            files += inside
        elif source and path.exists():
            files.append(source)
        else:
            raise UsageError(f"There is no file or directory {source!r}.")
    return files


def _refuse_directory(error: OSError) -> None:
    raise UsageError(
        f"{error.filename} cannot be read: {error.strerror}.",
        "Name the files or directories that can be read.",
    ) from error


def open_sources(files: list[str], on_bad: OnBad) -> Iterator[Source]:
    """Open each file, compressed or not, UTF-8 or UTF-16; ``on_bad`` gets unreadable lines."""
    for name in files:
        if name == STANDARD_INPUT:
            yield _read_source("<stdin>", sys.stdin.buffer, on_bad)
            continue
        with open_file(Path(name)) as opened, open_unpacked(opened) as stream:
            yield _read_source(name, stream, on_bad)


def _read_source(name: str, stream: BinaryIO, on_bad: OnBad) -> Source:
    lines = numbered_lines(name, open_unpacked(stream), on_bad)
    first: list[tuple[int, bytes]] = []
    size = 0
    while size < _BEGINNING and (numbered := next(lines, None)):
        first.append(numbered)
        size += len(numbered[1])
    beginning = b"".join(line for _, line in first).lstrip()
    return Source(name, beginning, chain(first, lines))


def decode_text(text: bytes, place: str) -> str:
    """Decode UTF-8. Raises InvalidEvent."""
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        raise InvalidEvent(f"{place}: The text is not UTF-8: {error.reason}.") from error


def read_csv(
    source: Source, on_bad: OnBad, names: tuple[str, ...] = ()
) -> Iterator[tuple[int, Record]]:
    """Yield each record of a CSV file with the line that it begins in.

    If the header has tabs, the values of each line are separated by tabs, with escapes of
    backslashes and without quotes, as mysql --batch writes them.

    ``names``: the columns of a file without a header, of which the last ones may be missing. A
    record that is not CSV, not UTF-8 or of another number of fields is reported to ``on_bad``.
    """
    header = list(names)
    width = 0
    for number, row in _read_rows(source, on_bad):
        width = width or len(row)
        if not header:
            header = [name.strip().lower() for name in row]
            continue
        place = f"{source.name}:{number}"
        if len(row) != width:
            count = f"{len(row)} fields, the first one {width}"
            on_bad(InvalidEvent(f"{place}: The record has {count}."))
        elif any(map(_UNDECODED.search, row)):
            on_bad(InvalidEvent(f"{place}: The record is not UTF-8."))
        else:
            yield number, dict(zip(header, row, strict=False))


def _read_rows(source: Source, on_bad: OnBad) -> Iterator[tuple[int, list[str]]]:
    """Yield the fields of each record that is CSV; bytes that are not UTF-8 as surrogates."""
    if _is_tab_separated(source):
        for number, line in source.lines:
            if text := line.decode(errors="surrogateescape").rstrip("\r\n"):
                yield number, [unescape_value(value) for value in text.split("\t")]
        return
    csv.field_size_limit(MAX_FIELD_LENGTH)
    rows = csv.reader(
        (line.decode(errors="surrogateescape") for _, line in source.lines), strict=True
    )
    before = 0
    while True:
        number = before + 1
        try:
            row = next(rows, None)
        except csv.Error as error:
            on_bad(InvalidEvent(f"{source.name}:{number}: The record is not CSV: {error}."))
            row = []
        before = rows.line_num
        if row is None:
            return
        if row:
            yield number, row


def _is_tab_separated(source: Source) -> bool:
    """Return whether the first line is names of columns between tabs."""
    return bool(_TAB_SEPARATED_NAMES.fullmatch(source.beginning.partition(b"\n")[0]))


def unescape_value(value: str) -> str:
    """Return a value of tab-separated text without its escapes."""
    return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), value)


def read_table(source: Source, on_bad: OnBad) -> Iterator[tuple[int, Record]]:
    """Yield the records of a file of CSV or JSON, each with its line or number."""
    return read_csv(source, on_bad) if is_csv(source) else read_json(source, on_bad)


def read_json(source: Source, on_bad: OnBad) -> Iterator[tuple[int, Record]]:
    """Yield each object of JSON lines with its line, or of an array with its number."""
    if source.beginning.startswith(b"["):
        yield from _read_array(source, on_bad)
        return
    for number, line in source.lines:
        if not line.strip():
            continue
        try:
            value = _decode_json(line)
        except ValueError as error:
            on_bad(InvalidEvent(f"{source.name}:{number}: It is not JSON: {describe_json(error)}."))
            continue
        if isinstance(value, dict):
            yield number, {str(key).lower(): each for key, each in value.items()}
        else:
            on_bad(InvalidEvent(f"{source.name}:{number}: It is not a JSON object."))


def _decode_json(text: bytes) -> Any:
    """Decode JSON, in less time if it is strict. Raises json.JSONDecodeError or UnicodeError."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return json.loads(text)


def _read_array(source: Source, on_bad: OnBad) -> Iterator[tuple[int, Record]]:
    try:
        values = json.loads(source.read_text())
    except ValueError as error:
        on_bad(InvalidEvent(f"{source.name}: It is not JSON: {describe_json(error)}."))
        return
    for number, value in enumerate(values, start=1):
        if isinstance(value, dict):
            yield number, {str(key).lower(): each for key, each in value.items()}
        else:
            on_bad(InvalidEvent(f"{source.name}: Item {number} is not a JSON object."))


def describe_json(error: ValueError) -> str:
    """Return the reason of a JSON error without the text, which may contain secrets."""
    reason = getattr(error, "msg", "the encoding is invalid")
    column = getattr(error, "colno", None)
    return f"{reason} at column {column}" if column else str(reason)


def is_csv(source: Source) -> bool:
    """Return whether a file is neither JSON nor XML."""
    return not source.beginning.startswith((b"{", b"[", b"<"))


def csv_columns(source: Source) -> list[str]:
    """Return the header of a CSV file in lower case."""
    text = io.StringIO(source.beginning.decode(errors="replace"))
    separator = "\t" if _is_tab_separated(source) else ","
    return [name.strip().lower() for name in next(csv.reader(text, delimiter=separator), [])]


def table_columns(source: Source) -> list[str]:
    """Return the names of the columns of a file of CSV or JSON, in lower case."""
    return csv_columns(source) if is_csv(source) else json_columns(source)


def json_columns(source: Source) -> list[str]:
    """Return the names in the first object of a file of JSON lines or of an array."""
    try:
        value, _ = json.JSONDecoder().raw_decode(
            source.beginning.decode(errors="replace").lstrip("[ \r\n\t")
        )
    except ValueError:
        return []
    return [str(name).lower() for name in value] if isinstance(value, dict) else []
