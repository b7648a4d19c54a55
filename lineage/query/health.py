"""Orphans and cycles of the whole graph."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from lineage.database.statements import StatementFile
from lineage.garbage import pause_collection
from lineage.query.arguments import need_in_range
from lineage.query.dataset_pairs import read_pairs
from lineage.query.display import Tabular
from lineage.query.edges import EdgeRow, by_name, read_edges
from lineage.query.graph_structure import GraphStructure
from lineage.query.records import Dataset, Edge, Job

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lineage.query.session import Session

Kind: TypeAlias = Literal["unused", "external source", "unreferenced", "job"]
KINDS: tuple[Kind, ...] = ("unused", "external source", "unreferenced", "job")


class OrphanRow(NamedTuple):
    """An orphan, if there is any of the kind, and the number of all orphans of the kind."""

    kind: Kind
    number: int
    entity: list[Any] | None
    last_seen: str | None


class LeastRow(NamedTuple):
    """A component, and the first of its dataset names in sort order."""

    part: int
    name: str


_SQL = StatementFile(__file__)
_SELECT_ORPHANS = _SQL.statement("select_orphans", OrphanRow)
_SELECT_LEAST = _SQL.statement("select_least_names", LeastRow)
_SELECT_EDGES = _SQL.tuples("select_edges_from", EdgeRow)


@dataclass(frozen=True, slots=True)
class Orphan:
    """A dataset or job without use, source or output. ``last_seen``: latest event naming it.

    Runs that failed do not count as writing. Kinds: ``unused``: a dataset that was written and not
    used; a read by the job that writes it, as by MERGE, does not count as use. ``external source``:
    a dataset that was read and not written. ``unreferenced``: a dataset neither read nor written;
    events only name it, or the runs that were to write it failed. ``job``: a job whose runs, and
    their child runs, never wrote.
    """

    kind: Kind
    entity: Dataset | Job
    last_seen: str | None


@dataclass(frozen=True, slots=True, repr=False)
class Orphans(Tabular):
    """The orphans of each kind, last seen first. ``counts``: total number of each kind."""

    orphans: tuple[Orphan, ...]
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Cycle:
    """A strongly connected component of datasets, sorted by name, or one that feeds itself.

    ``path``: datasets of a shortest cycle through the first of them, which begins and ends it.
    """

    datasets: tuple[Dataset, ...]
    edges: tuple[Edge, ...]
    path: tuple[Dataset, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Cycles(Tabular):
    """Cycles of the graph, the largest first.

    ``total``: number of components before the limit. ``cycles``: number of those with at least two
    datasets; each of the others is one dataset that feeds itself. ``self_loops``: number of
    datasets that feed themselves, also those in a larger cycle.
    """

    components: tuple[Cycle, ...]
    total: int
    cycles: int
    self_loops: int


def find_orphans(session: Session, limit: int | None = None) -> Orphans:
    """Find orphans. ``limit``: maximum number of each kind."""
    rows = session.fetch(_SELECT_ORPHANS, kinds=list(KINDS), limit=limit)
    orphans = [
        Orphan(kind, (Job if kind == "job" else Dataset)(*entity), last_seen)
        for kind, _, entity, last_seen in rows
        if entity
    ]
    return Orphans(tuple(orphans), {kind: number for kind, number, _, _ in rows})


@pause_collection()
def find_cycles(session: Session, limit: int | None = None, *, observed: bool = False) -> Cycles:
    """Find the cycles of datasets, and the datasets that feed themselves.

    ``observed``: ignore edges that only a design reports. ``limit``: maximum number of cycles.
    """
    need_in_range(limit=limit)
    with session.snapshot():
        pairs = read_pairs(session, observed=observed)
        # A dataset that has no source, or that feeds none, is in no cycle.
        sources, targets = ({pair[side] for pair in pairs} for side in (0, 1))
        inner = (pair for pair in pairs if pair[0] in targets and pair[1] in sources)
        shape = GraphStructure(inner)
        cycles, loops = shape.cycle_components(), set(shape.self_loops)
        parts = [*cycles, *([id] for id in loops.difference(*cycles))]
        least = {row.part: row.name for row in session.fetch(_SELECT_LEAST, **_number_parts(parts))}
        order = sorted(range(len(parts)), key=lambda n: (-len(parts[n]), least[n]))
        listed = [parts[number] for number in order[:limit]]
        described = _read_cycles(session, listed, observed)
    return Cycles(tuple(described), len(parts), len(cycles), len(loops))


def _read_cycles(session: Session, parts: Sequence[Sequence[int]], observed: bool) -> list[Cycle]:
    """Build the cycle of each component."""
    part_of = {id: number for number, part in enumerate(parts) for id in part}
    rows = session.fetch(_SELECT_EDGES, ids=list(part_of), observed=observed)
    fed = [
        (source, target, *rest)
        for source, target, *rest in rows
        if part_of[source] == part_of.get(target)
    ]
    edges: list[list[Edge]] = [[] for _ in parts]
    for edge in sorted(read_edges(session, fed), key=by_name):
        edges[part_of[edge.source.id]].append(edge)
    return [
        Cycle(
            tuple(dict.fromkeys(edge.source for edge in each)), tuple(each), _shortest_cycle(each)
        )
        for each in edges
    ]


def _number_parts(parts: Sequence[Sequence[int]]) -> dict[str, list[int]]:
    """Return the ids of all components, and the number of the component of each id."""
    pairs = [(id, number) for number, part in enumerate(parts) for id in part]
    return {"ids": [id for id, _ in pairs], "parts": [number for _, number in pairs]}


def _shortest_cycle(edges: Sequence[Edge]) -> tuple[Dataset, ...]:
    """Find a shortest path from the first source back to it, breadth first.

    Self-loops are ignored unless the component is a single dataset.
    """
    targets: dict[Dataset, list[Dataset]] = defaultdict(list)
    start = edges[0].source
    is_loop = all(edge.source == start for edge in edges)
    for edge in edges:
        if is_loop or edge.source != edge.target:
            targets[edge.source].append(edge.target)
    came: dict[Dataset, Dataset] = {}
    level = [start]
    while start not in came:
        level = [
            target
            for source in level
            for target in targets[source]
            if came.setdefault(target, source) == source
        ]
    way = [start]
    while (before := came[way[-1]]) != start:
        way.append(before)
    return (start, *reversed(way[1:]), start) if len(way) > 1 else (start, start)
