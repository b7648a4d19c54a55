"""What a column was made from, and what was made from it."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from lineage.errors import NotFound
from lineage.questions.answers import (
    Column,
    ColumnEdge,
    ColumnNode,
    ColumnTrace,
    Dataset,
    Direction,
    Job,
    NestedColumn,
)
from lineage.questions.names import Names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_COLUMNS = "SELECT id, name FROM lineage.field WHERE dataset = %s ORDER BY name"

_TRACE = """
WITH e AS MATERIALIZED (
    SELECT * FROM lineage.column_edges(
        ARRAY[%(root)s::bigint], %(direction)s, %(depth)s, %(indirect)s, %(observed)s)
), whole AS MATERIALIZED (
    SELECT count(*) AS edges, count(DISTINCT far) FILTER (WHERE far <> %(root)s) AS nodes
    FROM (SELECT CASE %(direction)s WHEN 'upstream' THEN source ELSE target END AS far FROM e) AS f
), near AS MATERIALIZED (
    -- As far as the limit goes: nothing is looked up of what lies behind.
    SELECT min(distance) AS farthest
    FROM (SELECT distance, sum(count(*)) OVER (ORDER BY distance) AS edges
          FROM e GROUP BY distance) AS step
    WHERE edges >= %(limit)s
), direct AS MATERIALIZED (
    SELECT DISTINCT CASE %(direction)s WHEN 'upstream' THEN source ELSE target END AS id
    FROM lineage.column_edges(
        ARRAY[%(root)s::bigint], %(direction)s, %(depth)s, false, %(observed)s)
)
SELECT whole.edges, whole.nodes, e.distance, direct.id IS NOT NULL,
       e.source, source.id, source.namespace, source.name, source_field.name,
       e.target, target.id, target.namespace, target.name, target_field.name,
       j.id, j.namespace, j.name, e.type, nullif(e.subtype, ''), e.masking, e.runs,
       lineage.iso(e.first_seen), lineage.iso(e.last_seen), e.declared
FROM e CROSS JOIN whole CROSS JOIN near
JOIN lineage.field source_field ON source_field.id = e.source
JOIN lineage.dataset source ON source.id = source_field.dataset
LEFT JOIN lineage.field target_field ON target_field.id = e.target
JOIN lineage.dataset target ON target.id = coalesce(target_field.dataset, e.target)
LEFT JOIN lineage.job j ON j.id = e.job
LEFT JOIN direct ON direct.id = CASE %(direction)s WHEN 'upstream' THEN e.source ELSE e.target END
WHERE near.farthest IS NULL OR e.distance <= near.farthest
ORDER BY e.distance, source.namespace, source.name, source_field.name,
         target.namespace, target.name, target_field.name, j.namespace, j.name, e.type, e.subtype,
         e.masking
LIMIT %(limit)s
"""

_NESTED = """
SELECT o.id, o.other FROM lineage.overlapping_columns(%(ids)s::bigint[]) AS o
JOIN lineage.field f ON f.id = o.id JOIN lineage.field other ON other.id = o.other
WHERE o.other = ANY (%(ids)s::bigint[])
  AND f.nested AND octet_length(f.name) > octet_length(other.name)
