"""Split a text into JSON values: one per line, over several lines, single or in arrays."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from lineage.errors import InvalidEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Line = tuple[int, bytes]

# Limit of a value over several lines, which is read into memory as a whole.
MAX_VALUE_BYTES = 256 << 20
# A string, in which brackets are text, or a bracket. Strings do not contain line ends.
_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]]')


def split_values(
    name: str, lines: Iterable[Line], bad: Callable[[InvalidEvent], None]
) -> Iterator[Line]:
    """Yield the text of each value and the number of its first line; of an array, its elements.

    Text that is not JSON is yielded unchanged, line by line. A value that does not end is reported
    to ``bad`` once; later lines that are complete objects are yielded.
    """
    rest = iter(lines)
    for number, line in rest:
        text = line.strip()
        # events of JSON lines are not scanned for brackets
        if (
            text.startswith((b"{", b"["))
            and not _is_object_line(text)
            and _count_open_brackets(text) > 0
        ):
            value, following = _collect_value(line, rest)
            if value is None:
                bad(InvalidEvent(f"{name}:{number}: The JSON value that begins here does not end."))
                objects = (each for each in following if _is_object_line(each[1].strip()))
                # of arrays, all lines were read; of objects, the last one is another value
                yield from objects
            else:
                yield from _split_elements(number, value)
        elif text:
            yield from _split_elements(number, line)


def _is_object_line(text: bytes) -> bool:
    return text.startswith(b"{") and text.endswith(b"}")


def _count_open_brackets(text: bytes) -> int:
    """Return the number of brackets that a line opens and does not close."""
    tokens = (match[0] for match in _TOKEN.finditer(text))
    return sum((token in b"{[") - (token in b"}]") for token in tokens if len(token) == 1)


def _collect_value(first: bytes, rest: Iterator[Line]) -> tuple[bytes | None, list[Line]]:
    """Read lines up to the end of the value that ``first`` begins.

    Returns its text, or None and the lines that were read if the value does not end. An object is
    incomplete if a complete object begins in the first column of a later line.
    """
    depth, size, read = _count_open_brackets(first), len(first), [(0, first)]
    is_object = first.lstrip().startswith(b"{")
    for number, line in rest:
        read.append((number, line))
        text = line.strip()
        opened = _count_open_brackets(text)
        begins = line.startswith(b"{") and len(text) > 2 and _is_object_line(text)
        if is_object and begins and opened == 0:
            return None, read[1:]
        depth += opened
        size += len(line)
        if depth <= 0:
            return b"".join(line for _, line in read), []
        if size > MAX_VALUE_BYTES:
            break
    return None, read[1:]


def _split_elements(number: int, text: bytes) -> Iterator[Line]:
    if not text.lstrip().startswith(b"["):
        yield number, text
        return
    try:
        elements = json.loads(text)
    except (ValueError, RecursionError):
        yield number, text
        return
    for element in elements:
        # a lone surrogate is reported when the event is parsed
        yield number, json.dumps(element, ensure_ascii=False).encode(errors="surrogatepass")
