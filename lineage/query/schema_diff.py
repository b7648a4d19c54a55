"""Compare the columns of two schemas of a dataset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from lineage.database.statements import StatementFile
from lineage.query import logged_facets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.query.session import Session

Change: TypeAlias = Literal["added", "removed", "changed"]


class ColumnRow(NamedTuple):
    """A column that differs between the schemas of a pair."""

    place: int
    name: str
    before: str | None
    after: str | None
    is_new: bool
    is_gone: bool


_SQL = StatementFile(__file__)
_DIFF_SCHEMAS = _SQL.statement("diff_schemas", ColumnRow)


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """A column that was added, removed or changed its type; a type is None if unreported."""

    change: Change
    name: str
    before: str | None
    after: str | None


def diff_schemas(
    session: Session, pairs: Sequence[tuple[Any, Any]]
) -> dict[int, tuple[ColumnChange, ...]]:
    """Compare pairs of schemas; return the changes by the index of the pair, from 1."""
    differ = {at: pair for at, pair in enumerate(pairs, start=1) if pair[0] != pair[1]}
    if not differ:
        return {}
    before, after = (
        [logged_facets.facet_text(pair[side]) for pair in differ.values()] for side in (0, 1)
    )
    changes: dict[int, tuple[ColumnChange, ...]] = {}
    for row in session.fetch(_DIFF_SCHEMAS, places=list(differ), before=before, after=after):
        change: Change = "added" if row.is_new else "removed" if row.is_gone else "changed"
        column = ColumnChange(change, row.name, row.before, row.after)
        changes[row.place] = (*changes.get(row.place, ()), column)
    return changes
