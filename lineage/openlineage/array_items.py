"""Split a JSON array into the texts of its items, even if some items are invalid.

A JSON parser rejects the whole array for one invalid item. Here only brackets and quotes are
matched, so an item ends with its brackets, and parsing the item reports its errors.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8

import msgspec
from msgspec import Raw

from lineage.errors import InvalidEvent

_ARRAY = msgspec.json.Decoder(list[Raw])
# Maximum number of items, of at least 64 bytes each, that are created before they are counted.
_MAX_UNCOUNTED_ITEMS = 200_000
_MAX_STEPS = 4_000_000
_DEEPEST = 5_000  # deeper than an event that can be stored

_TOP = re.compile(rb'["\[\]{},]')
_INNER = re.compile(rb'["\[\]{}]')
_IN_STRING = re.compile(rb'"|\\.', re.DOTALL)
_SPACES = b" \t\n\r"
_OPENERS = {ord("]"): ord("["), ord("}"): ord("{")}


class TooManyItems(InvalidEvent):
    """The array has more items than the limit."""


def split_array(text: bytes, limit: int) -> list[bytes]:
    """Return the text of each item of an array.

    Raises TooManyItems if there are more than ``limit``, and InvalidEvent if ``text`` is not an
    array: it does not begin or end as one, or a bracket or a string is not closed.
    """
    if text.count(b",") <= _MAX_UNCOUNTED_ITEMS:
        try:
            items = [bytes(item) for item in _ARRAY.decode(text)]
        except (msgspec.MsgspecError, RecursionError):
            pass
        else:
            if len(items) > limit:
                raise TooManyItems(f"The array has more than {limit} items.")
            return items
    return _Splitter(text, limit).split_items()


class _Splitter:
    """Match the brackets and strings of one text."""

    def __init__(self, text: bytes, limit: int) -> None:
        self._text = text.removeprefix(BOM_UTF8).strip(_SPACES)
        self._limit = limit
        self._items: list[bytes] = []
        self._open = bytearray()  # brackets that are not closed
        self._start = 1  # position of the item

    def split_items(self) -> list[bytes]:
        text = self._text
        if not (text.startswith(b"[") and text.endswith(b"]") and len(text) > 1):
            raise InvalidEvent("The text is not a JSON array.")
        at, last, steps = 1, len(text) - 1, 0
        while at < last:
            steps += 1
            if steps > _MAX_STEPS:
                raise InvalidEvent(f"The array has more than {_MAX_STEPS} brackets and strings.")
            match = (_INNER if self._open else _TOP).search(text, at, last)
            if match is None:
                break
            at = self._go_on(match.start(), last)
        if self._open:
            raise InvalidEvent("The array ends inside of an item.")
        if text[self._start : last].strip(_SPACES) or self._items:
            self._end_item(last)
        return self._items

    def _go_on(self, at: int, last: int) -> int:
        """Process the character at ``at``; return the next position."""
        character = self._text[at]
        if character == ord('"'):
            return self._end_of_string(at + 1, last)
        if character == ord(","):
            self._end_item(at)
            self._start = at + 1
        elif opener := _OPENERS.get(character):
            # An unmatched closing bracket is ignored; brackets left open within it are closed with
            # it.
            if (opened := self._open.rfind(opener, -_DEEPEST)) >= 0:
                del self._open[opened:]
        else:
            self._open.append(character)
        return at + 1

    def _end_of_string(self, at: int, last: int) -> int:
        while match := _IN_STRING.search(self._text, at, last):
            at = match.end()
            if match[0] == b'"':
                return at
        raise InvalidEvent("The array ends inside of a string.")

    def _end_item(self, at: int) -> None:
        if len(self._items) >= self._limit:
            raise TooManyItems(f"The array has more than {self._limit} items.")
        self._items.append(self._text[self._start : at].strip(_SPACES))
