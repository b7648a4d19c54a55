"""Counts of an import, and unreadable rows and statements."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

# Listed with their places; further ones are only counted.
MAX_LISTED_ROWS = 10_000
_BEGINNING = 60


class UnresolvedStatement(NamedTuple):
    """A statement that could not be read: its place, its beginning without literals, the reason."""

    place: str
    beginning: str
    reason: str


@dataclass
class ImportReport:
    """The counts of an import.

    ``renamed``: datasets to which the file of names gave another name. ``bad_rows``: rows that
    could not be read at all. ``gaps``: events that the files do not have, which may be in others.
    ``others``: the number of events of each application that was not read. ``passed_over``: the
    number of rows that are not read, by their kind. ``uncalled``: routines of scripts that
    write tables, but that no script calls.
    """

    events: int = 0
    duplicates: int = 0
    renamed: int = 0
    runs: int = 0
    statements: int = 0
    shapes: int = 0
    bad_rows: int = 0
    unresolved_statements: int = 0
    unresolved: list[UnresolvedStatement] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)
    others: Counter[str] = field(default_factory=Counter)
    passed_over: Counter[str] = field(default_factory=Counter)
    uncalled: list[UnresolvedStatement] = field(default_factory=list)

    @property
    def unresolved_count(self) -> int:
        """The number of rows and statements that could not be read."""
        return self.bad_rows + self.unresolved_statements

    def add_unresolved(
        self, place: str, shape: str, reasons: tuple[str, ...], count: int = 1
    ) -> None:
        """Count ``count`` equal statements that could not be read; they are listed once."""
        self.unresolved_statements += count
        if len(self.unresolved) < MAX_LISTED_ROWS:
            beginning = " ".join(shape[: 4 * _BEGINNING].split())[:_BEGINNING]
            if count > 1:
                place += f", {count:,} times"
            self.unresolved.append(
                UnresolvedStatement(place, beginning or "statement", " ".join(reasons))
            )
