"""The savepoints of a transaction, in the order in which they were set."""

from __future__ import annotations

from typing import Generic, TypeVar

from lineage.sql.dialects import traits_of

T = TypeVar("T")


class Savepoints(Generic[T]):
    """Savepoints by name, each with the state when it was set."""

    def __init__(self, dialect: str) -> None:
        self._is_keeping = traits_of(dialect).keeps_earlier_savepoints
        self._marks: list[tuple[str, T]] = []

    def set_savepoint(self, name: str, mark: T) -> None:
        """Add a savepoint."""
        if not self._is_keeping:
            self._marks = [each for each in self._marks if each[0] != name]
        self._marks.append((name, mark))

    def return_to(self, name: str) -> T | None:
        """Drop the savepoints after the last one of a name; return its mark, or None."""
        place = self._find_last(name)
        if place is None:
            return None
        del self._marks[place + 1 :]
        return self._marks[place][1]

    def return_to_any(self, name: str) -> list[T]:
        """Return the marks from the last savepoint of a name on, or of all; drop all but the first.

        These are the savepoints to which a session that releases this one may have returned.
        """
        place = self._find_last(name) or 0
        marks = [mark for _, mark in self._marks[place:]]
        del self._marks[place + 1 :]
        return marks

    def release_savepoint(self, name: str) -> None:
        """Drop the last savepoint of a name and those after it."""
        place = self._find_last(name)
        if place is not None:
            del self._marks[place:]

    def forget_all(self) -> None:
        """Drop all savepoints."""
        self._marks.clear()

    def _find_last(self, name: str) -> int | None:
        places = (n for n in reversed(range(len(self._marks))) if self._marks[n][0] == name)
        return next(places, None)
