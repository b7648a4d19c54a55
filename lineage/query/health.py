"""What a graph is like as a whole: what nobody uses, what goes round, how much there is of what."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from lineage.database.errors import translate_errors
from lineage.database.statements import StatementFile
from lineage.query.edges import EdgeRow, by_name, read_edges
from lineage.query.graph_structure import GraphStructure
from lineage.query.portable import Tabular
from lineage.query.records import Dataset, Edge, Job

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lineage.query.session import Session

Kind: TypeAlias = Literal["unused", "external source", "unreferenced", "job"]
KINDS: tuple[Kind, ...] = ("unused", "external source", "unreferenced", "job")

_ORPHANS = """
SELECT kind, id, namespace, name, lineage.iso8601(last_seen) FROM lineage.orphans()
"""

_PAIRS = "SELECT DISTINCT source, target FROM lineage.feeds ORDER BY source, target"
_PAIRS_DECLARED = """
SELECT source, target FROM lineage.feeds UNION SELECT source, target FROM lineage.declared
ORDER BY source, target
"""

_COUNTS = "SELECT label, entities, edge FROM lineage.label_counts()"
_STATES = "SELECT r.state, count(*) FROM lineage.run r GROUP BY r.state ORDER BY 2 DESC, 1"
_SIZES = "SELECT part, bytes FROM lineage.storage_sizes()"
_LOG = """
SELECT (SELECT count(*) FROM lineage.event), lineage.iso8601(lineage.latest_event_time()),
       lineage.iso8601(lineage.latest_event_time() - make_interval(days => %s))
