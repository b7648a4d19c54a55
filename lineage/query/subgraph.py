"""The subgraph of some datasets: the edges between them, and between the columns of some."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from lineage.database.statements import StatementFile
from lineage.query.edges import by_name, read_edges_between
from lineage.query.edges_as_of import read_edges_between_as_of
from lineage.query.filters import Filters
from lineage.query.names import match_datasets
from lineage.query.neighbours import filter_parameters, read_nodes
from lineage.query.records import Column, ColumnEdge, job_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lineage.query.neighbours import GraphNode
    from lineage.query.records import Dataset, Edge
    from lineage.query.session import Session


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


_SQL = StatementFile(__file__)
_SELECT_COLUMN_EDGES_AS_OF = _SQL.statement(
    "select_induced_column_edges_as_of", InducedColumnEdgeRow
)
_SELECT_COLUMN_EDGES = _SQL.statement("select_induced_column_edges", InducedColumnEdgeRow)


@dataclass(frozen=True, slots=True)
class Subgraph:
    """The induced subgraph of datasets.

    ``nodes``: in the order of their names in the query, each once. ``edges``: all edges between
    them. ``column_edges``: all edges between columns of the datasets whose columns were requested;
    ``omitted`` has the number of those over the limit. ``missing``: names that match no dataset.
    """

    nodes: tuple[GraphNode, ...]
    edges: tuple[Edge, ...]
    column_edges: tuple[ColumnEdge, ...]
    missing: tuple[str, ...]
    omitted: Mapping[str, int]


def find_subgraph(
    session: Session,
    names: Sequence[str],
    columns_of: Sequence[str] = (),
    *,
    observed: bool = False,
    limit: int | None = None,
    time: str | None = None,
) -> Subgraph:
    """Find the edges between some datasets, and between the columns of the datasets ``columns_of``.

    Names are full names, aliases or endings of these. ``observed``: omit edges that only a design
    reports. ``limit``: maximum number of edges between columns. ``time``: return the edges that
    existed then. Raises Ambiguous if a name matches several datasets; names that match none are
    returned.
    """
    with session.snapshot():
        datasets, missing = match_datasets(session, names)
        opened, _ = match_datasets(session, columns_of)
        opened = {id: dataset for id, dataset in opened.items() if id in datasets}
        params = filter_parameters(session, Filters(observed=observed), time)
        nodes = read_nodes(session, datasets, params)
        ids = list(datasets)
        of_columns = {"ids": list(opened), "observed": observed, "limit": limit}
        if time is None:
            edges = read_edges_between(session, ids, ids, observed=observed)
            column_rows = session.fetch(_SELECT_COLUMN_EDGES, **of_columns)
        else:
            as_of = params["time"]
            edges = read_edges_between_as_of(session, ids, as_of, observed=observed)
            column_rows = session.fetch(_SELECT_COLUMN_EDGES_AS_OF, **of_columns, time=as_of)
    more = column_rows[0].total - len(column_rows) if column_rows else 0
    return Subgraph(
        tuple(nodes[id] for id in datasets),
        tuple(sorted(edges, key=by_name)),
        tuple(_read_column_edges(opened, column_rows)),
        missing,
        {"column_edges": more} if more else {},
    )


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
        )
