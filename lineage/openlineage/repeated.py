"""What is read from JSON text, remembered by the text: producers repeat themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from msgspec import Raw

T = TypeVar("T")

MOST_BYTES = 8 << 20


class Repeated(Generic[T]):
    """Reads a text as ``read`` does, but a text that was met lately by looking it up.

    Two texts that are the same give the same object: it must not be changed. What has not been
    met for the last ``most_bytes`` of new texts, or twice as many, is forgotten. Threads may share
    one.
    """

    def __init__(self, read: Callable[[bytes, str], T], most_bytes: int = MOST_BYTES) -> None:
        """``read`` gets a text and where it was found, which only errors tell."""
        self._read = read
        self._most_bytes = most_bytes
        self._size = 0
        self._lately: dict[bytes, T] = {}
        self._before: dict[bytes, T] = {}

    def __call__(self, text: bytes | Raw, path: str) -> T:
        """Return what a text says. Raises what ``read`` raises; that is not remembered."""
        key = bytes(text)  # its own bytes, so that not the whole event is kept with them
        found = self._lately.get(key)
        if found is None:
            found = self._before.get(key)
            if found is None:
                found = self._read(key, path)
            self._remember(key, found)
        return found

    def _remember(self, key: bytes, found: T) -> None:
        if self._size > self._most_bytes:
            self._before, self._lately, self._size = self._lately, {}, 0
        self._lately[key] = found
        self._size += len(key)
