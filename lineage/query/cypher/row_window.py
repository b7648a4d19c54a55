"""The window of rows that a raw Cypher query returns; all other rows are only counted."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

ALL = 10**9


@dataclass(slots=True)
class Window:
    """At most ``limit`` rows from ``offset`` on, with at most ``characters`` in total.

    The first row is returned even if it is longer. Without ``limit`` all rows are fetched at once,
    without a cursor. With ``digests`` equal rows count once.
    """

    limit: int | None = None
    offset: int = 0
    characters: int | None = None
    digests: set[bytes] | None = None
    before: int = 0  # rows that were read before the offset
    rows_read: int = 0
    length: int = 0
    omitted: int = 0

    @property
    def remaining_rows(self) -> int:
        """Number of rows still to be fetched."""
        if self.omitted:  # the maximum number of characters is reached
            return 0
        return (
            self.offset - self.before + (ALL if self.limit is None else self.limit) - self.rows_read
        )

    def take_row(self, row: str) -> bool:
        """Count a row; return whether it is in the window."""
        if self.digests is not None:
            digest = hashlib.blake2b(row.encode(), digest_size=16).digest()
            if digest in self.digests:
                return False
            self.digests.add(digest)
        if self.before < self.offset:
            self.before += 1
            return False
        if not self.remaining_rows or self._is_too_long(row):
            self.omitted += 1
            return False
        self.rows_read += 1
        self.length += len(row)
        return True

    def _is_too_long(self, row: str) -> bool:
        if self.characters is None or not self.rows_read:
            return False
        return self.length + len(row) > self.characters
