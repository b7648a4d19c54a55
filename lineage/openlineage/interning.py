"""Cache parsed values by their text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

K = TypeVar("K")
T = TypeVar("T")

MAX_CACHE_BYTES = 6 << 20
# Maximum share of the cache for one value, so that it cannot evict all others.
_CACHE_SHARES = 6


def _text_length(text: Any, _value: object) -> int:
    return len(text)


class InternedParser(dict[K, T]):
    """Parse a text with ``read``, and cache the result.

    Equal texts return the same object, which must not be changed. An entry is evicted if it was not
    used for the last ``max_bytes`` of new texts, or up to twice as many; a larger value than a
    sixth of that is not cached. Threads may share one instance. A text is stored, so it must not be
    a view of an event, which would then be stored as well.
    """

    __slots__ = ("_before", "_max_bytes", "_read", "_size", "_size_of")

    def __init__(
        self,
        read: Callable[[K, str], T],
        max_bytes: int = MAX_CACHE_BYTES,
        *,
        size_of: Callable[[K, T], int] = _text_length,
    ) -> None:
        """Set the parser and the size limit.

        ``read`` is called with a text and its path, which only its errors may contain. ``size_of``
        estimates the bytes that a text and its value use: many small objects need many times the
        size of their text.
        """
        self._read = read
        self._size_of = size_of
        self._max_bytes = max_bytes
        self._size = 0
        self._before: dict[K, T] = {}

    def parse_at(self, text: K, path: str) -> T:
        """Return the parsed text. Raises the errors of ``read``, which are not cached."""
        cached = self.get(text)
        return self._met_before(text, path) if cached is None else cached

    def __missing__(self, text: K) -> T:
        return self._met_before(text, "")

    def _met_before(self, text: K, path: str) -> T:
        cached = self._before.get(text)
        if cached is None:
            cached = self._read(text, path)
        size = self._size_of(text, cached)
        if size > self._max_bytes // _CACHE_SHARES:
            return cached
        if self._size > self._max_bytes:
            self._before, self._size = self.copy(), 0
            self.clear()
        self[text] = cached
        self._size += size
        return cached
