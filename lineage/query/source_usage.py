"""The external sources with the most datasets downstream, and those that the most runs read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from lineage.database.statements import StatementFile
from lineage.query.records import Dataset

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lineage.query.graph_structure import GraphStructure
    from lineage.query.session import Session

# Sources whose reads are counted first; then twice as many, until no other can be listed.
FIRST = 1024


class SourceRow(NamedTuple):
    """An external source, and an upper bound of the number of runs that read it."""

    id: int
    namespace: str
    name: str
    most_reads: int


class ReadCountRow(NamedTuple):
    """A dataset, and the number of runs that read it."""

    id: int
    reads: int


_SQL = StatementFile(__file__)
_SELECT_SOURCES = _SQL.statement("select_sources", SourceRow)
_SELECT_READ_COUNTS = _SQL.statement("select_read_counts", ReadCountRow)


@dataclass(frozen=True, slots=True)
class Source:
    """An external source; number of datasets downstream, and of runs that read it in the window."""

    dataset: Dataset
    downstream: int
    reads: int


class SourceUsage:
    """The external sources with the greatest usage.

    Counting the reads of all sources is slow. They are counted in the order of their upper bounds,
    until no other source can be among the first.
    """

    def __init__(self, session: Session, structure: GraphStructure, since: str) -> None:
        """Read the sources. ``since``: time from which reads are counted."""
        self._session, self._since = session, since
        self.sources = session.fetch(_SELECT_SOURCES, since=since)  # in the order of names
        self._downstream = structure.count_reachable(row.id for row in self.sources)
        self._reads: dict[int, int] = {}

    def most_downstream(self, limit: int | None) -> tuple[Source, ...]:
        """Return the sources with the most datasets downstream; among equals, by reads and name."""
        first = self._list_first(limit, lambda downstream, reads: (-downstream, -reads))
        return tuple(source for source in first if source.downstream)

    def most_read(self, limit: int | None) -> tuple[Source, ...]:
        """Return the sources that the most runs read; among equals, by downstream and name."""
        first = self._list_first(limit, lambda downstream, reads: (-reads, -downstream))
        return tuple(source for source in first if source.reads)

    def _list_first(
        self, limit: int | None, key: Callable[[int, int], tuple[int, int]]
    ) -> list[Source]:
        """Return the first sources by ``key`` of downstream and reads, and then by name."""

        def sort_key(place: int, reads: int) -> tuple[int, int, int]:
            return (*key(self._downstream[self.sources[place].id], reads), place)

        possible = sorted(sort_key(place, row.most_reads) for place, row in enumerate(self.sources))
        limit = len(possible) if limit is None else limit
        first: list[tuple[int, int, int]] = []
        begin, end = 0, max(FIRST, limit)
        while begin < len(possible) and (
            len(first) < limit or (first and possible[begin] < first[-1])
        ):
            places = [place for _, _, place in possible[begin:end]]
            first += map(sort_key, places, self._count_reads(places))
            first = sorted(first)[:limit]
            begin, end = end, 2 * end
        return [self._build_source(place) for _, _, place in first]

    def _count_reads(self, places: Sequence[int]) -> list[int]:
        ids = [self.sources[place].id for place in places]
        if unknown := [id for id in ids if id not in self._reads]:
            self._reads.update(dict.fromkeys(unknown, 0))
            rows = self._session.fetch(_SELECT_READ_COUNTS, ids=unknown, since=self._since)
            self._reads.update({row.id: row.reads for row in rows})
        return [self._reads[id] for id in ids]

    def _build_source(self, place: int) -> Source:
        id, namespace, name, _ = self.sources[place]
        return Source(Dataset(id, namespace, name), self._downstream[id], self._reads[id])
