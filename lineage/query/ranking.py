"""Datasets by their importance: the share of all lineage that depends on them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from lineage.database.statements import StatementFile
from lineage.errors import UsageError
from lineage.extras import install_hint
from lineage.query.arguments import need_in_range
from lineage.query.dataset_pairs import read_pairs
from lineage.query.display import Tabular
from lineage.query.graph_structure import GraphStructure
from lineage.query.records import Dataset

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lineage.query.session import Session

# The facet of a dataset with its stored rank.
RANK_FACET = "lineage_rank"
# PageRank: the probability of following an edge, the allowed error, the digits after the point, and
# the number of rounds.
_DAMPING = 0.85
_TOLERANCE = 1e-10
_DIGITS = 12
_ROUNDS = 500

_NAMES = "SELECT id, namespace, name FROM lineage.dataset WHERE id = ANY (%s)"
_STORED = """
SELECT n.canonical, lineage.merged_facets(n.facets) #> ARRAY[%(facet)s, '1'] AS body
FROM lineage.dataset n WHERE n.canonical = ANY (%(ids)s) AND n.facets ? %(facet)s
GROUP BY n.canonical
"""


class RankFacetRow(NamedTuple):
    """A dataset, the time of its first event, and revision and body of its facet, if it has one."""

    id: int
    namespace: str
    name: str
    first_seen: str
    revision: str | None
    body: Any


_SQL = StatementFile(__file__)
_SELECT_RANK_FACETS = _SQL.statement("select_rank_facets", RankFacetRow)


@dataclass(frozen=True, slots=True)
class RankedDataset:
    """A dataset with its rank, a share of 1, and the number of datasets downstream of it.

    ``position``: 1 for the highest rank.
    """

    dataset: Dataset
    rank: float
    dependents: int
    position: int


class StoredRank(msgspec.Struct, frozen=True):
    """The rank of a dataset when ranks were last stored, the time of whose newest event is as_of.

    ``position``: 1 for the highest rank of ``total`` datasets.
    """

    rank: float
    position: int
    total: int
    dependents: int
    as_of: str


@dataclass(frozen=True, slots=True)
class DatasetRanking(Tabular):
    """Datasets by rank, and the shape of the whole graph.

    ``total``: the number of datasets that have an edge. ``components``: the number of parts that no
    edge joins. ``longest_chain``: the number of edges of the longest path; a cycle counts as one
    dataset. ``omitted``: the number of datasets beyond the limit.
    """

    datasets: tuple[RankedDataset, ...]
    total: int
    components: int
    longest_chain: int
    omitted: int

    def limit_to(self, limit: int | None) -> DatasetRanking:
        """Return the ranking with at most ``limit`` datasets."""
        first = self.datasets[:limit]
        return replace(self, datasets=first, omitted=self.total - len(first))


def rank_datasets(
    session: Session, limit: int | None = None, *, observed: bool = False
) -> DatasetRanking:
    """Rank datasets by PageRank: a dataset passes its rank to the datasets that feed it.

    The ranks of all datasets add up to 1. ``observed``: only edges of runs, not declared ones.
    Raises UsageError if rustworkx is missing.
    """
    need_in_range(limit=limit)
    with session.snapshot():
        every = read_pairs(session, observed=observed)
        pairs = [(source, target) for source, target in every if source != target]
        ranks = compute_ranks(pairs)
        first = _select_first(ranks, limit)
        names = {
            id: Dataset(id, namespace, name)
            for id, namespace, name in session.fetch_rows(_NAMES, (first,))
        }
    first.sort(key=lambda id: (-ranks[id], names[id].namespace, names[id].name))
    best = first[:limit]
    structure = GraphStructure(pairs)
    dependents = structure.count_reachable(best)
    return DatasetRanking(
        tuple(
            RankedDataset(names[id], ranks[id], dependents[id], position)
            for position, id in enumerate(best, 1)
        ),
        total=len(ranks),
        components=len(structure.component_sizes()),
        longest_chain=structure.longest_chain(),
        omitted=len(ranks) - len(best),
    )


def _select_first(ranks: Mapping[int, float], limit: int | None) -> list[int]:
    """Return the ids with the highest ranks, also all that are as high as the last of them."""
    highest = sorted(ranks.values(), reverse=True)
    least = highest[limit - 1] if limit and limit < len(highest) else 0
    return [id for id, rank in ranks.items() if rank >= least]


def read_stored_ranks(session: Session, ids: Sequence[int]) -> dict[int, StoredRank]:
    """Return the ranks that are stored for datasets, by id; see ``lineage.stored_ranks``."""
    rows = session.fetch_rows(_STORED, {"facet": RANK_FACET, "ids": list(ids)})
    return {id: rank for id, body in rows if (rank := stored_rank(body))}


def read_rank_facets(session: Session, ids: Sequence[int]) -> list[RankFacetRow]:
    """Return the rank facets of datasets by id, and those of all other datasets that have one."""
    return session.fetch(_SELECT_RANK_FACETS, ids=ids)


def stored_rank(body: Any) -> StoredRank | None:
    """Return the rank in the body of a facet; None if it has none, or was withdrawn."""
    try:
        return msgspec.convert(body, StoredRank)
    except msgspec.ValidationError:
        return None


def compute_ranks(pairs: Sequence[tuple[Any, ...]]) -> Mapping[int, float]:
    """Return the rank of each id in pairs of source and target."""
    try:
        import rustworkx
    except ImportError as exc:
        raise UsageError("Ranks need rustworkx.", install_hint("rustworkx")) from exc
    numbers = {id: n for n, id in enumerate(sorted({id for pair in pairs for id in pair}))}
    graph = rustworkx.PyDiGraph(multigraph=False)
    graph.add_nodes_from(list(numbers))
    # From target to source: rank flows upstream.
    graph.add_edges_from_no_data([(numbers[target], numbers[source]) for source, target in pairs])
    if not numbers:
        return {}
    ranks = rustworkx.pagerank(graph, alpha=_DAMPING, tol=_TOLERANCE, max_iter=_ROUNDS)
    # The last digits depend on the order in which the datasets were stored.
    return {id: round(ranks[n], _DIGITS) for id, n in numbers.items()}
