"""Column lineage: columns upstream and downstream of a column."""

from __future__ import annotations

import difflib
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.statements import StatementFile
from lineage.errors import NotFound
from lineage.query.arguments import need_direction
from lineage.query.names import resolve_dataset
from lineage.query.records import (
    Column,
    ColumnEdge,
    ColumnNode,
    ColumnTrace,
    Dataset,
    Job,
    NestedColumn,
    OneWay,
)
from lineage.query.unreported import read_unreported

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lineage.query.session import Session

_COLUMNS = "SELECT id, name FROM lineage.field WHERE dataset = %s ORDER BY name"


class ColumnEdgeRow(NamedTuple):
    """An edge. ``target`` is the id of the dataset if the target is a whole dataset."""

    total: int
    columns: int
    distance: int
    direct: bool
    source: int
    source_dataset: int
    source_namespace: str
    source_name: str
    source_field: str
    target: int
    target_dataset: int
    target_namespace: str
    target_name: str
    target_field: str | None
    job: int | None
    job_namespace: str | None
    job_name: str | None
    type: str
    subtype: str | None
    masking: bool
    runs: int
    first_seen: str
    last_seen: str
    declared: bool
    stale: bool


class NestedRow(NamedTuple):
    """Ids of a nested column and of a column that contains it."""

    id: int
    other: int


_SQL = StatementFile(__file__)
_SELECT_EDGES = _SQL.tuples("select_column_edges", ColumnEdgeRow)
_SELECT_NESTED = _SQL.statement("select_nested_columns", NestedRow)


def resolve_column(session: Session, name: str, column: str) -> Column:
    """Resolve a column of the dataset ``name``; ``column`` is the path of a nested one."""
    dataset = resolve_dataset(session, name)
    known = session.fetch_rows(_COLUMNS, (dataset.id,))
    return _match_column(dataset, column, known)


def trace_columns(
    session: Session,
    name: str,
    column: str,
    direction: OneWay = "upstream",
    depth: int | None = None,
    *,
    direct_only: bool = False,
    observed: bool = False,
    limit: int | None = None,
) -> ColumnTrace:
    """Return the columns upstream or downstream of a column, up to ``depth`` edges away.

    ``direct_only``: do not follow edges that only filter, join, group or sort. ``observed``: ignore
    edges that only a design reports. ``limit``: maximum number of edges, nearest first, and of
    steps without reported columns.
    """
    trace = trace_reported_columns(
        session, name, column, direction, depth,
        direct_only=direct_only, observed=observed, limit=limit,
    )  # fmt: skip
    near = [id for id, distance in dataset_distances(trace).items() if distance != depth]
    steps = read_unreported(session, near, direction, observed=observed)
    omitted = dict(trace.omitted)
    if limit is not None and len(steps) > limit:
        omitted["unreported"] = len(steps) - limit
    return replace(trace, unreported=steps[:limit], omitted=omitted)


def dataset_distances(trace: ColumnTrace) -> dict[int, int]:
    """Return the distance of each dataset of the traced columns, by dataset id."""
    distances: dict[int, int] = {}
    for node in trace.nodes:
        distances.setdefault(node.column.dataset.id, node.distance)  # the nearest comes first
    return distances


def trace_reported_columns(
    session: Session,
    name: str,
    column: str,
    direction: OneWay,
    depth: int | None,
    *,
    direct_only: bool = False,
    observed: bool = False,
    limit: int | None = None,
) -> ColumnTrace:
    """Return a trace as ``trace_columns`` does, without the steps that were not reported."""
    need_direction(direction)
    root = resolve_column(session, name, column)
    rows = session.fetch(
        _SELECT_EDGES, root=root.id, direction=direction, depth=depth, indirect=not direct_only,
        observed=observed, limit=limit,
    )  # fmt: skip
    nodes, edges = _read_trace(root, direction, (row[2:] for row in rows))
    omitted = {}
    for total, columns, *_ in rows[:1]:
        if total > len(edges):
            omitted["edges"] = total - len(edges)
        if columns > len(nodes) - 1:
            omitted["nodes"] = columns - (len(nodes) - 1)
    nested = _read_nested(session, root, edges)
    return ColumnTrace(root, direction, depth, nodes, edges, nested, omitted=omitted)


def _read_nested(
    session: Session, root: Column, edges: Sequence[ColumnEdge]
) -> tuple[NestedColumn, ...]:
    """Return the pairs of edge ends, or the root, between which the trace steps without an edge."""
    ends = {end.id: end for edge in edges for end in (edge.source, edge.target)}
    ends[root.id] = root
    names = {end.name or "" for end in ends.values()}
    # One of two spellings has upper case.
    if not any("." in name or name != name.lower() for name in names):
        return ()
    rows = session.fetch(_SELECT_NESTED, ids=list(ends))
    pairs = [NestedColumn(ends[row.id], ends[row.other]) for row in rows]
    return tuple(sorted(pairs, key=lambda p: (p.column.full_name, p.within.full_name)))


def _match_column(dataset: Dataset, name: str, known: Sequence[tuple[int, str]]) -> Column:
    """Return the column ``name`` of the ``known`` (id, name).

    If no name is equal, ignore case, provided that only one column matches then. Raises NotFound,
    with similar names as a hint.
    """
    exact = [Column(id, dataset, each) for id, each in known if each == name]
    if exact:
        return exact[0]
    folded = [Column(id, dataset, each) for id, each in known if each.lower() == name.lower()]
    if len(folded) == 1:
        return folded[0]
    raise NotFound(
        f'{dataset} has no column "{name}".', _suggest_column(name, [each for _, each in known])
    )


def _suggest_column(name: str, known: list[str]) -> str:
    if not known:
        return "No event has reported its columns yet."
    if near := difflib.get_close_matches(name, known, n=3):
        return f"Did you mean {' or '.join(near)}?"
    more = f" and {len(known) - 10} more" if len(known) > 10 else ""
    return f"It has {', '.join(known[:10])}{more}."


def _read_trace(
    root: Column, direction: OneWay, rows: Iterable[tuple[Any, ...]]
) -> tuple[tuple[ColumnNode, ...], tuple[ColumnEdge, ...]]:
    """Build the columns and edges from ``rows`` of _SELECT_EDGES."""
    nodes = {root.id: ColumnNode(root, 0, direct=True)}
    edges = []
    for distance, direct, *cells in rows:
        source, target = _read_column(cells[0:5]), _read_column(cells[5:10])
        far = source if direction == "upstream" else target
        nodes.setdefault(far.id, ColumnNode(far, distance, direct))
        job = Job(*cells[10:13]) if cells[10] is not None else None
        edges.append(ColumnEdge(source, target, job, distance, *cells[13:]))
    ordered = sorted(nodes.values(), key=lambda node: (node.distance, node.column.full_name))
    return tuple(ordered), tuple(edges)


def _read_column(cells: Sequence[Any]) -> Column:
    return Column(cells[0], Dataset(*cells[1:4]), cells[4])
