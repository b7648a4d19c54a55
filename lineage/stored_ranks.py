"""Ranks of datasets, stored as events: the dataset facet ``lineage_rank``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from lineage.database.errors import translate_errors
from lineage.events.static_times import next_static_time
from lineage.ingest.writer import write_events
from lineage.openlineage.written_events import build_event, complete_facets
from lineage.query.ranking import RANK_FACET, rank_datasets, read_rank_facets
from lineage.query.session import Session

if TYPE_CHECKING:
    import psycopg

    from lineage.query.ranking import DatasetRanking, RankFacetRow

# Digits of a stored rank, so that an unchanged graph gives an unchanged facet.
_DIGITS = 6

_LATEST = "SELECT lineage.iso8601(lineage.latest_event_time())"


@dataclass(frozen=True, slots=True)
class StoredRanks:
    """The ranking, and the numbers of datasets whose rank was stored and withdrawn."""

    ranking: DatasetRanking
    stored: int
    withdrawn: int


def store_ranks(conn: psycopg.Connection[Any], *, observed: bool = False) -> StoredRanks:
    """Rank all datasets, and write the rank of each as an event of the dataset.

    A rank that has not changed is not written again. The rank of a dataset that has no edge any
    more is withdrawn. Raises UsageError if rustworkx is missing.
    """
    session = Session.over(conn)
    ranking = rank_datasets(session, observed=observed)
    facets = _build_facets(ranking, session.fetch_rows(_LATEST)[0][0])
    previous = read_rank_facets(session, list(facets))
    stored = [
        _build_event(row, facets[row.id])
        for row in previous
        if row.id in facets and _without_time(row.body) != _without_time(facets[row.id])
    ]
    withdrawn = [
        _build_event(row, {"_deleted": True})
        for row in previous
        if row.id not in facets and _without_time(row.body)
    ]
    with translate_errors():
        write_events(conn, [*stored, *withdrawn])
    return StoredRanks(ranking, len(stored), len(withdrawn))


def _build_facets(ranking: DatasetRanking, as_of: str) -> dict[int, dict[str, Any]]:
    return {
        each.dataset.id: {
            "rank": float(f"{each.rank:.{_DIGITS}g}"),
            "position": each.position,
            "total": ranking.total,
            "dependents": each.dependents,
            "as_of": as_of,
        }
        for each in ranking.datasets
    }


def _without_time(facet: Any) -> dict[str, Any] | None:
    """Return the values of a facet that are compared with those of the previous one."""
    if not isinstance(facet, dict):
        return None
    return {name: value for name, value in facet.items() if name[0] != "_" and name != "as_of"}


def _build_event(row: RankFacetRow, values: dict[str, Any]) -> bytes:
    """Return the event that reports the rank of a dataset."""
    facets = complete_facets({RANK_FACET: values}, "dataset")
    dataset = {"namespace": row.namespace, "name": row.name, "facets": facets}
    time = next_static_time(row.first_seen, row.revision)
    return msgspec.json.encode(build_event("DatasetEvent", time, dataset=dataset))
