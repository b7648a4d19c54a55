"""The subgraph of some datasets: the edges between them, and between the columns of some."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from lineage.database.statements import StatementFile
from lineage.query.edges import by_name, read_edges_between
from lineage.query.edges_as_of import read_edges_between_as_of
from lineage.query.filters import ALL
from lineage.query.names import match_datasets
from lineage.query.neighbours import filter_parameters, read_nodes
from lineage.query.records import Column, ColumnEdge, job_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from lineage.query.filters import Filters
    from lineage.query.neighbours import GraphNode
    from lineage.query.records import Dataset, Edge
    from lineage.query.session import Session
    from lineage.query.time_arguments import TimeArgument


class InducedColumnEdgeRow(NamedTuple):
    """An edge, and how many there are. A target without a name is a whole dataset."""

    total: int
    source: int
    source_dataset: int
    source_name: str
    target: int
    target_dataset: int
    target_name: str | None
    job: int | None
    job_namespace: str | None
    job_name: str | None
    type: str
    subtype: str | None
    masking: bool
    runs: int | None
    first_seen: str
    last_seen: str | None
    declared: bool
    stale: bool | None


class JobIdRow(NamedTuple):
    """The id of a job."""

    id: int


_SQL = StatementFile(__file__)
_SELECT_JOBS = _SQL.statement("select_jobs_of_types", JobIdRow)
_SELECT_COLUMN_EDGES_AS_OF = _SQL.statement(
    "select_induced_column_edges_as_of", InducedColumnEdgeRow
)
_SELECT_COLUMN_EDGES = _SQL.statement("select_induced_column_edges", InducedColumnEdgeRow)


@dataclass(frozen=True, slots=True)
class Subgraph:
    """The induced subgraph of datasets.

    ``nodes``: in the order of their names in the query, each once. ``edges``: all edges between
    them, sorted by names. ``column_edges``: all edges between columns of the datasets whose columns
    were requested, sorted by names; ``omitted`` has the number of those over the limit.
    ``missing``: names that match no dataset, and full names that several datasets have.
    ``full_names``: the full names of the datasets whose names in the query are aliases or endings,
    by these.
    """

    nodes: tuple[GraphNode, ...]
    edges: tuple[Edge, ...]
    column_edges: tuple[ColumnEdge, ...]
    missing: tuple[str, ...]
    full_names: Mapping[str, str]
    omitted: Mapping[str, int]


def find_subgraph(
    session: Session,
    names: Sequence[str],
    columns_of: Sequence[str] = (),
    filters: Filters = ALL,
    *,
    time: TimeArgument | None = None,
) -> Subgraph:
    """Find the edges between some datasets, and between the columns of the datasets ``columns_of``.

    Names are full names, aliases or endings of these. Filters of edges (``jobs``, ``types``,
    ``since``, ``stale``) apply to the edges between datasets, and all filters to the numbers of
    neighbours; ``filters.limit`` is the maximum number of edges between columns. ``time``: return
    the edges that existed then. Raises Ambiguous if a name other than a full name matches several
    datasets. Raises UsageError as ``find_neighbours``, and NotFound if a job of ``filters`` does
    not exist.
    """
    with session.snapshot():
        datasets, missing, full_names = match_datasets(session, names)
        opened = match_datasets(session, columns_of).datasets
        opened = {id: dataset for id, dataset in opened.items() if id in datasets}
        params = filter_parameters(session, filters, time)
        nodes = read_nodes(session, datasets, params)
        ids = list(datasets)
        of_columns = {
            "ids": list(opened), "observed": filters.observed, "limit": filters.limit,
        }  # fmt: skip
        of_designs: dict[str, Any] = {key: params[key] for key in ("observed", "min_confidence")}
        if time is None:
            edges = read_edges_between(session, ids, ids, **of_designs)
            column_rows = session.fetch(_SELECT_COLUMN_EDGES, **of_columns)
        else:
            as_of = params["time"]
            edges = read_edges_between_as_of(session, ids, as_of, **of_designs)
            column_rows = session.fetch(_SELECT_COLUMN_EDGES_AS_OF, **of_columns, time=as_of)
        edges = _select_matching(session, edges, filters, params)
    more = column_rows[0].total - len(column_rows) if column_rows else 0
    return Subgraph(
        tuple(nodes[id] for id in datasets),
        tuple(sorted(edges, key=by_name)),
        tuple(_read_column_edges(opened, column_rows)),
        missing,
        full_names,
        {"column_edges": more} if more else {},
    )


def _select_matching(
    session: Session, edges: Sequence[Edge], filters: Filters, params: Mapping[str, Any]
) -> list[Edge]:
    """Return the edges that match the filters of edges, as lineage.adjacent_edges() does."""
    matching = [edge for edge in edges if filters.stale or not edge.stale]
    if filters.since:
        matching = [edge for edge in matching if edge.last_seen >= params["since"]]
    if filters.jobs or filters.types:
        jobs = {edge.job.id for edge in matching if edge.job}
        rows = session.fetch(
            _SELECT_JOBS, ids=list(jobs), jobs=params["jobs"], types=params["types"]
        )
        ids = {row.id for row in rows}
        matching = [edge for edge in matching if edge.job and edge.job.id in ids]
    return matching


def _read_column_edges(
    datasets: Mapping[int, Dataset], rows: Iterable[InducedColumnEdgeRow]
) -> Iterable[ColumnEdge]:
    for row in rows:
        yield ColumnEdge(
            Column(row.source, datasets[row.source_dataset], row.source_name),
            Column(row.target, datasets[row.target_dataset], row.target_name),
            job_of(row.job, row.job_namespace, row.job_name),
            1,
            row.type,
            row.subtype,
            row.masking,
            row.runs,
            row.first_seen,
            row.last_seen,
            row.declared,
            row.stale,
        )
