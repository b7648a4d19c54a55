"""Neighbours of a dataset: the datasets one edge away, with the numbers of their own neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

from lineage.database.statements import StatementFile
from lineage.errors import UsageError
from lineage.query.archive import need_time_in_graph
from lineage.query.arguments import need_direction
from lineage.query.edges import EdgeRow, by_name, read_edges
from lineage.query.edges_as_of import read_edges_as_of
from lineage.query.filters import ALL
from lineage.query.names import resolve_dataset, resolve_job
from lineage.query.records import Dataset
from lineage.query.time_arguments import time_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lineage.query.filters import Filters
    from lineage.query.records import Direction, Edge
    from lineage.query.session import Session
    from lineage.query.time_arguments import TimeArgument


class NeighbourRow(NamedTuple):
    """The id of a neighbour, and how many neighbours match."""

    id: int
    total: int


class GraphNodeRow(NamedTuple):
    """A dataset, the numbers of its neighbours and columns, and its latest write."""

    id: int
    namespace: str
    name: str
    first_seen: str | None
    upstream: int
    downstream: int
    columns: int | None
    state: str | None
    time: str | None
    rows: int | None
    tags: list[str] | None


_SQL = StatementFile(__file__)
_SELECT_NEIGHBOURS = _SQL.statement("select_neighbours", NeighbourRow)
_SELECT_EDGES = _SQL.statement("select_edges_at", EdgeRow)
_SELECT_NODES = _SQL.statement("select_graph_nodes", GraphNodeRow)
_SELECT_NEIGHBOURS_AS_OF = _SQL.statement("select_neighbours_as_of", NeighbourRow)
_SELECT_EDGES_AS_OF = _SQL.statement("select_edges_at_as_of", EdgeRow)
_SELECT_NODES_AS_OF = _SQL.statement("select_graph_nodes_as_of", GraphNodeRow)


class GraphNode(Struct, frozen=True, gc=False):
    """A dataset of a graph.

    ``first_seen``: time of the first event that names it, also if that is after the time of the
    query; None if no event has a time for it. ``upstream``, ``downstream``: numbers of neighbours
    that match the filters of the query. ``columns``: number of columns of its newest schema, nested
    fields not counted; None as of a time. ``state``, ``written_at``, ``rows``: of the latest run
    that has the dataset as an output, whether or not it succeeded; a change that writes no rows,
    such as ALTER TABLE, does not count. None if there is none, or if it does not report them. If it
    reports ``rows`` of several aliases, the greatest number.
    """

    dataset: Dataset
    first_seen: str | None
    upstream: int
    downstream: int
    columns: int | None
    state: str | None
    written_at: str | None
    rows: int | None
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The neighbours of ``root``.

    ``nodes``: those upstream, then those downstream, in each direction those with the most runs
    first. ``edges``: between them and the root, sorted by names. ``omitted``: for each direction,
    the number of matching neighbours after the last of ``nodes``.
    """

    root: GraphNode
    direction: Direction
    nodes: tuple[GraphNode, ...]
    edges: tuple[Edge, ...]
    omitted: Mapping[str, int]


def find_neighbours(
    session: Session,
    name: str,
    direction: Direction = "both",
    filters: Filters = ALL,
    *,
    text: str = "",
    offset: int = 0,
    time: TimeArgument | None = None,
) -> Neighbours:
    """Find the datasets one edge upstream or downstream of a dataset, or ``both``.

    ``filters.limit`` and ``offset`` apply to each direction. ``text``: only neighbours whose full
    name contains it, ignoring case; it does not change the numbers of neighbours. ``time``: return
    the edges that existed then. Raises UsageError if ``filters.since`` or ``time`` is not a time,
    or if ``time`` occurs with a filter that depends on it; NotFound if the dataset or a job of
    ``filters`` does not exist.
    """
    need_direction(direction, both=True)
    directions = ("upstream", "downstream") if direction == "both" else (direction,)
    with session.snapshot():
        root = resolve_dataset(session, name)
        params = filter_parameters(session, filters, time)
        select_neighbours = _SELECT_NEIGHBOURS if time is None else _SELECT_NEIGHBOURS_AS_OF
        select_edges = _SELECT_EDGES if time is None else _SELECT_EDGES_AS_OF
        page = {"limit": filters.limit, "offset": offset, "text": text}
        ids: list[int] = []
        omitted: dict[str, int] = {}
        rows: list[EdgeRow] = []
        for each in directions:
            at = {"id": root.id, "direction": each, **params}
            neighbours = session.fetch(select_neighbours, **at, **page)
            if neighbours and (more := neighbours[0].total - offset - len(neighbours)):
                omitted[each] = more
            adjacent = [row.id for row in neighbours]
            rows += session.fetch(select_edges, neighbours=adjacent, **at)
            ids += adjacent
        nodes = read_nodes(session, [root.id, *ids], params)
        if time is None:
            edges = read_edges(session, rows)
        else:
            edges = read_edges_as_of(session, rows, params["time"])
    return Neighbours(
        nodes[root.id],
        direction,
        tuple(nodes[id] for id in dict.fromkeys(ids)),
        tuple(sorted(edges, key=by_name)),
        omitted,
    )


def filter_parameters(
    session: Session, filters: Filters, time: TimeArgument | None = None
) -> dict[str, Any]:
    """Return the parameters of lineage.adjacent_edges(), or those as of ``time``, for ``filters``.

    Raises UsageError if a time is invalid or if ``time`` occurs with a filter that depends on it,
    NotFound if a job does not exist.
    """
    if time is not None and (filters.since or not filters.stale):
        raise UsageError(
            "time cannot be combined with since, nor with include_stale=false.",
            "Omit these filters: each edge has last_seen and stale as of that time.",
        )
    if time is not None:
        time = time_of(time)
        need_time_in_graph(session, time)
    at_time: dict[str, Any] = (
        {
            "since": time_of(filters.since) if filters.since else "-infinity",
            "include_stale": filters.stale,
        }
        if time is None
        else {"time": time}
    )
    return {
        "observed": filters.observed,
        "min_confidence": filters.min_confidence,
        "namespaces": list(filters.namespaces),
        "tags": list(filters.tags),
        "jobs": [resolve_job(session, job).id for job in filters.jobs],
        "types": [type.lower() for type in filters.types],
        **at_time,
    }


def read_nodes(
    session: Session, ids: Iterable[int], params: Mapping[str, Any]
) -> dict[int, GraphNode]:
    """Read the nodes of datasets by their vertex ids; ``params`` as of ``filter_parameters``."""
    select_nodes = _SELECT_NODES_AS_OF if "time" in params else _SELECT_NODES
    return {
        row.id: GraphNode(
            Dataset(row.id, row.namespace, row.name),
            row.first_seen,
            row.upstream,
            row.downstream,
            row.columns,
            row.state,
            row.time,
            row.rows,
            tuple(row.tags or ()),
        )
        for row in session.fetch(select_nodes, ids=list(set(ids)), **params)
    }
