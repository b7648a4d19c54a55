"""What is read from JSON text, remembered by the text: producers repeat themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

K = TypeVar("K")
T = TypeVar("T")

MOST_BYTES = 6 << 20
# A part of what is remembered at most: one text may not make all others be forgotten.
_MOST_PARTS = 6


def _text_length(text: Any, _value: object) -> int:
    return len(text)


class InternedParser(dict[K, T]):
    """Reads a text as ``read`` does, but a text that was met lately by looking it up.

    Two texts that are the same give the same object: it must not be changed. What has not been
    met for the last ``most_bytes`` of new texts, or twice as many, is forgotten; what is larger
    than a part of that is not remembered. Threads may share one. A text is kept: it must be no view
    of an event, which would be kept with it.
    """

    __slots__ = ("_before", "_most_bytes", "_read", "_size", "_size_of")

    def __init__(
        self,
        read: Callable[[K, str], T],
        most_bytes: int = MOST_BYTES,
        *,
        size_of: Callable[[K, T], int] = _text_length,
    ) -> None:
        """``read`` gets a text and where it was found, which only errors tell.

        ``size_of`` tells how many bytes a text and what was read from it take, roughly: many small
        things take many times as much as their text.
        """
        self._read = read
        self._size_of = size_of
        self._most_bytes = most_bytes
        self._size = 0
        self._before: dict[K, T] = {}

    def parse_at(self, text: K, path: str) -> T:
        """Return what a text says. Raises what ``read`` raises; that is not remembered."""
        cached = self.get(text)
        return self._met_before(text, path) if cached is None else cached

    def __missing__(self, text: K) -> T:
        return self._met_before(text, "")

    def _met_before(self, text: K, path: str) -> T:
        cached = self._before.get(text)
        if cached is None:
            cached = self._read(text, path)
        size = self._size_of(text, cached)
        if size > self._most_bytes // _MOST_PARTS:
            return cached
        if self._size > self._most_bytes:
            self._before, self._size = self.copy(), 0
            self.clear()
        self[text] = cached
        self._size += size
        return cached
