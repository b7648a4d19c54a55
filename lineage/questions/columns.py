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
    from collections.abc import Iterable, Sequence

_COLUMNS = "SELECT id, name FROM lineage.field WHERE dataset = %s ORDER BY name"

_TRACE = """
WITH e AS MATERIALIZED (
    SELECT * FROM lineage.column_edges(
        ARRAY[%(root)s::bigint], %(direction)s, %(depth)s, %(indirect)s, %(observed)s)
), direct AS MATERIALIZED (
    SELECT DISTINCT CASE %(direction)s WHEN 'upstream' THEN source ELSE target END AS id
    FROM lineage.column_edges(
        ARRAY[%(root)s::bigint], %(direction)s, %(depth)s, false, %(observed)s)
)
SELECT e.distance, direct.id IS NOT NULL,
       e.source, source.id, source.namespace, source.name, source_field.name,
       e.target, target.id, target.namespace, target.name, target_field.name,
       j.id, j.namespace, j.name, e.type, nullif(e.subtype, ''), e.masking, e.runs,
       lineage.iso(e.first_seen), lineage.iso(e.last_seen), e.declared
FROM e
JOIN lineage.field source_field ON source_field.id = e.source
JOIN lineage.dataset source ON source.id = source_field.dataset
LEFT JOIN lineage.field target_field ON target_field.id = e.target
JOIN lineage.dataset target ON target.id = coalesce(target_field.dataset, e.target)
LEFT JOIN lineage.job j ON j.id = e.job
LEFT JOIN direct ON direct.id = CASE %(direction)s WHEN 'upstream' THEN e.source ELSE e.target END
ORDER BY e.distance, source.namespace, source.name, source_field.name,
         target.namespace, target.name, target_field.name, j.namespace, j.name, e.type, e.subtype
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
    ) -> ColumnTrace:
        """Return what the column was made from; ``indirect`` with what filters, joins or sorts.

        With ``observed`` by what runs showed alone, else also by what designs state.
        """
        return self._trace_column(name, column, "upstream", depth, (indirect, observed))

    def downstream_columns(
        self,
        name: str,
        column: str,
        depth: int | None = None,
        *,
        indirect: bool = True,
        observed: bool = False,
    ) -> ColumnTrace:
        """Return what was made from the column; as ``upstream_columns``."""
        return self._trace_column(name, column, "downstream", depth, (indirect, observed))

    def _trace_column(
        self,
        name: str,
        column: str,
        direction: Direction,
        depth: int | None,
        passed: tuple[bool, bool],
    ) -> ColumnTrace:
        root = self.resolve_column(name, column)
        indirect, observed = passed
        params = {
            "root": root.id, "direction": direction, "depth": depth, "indirect": indirect,
            "observed": observed,
        }  # fmt: skip
        rows = self._rows(_TRACE, params)
        nodes, edges = _trace(root, direction, rows)
        return ColumnTrace(root, direction, depth, nodes, edges, self._nested(root, edges))

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
