"""What is read from JSON text, remembered by the text: producers repeat themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

MOST_BYTES = 4 << 20


class Repeated(dict[bytes, T]):
    """Reads a text as ``read`` does, but a text that was met lately by looking it up.

    Two texts that are the same give the same object: it must not be changed. What has not been
    met for the last ``most_bytes`` of new texts, or twice as many, is forgotten. Threads may share
    one. A text is kept: it must be no view of an event, which would be kept with it.
    """

    __slots__ = ("_before", "_most_bytes", "_read", "_size")

    def __init__(self, read: Callable[[bytes, str], T], most_bytes: int = MOST_BYTES) -> None:
        """``read`` gets a text and where it was found, which only errors tell."""
        self._read = read
        self._most_bytes = most_bytes
        self._size = 0
        self._before: dict[bytes, T] = {}

    def at(self, text: bytes, path: str) -> T:
        """Return what a text says. Raises what ``read`` raises; that is not remembered."""
        found = self.get(text)
        return self._met_before(text, path) if found is None else found

    def __missing__(self, text: bytes) -> T:
        return self._met_before(text, "")

    def _met_before(self, text: bytes, path: str) -> T:
        found = self._before.get(text)
        if found is None:
            found = self._read(text, path)
        if self._size > self._most_bytes:
            self._before, self._size = self.copy(), 0
            self.clear()
        self[text] = found
        self._size += len(text)
        return found
