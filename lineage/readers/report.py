"""The counts of an import, and what could not be read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

# Listed with their places; further ones are only counted.
MOST_LISTED = 10_000
_BEGINNING = 60


class Unread(NamedTuple):
    """A statement that could not be read: its place, its beginning without literals, the reason."""

    place: str
    beginning: str
    reason: str


@dataclass
class ImportReport:
    """The counts of an import. ``bad_rows``: rows that could not be read at all."""

    events: int = 0
    duplicates: int = 0
    runs: int = 0
    statements: int = 0
    shapes: int = 0
    bad_rows: int = 0
    unread_statements: int = 0
    unread: list[Unread] = field(default_factory=list)

    @property
    def unread_count(self) -> int:
        """The number of rows and statements that could not be read."""
        return self.bad_rows + self.unread_statements

    def add_unread(self, place: str, shape: str, reasons: tuple[str, ...]) -> None:
        """Count a statement that could not be read."""
        self.unread_statements += 1
        if len(self.unread) < MOST_LISTED:
            beginning = " ".join(shape[: 4 * _BEGINNING].split())[:_BEGINNING]
            self.unread.append(Unread(place, beginning or "statement", " ".join(reasons)))
