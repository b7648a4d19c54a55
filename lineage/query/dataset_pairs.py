"""All pairs of datasets of which one feeds the other, for analyses of the whole graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lineage.database.statements import StatementFile

if TYPE_CHECKING:
    from lineage.query.session import Session


class PairsRow(NamedTuple):
    """The sources and the targets of all pairs; None if there are none."""

    sources: list[int] | None
    targets: list[int] | None


_SQL = StatementFile(__file__)
_SELECT_PAIRS = _SQL.statement("select_pairs", PairsRow, binary=True)


def read_pairs(session: Session, *, observed: bool) -> list[tuple[int, int]]:
    """Return the ids of source and target of each pair, sorted; ``observed``: pairs of runs only.

    A dataset that feeds itself is a pair, too.
    """
    [row] = session.fetch(_SELECT_PAIRS, observed=observed)
    return list(zip(row.sources or (), row.targets or (), strict=True))