"""


class LeastRow(NamedTuple):
    """A part, and the least name of its datasets."""

    part: int
    name: str


class SourceRow(NamedTuple):
    """A source, and how many runs read it."""

    id: int
    namespace: str
    name: str
    reads: int


_SQL = StatementFile(__file__)
_SELECT_LEAST = _SQL.statement("select_least_names", LeastRow)
_SELECT_EDGES = _SQL.tuples("select_edges_from", EdgeRow)
_SELECT_SOURCES = _SQL.statement("select_sources", SourceRow)


@dataclass(frozen=True, slots=True)
class Orphan:
    """A dataset or a job at an end of everything, and when an event last named it.

    ``unused``: a dataset that a run wrote which did not fail, and nothing comes of it; that the job
    which writes it reads it, as MERGE does, is no use. ``external source``: one that was read, and
    no run that did not fail wrote it. ``unreferenced``: neither; events only name it, or runs that
    were to write it failed. ``job``: none of its runs that did not fail wrote, nor what they
    started.
    """

    kind: Kind
    entity: Dataset | Job
    last_seen: str | None


@dataclass(frozen=True, slots=True, repr=False)
class Orphans(Tabular):
    """The orphans of each kind, those named last first; ``counts`` is how many there are in all."""

    orphans: tuple[Orphan, ...]
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Cycle:
    """Datasets of which each feeds each other, by name; one alone feeds itself.

    ``path`` is a shortest way from the first of them back to it: the datasets that it passes.
    """

    datasets: tuple[Dataset, ...]
    edges: tuple[Edge, ...]
    path: tuple[Dataset, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Cycles(Tabular):
    """The largest first, of ``total``: ``cycles``, and datasets on none that feed themselves.

    ``self_loops`` counts all datasets that feed themselves.
    """

    components: tuple[Cycle, ...]
    total: int
    cycles: int
    self_loops: int


@dataclass(frozen=True, slots=True)
class Source:
    """A source, how many datasets were made from it, and how many runs read it in the window."""

    dataset: Dataset
    downstream: int
    reads: int


@dataclass(frozen=True, slots=True, repr=False)
class Stats(Tabular):
    """How much there is. Sizes are in bytes.

    ``runs`` counts by state, "unknown" where none was told. ``components`` is of how many parts of
    two datasets or more FEEDS makes, that have no edge between them; ``largest_component`` is the
    datasets of the largest, ``isolated`` the datasets in none. Reads are counted from ``since``,
    that is ``window_days`` before the newest event, to ``until``.
    """

    vertices: Mapping[str, int]
    edges: Mapping[str, int]
    runs: Mapping[str, int]
    events: int
    sizes: Mapping[str, int]
    components: int
    largest_component: int
    isolated: int
    window_days: int
    since: str | None
    until: str | None
    sources: int
    most_downstream: tuple[Source, ...]
    most_read: tuple[Source, ...]


def find_orphans(session: Session, limit: int | None = None) -> Orphans:
    """Return what nobody reads or writes, so many of each kind."""
    by_kind: dict[Kind, list[Orphan]] = {kind: [] for kind in KINDS}
    for kind, id, namespace, name, last_seen in session.fetch_rows(_ORPHANS, ()):
        entity = (Job if kind == "job" else Dataset)(id, namespace, name)
        by_kind[kind].append(Orphan(kind, entity, last_seen))
    listed = [each for of_kind in by_kind.values() for each in of_kind[:limit]]
    return Orphans(tuple(listed), {kind: len(of_kind) for kind, of_kind in by_kind.items()})


def find_cycles(session: Session, limit: int | None = None, *, observed: bool = False) -> Cycles:
    """Return which datasets feed each other in a circle, and which feed themselves.

    With ``observed`` by runs alone, else also by what designs state.
    """
    with session.snapshot():
        shape = _read_shape(session, _PAIRS if observed else _PAIRS_DECLARED)
        cycles, loops = shape.cycle_components(), set(shape.self_loops)
        parts = [*cycles, *([id] for id in loops.difference(*cycles))]
        least = {row.part: row.name for row in session.fetch(_SELECT_LEAST, **_number_parts(parts))}
        order = sorted(range(len(parts)), key=lambda n: (-len(parts[n]), least[n]))
        listed = [parts[number] for number in order[:limit]]
        described = _read_cycles(session, listed, observed)
    return Cycles(tuple(described), len(parts), len(cycles), len(loops))


def collect_stats(session: Session, window_days: int = 30, limit: int = 10) -> Stats:
    """Return how much there is of everything, and the most used sources."""
    with session.snapshot():
        counts = session.fetch_rows(_COUNTS, ())
        [(events, until, since)] = session.fetch_rows(_LOG, (window_days,))
        shape = _read_shape(session)
        sources = session.fetch(_SELECT_SOURCES, since=since or "-infinity")
        vertices = {label: number for label, number, edge in counts if not edge}
        states = {state or "unknown": number for state, number in session.fetch_rows(_STATES, ())}
        sizes = dict(session.fetch_rows(_SIZES, ()))
    reach = shape.count_reachable(row.id for row in sources)
    used = [
        Source(Dataset(row.id, row.namespace, row.name), reach[row.id], row.reads)
        for row in sources
    ]
    parts = [size for size in shape.component_sizes() if size > 1]
    return Stats(
        vertices=vertices,
        edges={label: number for label, number, edge in counts if edge},
        runs=states,
        events=events,
        sizes=sizes,
        components=len(parts),
        largest_component=max(parts, default=0),
        isolated=vertices["Dataset"] - sum(parts),
        window_days=window_days,
        since=since,
        until=until,
        sources=len(used),
        most_downstream=_most_used(used, lambda each: (each.downstream, each.reads), limit),
        most_read=_most_used(used, lambda each: (each.reads, each.downstream), limit),
    )


def _read_cycles(session: Session, parts: Sequence[Sequence[int]], observed: bool) -> list[Cycle]:
    """Return the cycle of each part."""
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


def _read_shape(session: Session, pairs: str = _PAIRS) -> GraphStructure:
    """Return the shape of what is fed, read once."""
    with translate_errors(), session.connection.cursor("feeds") as cursor:
        cursor.itersize = 10_000
        return GraphStructure(cursor.execute(pairs))


def _number_parts(parts: Sequence[Sequence[int]]) -> dict[str, list[int]]:
    """Return the nodes of all parts, and beside each the number of its part."""
    pairs = [(id, number) for number, part in enumerate(parts) for id in part]
    return {"ids": [id for id, _ in pairs], "parts": [number for _, number in pairs]}


def _shortest_cycle(edges: Sequence[Edge]) -> tuple[Dataset, ...]:
    """Return a shortest way from the first source back to it, breadth first.

    That a dataset feeds itself is no way round several.
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


def _most_used(
    sources: Sequence[Source], key: Callable[[Source], tuple[int, int]], limit: int
) -> tuple[Source, ...]:
    """Return the first ones by ``key``, without those of which it is nothing."""
    used = sorted(sources, key=key, reverse=True)
    return tuple(each for each in used[:limit] if key(each)[0])
