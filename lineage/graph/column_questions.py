"""Questions about columns: the SQL, and its rows as answers."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from lineage.errors import NotFound
from lineage.graph.answers import (
    Column,
    ColumnEdge,
    ColumnNode,
    ColumnTrace,
    Dataset,
    Direction,
    Job,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

COLUMNS = "SELECT id, name FROM lineage.field WHERE dataset = %s ORDER BY name"

TRACE = """
WITH e AS MATERIALIZED (
    SELECT * FROM lineage.column_edges(
        ARRAY[%(root)s::bigint], %(direction)s, %(depth)s, %(indirect)s)
), direct AS MATERIALIZED (
    SELECT DISTINCT CASE %(direction)s WHEN 'upstream' THEN source ELSE target END AS id
    FROM lineage.column_edges(ARRAY[%(root)s::bigint], %(direction)s, %(depth)s, false)
)
SELECT e.distance, direct.id IS NOT NULL,
       e.source, source.id, source.namespace, source.name, source_field.name,
       e.target, target.id, target.namespace, target.name, target_field.name,
       j.id, j.namespace, j.name, e.type, nullif(e.subtype, ''), e.masking, d.runs,
       lineage.iso(d.first_seen), lineage.iso(d.last_seen)
FROM e
JOIN lineage.derives d USING (source, target, job, type, subtype, masking)
JOIN lineage.field source_field ON source_field.id = e.source
JOIN lineage.dataset source ON source.id = source_field.dataset
LEFT JOIN lineage.field target_field ON target_field.id = e.target
JOIN lineage.dataset target ON target.id = coalesce(target_field.dataset, e.target)
JOIN lineage.job j ON j.id = e.job
LEFT JOIN direct ON direct.id = CASE %(direction)s WHEN 'upstream' THEN e.source ELSE e.target END
ORDER BY e.distance, source.namespace, source.name, source_field.name,
         target.namespace, target.name, target_field.name, j.namespace, j.name, e.type, e.subtype
"""


def pick(dataset: Dataset, name: str, known: Sequence[tuple[int, str]]) -> Column:
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


def trace(
    root: Column, direction: Direction, depth: int | None, rows: Iterable[tuple[Any, ...]]
) -> ColumnTrace:
    """Return the answer that ``rows`` of TRACE give."""
    nodes = {root.id: ColumnNode(root, 0, direct=True)}
    edges = []
    for distance, direct, *said in rows:
        source, target = _column(said[0:5]), _column(said[5:10])
        far = source if direction == "upstream" else target
        nodes.setdefault(far.id, ColumnNode(far, distance, direct))
        edges.append(ColumnEdge(source, target, Job(*said[10:13]), distance, *said[13:]))
    ordered = sorted(nodes.values(), key=lambda node: (node.distance, node.column.full_name))
    return ColumnTrace(root, direction, depth, tuple(ordered), tuple(edges))


def _column(said: Sequence[Any]) -> Column:
    return Column(said[0], Dataset(*said[1:4]), said[4])
