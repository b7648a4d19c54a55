"""The 22 queries of TPC-H, with their expected lineage by the semantics of SQL.

Each query is a file beside this module, followed by its expected lineage in comments. ``reads`` are
the tables, ``name <- ...`` the sources of a column, and ``rows <- ...`` those of the rows, in the
notation of ``support.cases.columns``. Columns have no table: their prefix identifies it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from support.cases.columns import Edge, edges
from support.cases.tpch.tables import SCHEMAS
from support.spark.value_variations import names

if TYPE_CHECKING:
    from collections.abc import Iterable

PLACE = Path(__file__).parent
TABLE_OF = {name: table for table, schema in SCHEMAS.items() for name in names(schema)}


@dataclass(frozen=True)
class Query:
    """A query with its lineage; ``before`` are the statements to run first."""

    name: str
    before: tuple[str, ...]
    text: str
    reads: frozenset[str]
    columns: dict[str, set[Edge]]
    rows: set[Edge]

    @property
    def tables(self) -> frozenset[str]:
        """Return the tables that the query reads, without views."""
        return self.reads & SCHEMAS.keys()


def _read(path: Path) -> Query:
    text, _, expected = path.read_text().partition("\n-- reads ")
    *before, query = [part.strip() for part in text.strip().removesuffix(";").split(";")]
    reads, *lines = expected.splitlines()
    found: dict[str, set[Edge]] = defaultdict(set)
    for line in lines:
        name, _, made_of = line.removeprefix("-- ").partition(" <- ")
        found[name] |= {(f"{TABLE_OF[col]}.{col}", *how) for col, *how in edges(made_of)}
    rows = found.pop("rows")
    return Query(path.stem, tuple(before), query, frozenset(reads.split(", ")), dict(found), rows)


def queries() -> Iterable[Query]:
    return [_read(path) for path in sorted(PLACE.glob("*.sql"))]


QUERIES = queries()
