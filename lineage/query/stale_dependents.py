"""Dependents that only stale edges lead to: a change of the root no longer affects them."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from lineage.database.statements import StatementFile
from lineage.query.graph_structure import find_reachable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from lineage.query.impact_scope import ImpactScope
    from lineage.query.records import ColumnTrace, Edge
    from lineage.query.session import Session


class FreshRow(NamedTuple):
    """The id of a dataset."""

    id: int


_SQL = StatementFile(__file__)
_SELECT_FRESH = _SQL.statement("select_fresh_dependents", FreshRow)


def find_stale_datasets(
    session: Session, scope: ImpactScope, ids: Collection[int], edges: Iterable[Edge]
) -> set[int]:
    """Return those of the datasets ``ids`` that each path from the root leads to by a stale edge.

    ``edges``: those between these datasets. They suffice if they lead to all of the datasets.
    Otherwise a path through other datasets can lead there.
    """
    following: dict[int, set[int]] = defaultdict(set)
    for edge in edges:
        if not edge.stale:
            following[edge.source.id].add(edge.target.id)
    fresh = find_reachable([scope.root.id], following)
    stale = set(ids) - fresh
    if not stale:
        return stale
    rows = session.fetch(
        _SELECT_FRESH,
        root=scope.root.id,
        depth=scope.depth,
        observed=scope.observed,
        min_confidence=scope.min_confidence,
        ids=list(stale),
    )
    return stale - {row.id for row in rows}


def find_stale_datasets_of_columns(trace: ColumnTrace) -> set[int]:
    """Return the datasets of which each path from the root leads to all columns by a stale edge.

    An edge follows its source, the whole dataset of the source, and the columns that contain the
    source or are contained in it.
    """
    around = defaultdict(set)
    for pair in trace.nested:
        around[pair.column.id].add(pair.within.id)
        around[pair.within.id].add(pair.column.id)
    following: dict[int, set[int]] = defaultdict(set)
    for edge in trace.edges:
        if not edge.stale:
            source = edge.source
            for near in (source.id, source.dataset.id, *around[source.id]):
                following[near].add(edge.target.id)
    fresh = find_reachable([trace.root.id], following)
    columns = [node.column for node in trace.nodes]
    reached = {column.dataset.id for column in columns if column.id in fresh}
    return {column.dataset.id for column in columns} - reached


def last_times_of_columns(trace: ColumnTrace) -> dict[int, str]:
    """Return the last time of the edges to each dataset that runs reported."""
    last: dict[int, str] = {}
    for edge in trace.edges:
        target = edge.target.dataset.id
        if edge.runs and edge.last_seen:
            last[target] = max(edge.last_seen, last.get(target, ""))
    return last