"""


class Columns(Names):
    """Traces from column to column."""

    def resolve_column(self, name: str, column: str) -> Column:
        """Return the column of the dataset ``name``; of a nested one ``column`` is the path."""
        dataset = self.resolve(name)
        known = self._rows(_COLUMNS, (dataset.id,))
        return _pick(dataset, column, known)

    def upstream_columns(
        self,
        name: str,
        column: str,
        depth: int | None = None,
        *,
        indirect: bool = True,
        observed: bool = False,
        limit: int | None = None,
    ) -> ColumnTrace:
        """Return what the column was made from; ``indirect`` with what filters, joins or sorts.

        With ``observed`` by what runs showed alone, else also by what designs state. ``limit`` is
        of edges, nearest first.
        """
        passed = {"depth": depth, "indirect": indirect, "observed": observed, "limit": limit}
        return self._trace_column(name, column, "upstream", passed)

    def downstream_columns(
        self,
        name: str,
        column: str,
        depth: int | None = None,
        *,
        indirect: bool = True,
        observed: bool = False,
        limit: int | None = None,
    ) -> ColumnTrace:
        """Return what was made from the column; as ``upstream_columns``."""
        passed = {"depth": depth, "indirect": indirect, "observed": observed, "limit": limit}
        return self._trace_column(name, column, "downstream", passed)

    def _trace_column(
        self, name: str, column: str, direction: Direction, passed: Mapping[str, Any]
    ) -> ColumnTrace:
        root = self.resolve_column(name, column)
        rows = self._rows(_TRACE, {"root": root.id, "direction": direction, **passed})
        nodes, edges = _trace(root, direction, (row[2:] for row in rows))
        left_out = {}
        if rows and rows[0][0] > len(edges):
            left_out["edges"] = rows[0][0] - len(edges)
        if rows and rows[0][1] > len(nodes) - 1:
            left_out["nodes"] = rows[0][1] - (len(nodes) - 1)
        nested = self._nested(root, edges)
        return ColumnTrace(root, direction, passed["depth"], nodes, edges, nested, left_out)

    def _nested(self, root: Column, edges: Sequence[ColumnEdge]) -> tuple[NestedColumn, ...]:
        """Return which ends of edges are parts of which others."""
        ends = {end.id: end for edge in edges for end in (edge.source, edge.target)}
        ends[root.id] = root
        if not any("." in (end.name or "") for end in ends.values()):
            return ()
        rows = self._rows(_NESTED, {"ids": list(ends)})
        pairs = [NestedColumn(ends[inner], ends[outer]) for inner, outer in rows]
        return tuple(sorted(pairs, key=lambda p: (p.column.full_name, p.within.full_name)))


def _pick(dataset: Dataset, name: str, known: Sequence[tuple[int, str]]) -> Column:
    """Return the column ``name`` among the ``known`` (id, name); its case may differ from all.

    Raises NotFound, which names columns that are near.
    """
    exact = [Column(id, dataset, each) for id, each in known if each == name]
    if exact:
        return exact[0]
    folded = [Column(id, dataset, each) for id, each in known if each.lower() == name.lower()]
    if len(folded) == 1:
        return folded[0]
    raise NotFound(f'{dataset} has no column "{name}".', _hint(name, [each for _, each in known]))


def _hint(name: str, known: list[str]) -> str:
    if not known:
        return "No event has said yet which columns it has."
    if near := difflib.get_close_matches(name, known, n=3):
        return f"Did you mean {' or '.join(near)}?"
    more = f" and {len(known) - 10} more" if len(known) > 10 else ""
    return f"It has {', '.join(known[:10])}{more}."


def _trace(
    root: Column, direction: Direction, rows: Iterable[tuple[Any, ...]]
) -> tuple[tuple[ColumnNode, ...], tuple[ColumnEdge, ...]]:
    """Return the columns and the edges that ``rows`` of _TRACE give."""
    nodes = {root.id: ColumnNode(root, 0, direct=True)}
    edges = []
    for distance, direct, *said in rows:
        source, target = _column(said[0:5]), _column(said[5:10])
        far = source if direction == "upstream" else target
        nodes.setdefault(far.id, ColumnNode(far, distance, direct))
        job = Job(*said[10:13]) if said[10] is not None else None
        edges.append(ColumnEdge(source, target, job, distance, *said[13:]))
    ordered = sorted(nodes.values(), key=lambda node: (node.distance, node.column.full_name))
    return tuple(ordered), tuple(edges)


def _column(said: Sequence[Any]) -> Column:
    return Column(said[0], Dataset(*said[1:4]), said[4])
