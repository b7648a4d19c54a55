"""The rows that a row needs, by running the query in SQLite on every subset of its tables.

A set of rows is minimal for a row of the result if the query gives the row on this set, and on no
proper subset of it. The definition knows nothing of operators.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

Row = tuple[Any, ...]
Rows = dict[str, list[Row]]

# All subsets of more rows take too long.
MAX_ROWS = 12


class SmallTables:
    """Tables of few rows, in SQLite; ``columns`` has their names, such as ``{"a": "id, k"}``."""

    def __init__(self, columns: dict[str, str], rows: Rows) -> None:
        assert sum(map(len, rows.values())) <= MAX_ROWS
        self.members = [(table, row) for table in rows for row in rows[table]]
        self._connection = sqlite3.connect(":memory:", check_same_thread=False)
        self._connection.execute("CREATE TABLE chosen (bits INTEGER)")
        self._connection.execute("INSERT INTO chosen VALUES (0)")
        for table, names in columns.items():
            self._connection.execute(f"CREATE TABLE all_{table} ({names}, bit)")
            self._connection.execute(
                f"CREATE VIEW {table} AS SELECT {names} FROM all_{table}, chosen WHERE bits & bit"
            )
        for number, (table, row) in enumerate(self.members):
            marks = ", ".join("?" * (len(row) + 1))
            self._connection.execute(
                f"INSERT INTO all_{table} VALUES ({marks})", (*row, 1 << number)
            )

    def run(self, query: str, bits: int = -1) -> list[Row]:
        """Run a query on the rows whose bits are set."""
        self._connection.execute("UPDATE chosen SET bits = ?", (bits,))
        return self._connection.execute(query).fetchall()

    def minimal_sets(self, query: str) -> dict[Row, list[int]]:
        """Return the minimal sets of each row of the result, as bits."""
        wanted = set(self.run(query))
        minimal: dict[Row, list[int]] = {row: [] for row in wanted}
        for bits in sorted(range(1 << len(self.members)), key=int.bit_count):
            for row in wanted.intersection(self.run(query, bits)):
                if not any(smaller & bits == smaller for smaller in minimal[row]):
                    minimal[row].append(bits)
        return minimal

    def members_of(self, bits: int) -> set[tuple[str, Row]]:
        """Return the tables and rows of a set."""
        return {member for number, member in enumerate(self.members) if bits >> number & 1}

    def bits_of(self, members: Iterable[tuple[str, Row]]) -> int:
        """Return the bits of tables and rows."""
        return sum(1 << self.members.index(member) for member in set(members))
