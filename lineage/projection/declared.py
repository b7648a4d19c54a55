"""DECLARED: which dataset and which column feeds which by a design, without a run that showed it.

A batch that states designs, or changes which names are one dataset, is alone; so all designs that
it touches are simply drawn anew. Others only find that runs show a pair that is declared, or no
longer do: then the edge of the design goes, or comes back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.database.binary_arrays import execute, moments, numbers, optional_numbers, texts
from lineage.projection import column_mappings

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import psycopg

    from lineage.events.merge import Batch
    from lineage.projection.aliases import Moves

    Connection = psycopg.Connection[Any]

_DESIGNS = """
INSERT INTO lineage.design AS d (holder, job, stamp)
SELECT holder, job, stamp
FROM unnest(%s::bigint[], %s::bigint[], %s::text[]) AS stated (holder, job, stamp)
ON CONFLICT (holder) DO UPDATE SET stamp = greatest(d.stamp, excluded.stamp COLLATE "C")
"""
_DESIGN = (numbers, optional_numbers, texts)

_MERGE = """
    first_seen = least(d.first_seen, excluded.first_seen),
    last_seen = greatest(d.last_seen, excluded.last_seen),
    stamp = greatest(d.stamp, excluded.stamp COLLATE "C")
"""
_SOURCES = f"""
INSERT INTO lineage.design_source AS d (holder, source, target, first_seen, last_seen, stamp)
SELECT * FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[],
                     %s::timestamptz[], %s::timestamptz[], %s::text[])
ON CONFLICT (holder, source, target) DO UPDATE SET {_MERGE}
"""  # noqa: S608 - of the text above
_MAPPINGS = f"""
INSERT INTO lineage.design_mapping AS d (holder, target, mapping, first_seen, last_seen, stamp)
SELECT * FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[],
                     %s::timestamptz[], %s::timestamptz[], %s::text[])
ON CONFLICT (holder, target, mapping) DO UPDATE SET {_MERGE}
"""  # noqa: S608 - as above
_ROW = (numbers, numbers, numbers, moments, moments, texts)

_HOLDERS = """
SELECT holder FROM lineage.design WHERE holder = ANY (%(names)s::bigint[])
UNION
SELECT holder FROM lineage.design_source WHERE source = ANY (%(names)s::bigint[])
UNION
SELECT holder FROM lineage.design_source WHERE target = ANY (%(names)s::bigint[])
UNION
SELECT m.holder FROM lineage.design_mapping m WHERE m.target = ANY (%(names)s::bigint[])
UNION
SELECT m.holder FROM lineage.derivation d JOIN lineage.design_mapping m ON m.mapping = d.mapping
WHERE d.source = ANY (%(names)s::bigint[])
"""

# A dataset is one holder, whatever its names: the canonical one.
_CANONICAL = """
SELECT DISTINCT coalesce(n.canonical, stated.holder)
FROM unnest(%s::bigint[]) AS stated (holder)
LEFT JOIN lineage.dataset n ON n.id = stated.holder
"""

_FORGET = "SELECT edge, source, target FROM lineage.delete_declared(%s::bigint[])"

# The newest design of each that is wanted: of a job, or of all names of a dataset.
_NEWEST = """
      FROM unnest(%s::bigint[]) AS wanted (holder)
      CROSS JOIN LATERAL (
          SELECT d.* FROM (
              SELECT d.* FROM lineage.design d
              WHERE d.holder = wanted.holder AND d.job IS NOT NULL
              UNION ALL
              SELECT d.* FROM lineage.dataset n JOIN lineage.design d ON d.holder = n.id
              WHERE n.canonical = wanted.holder) AS d
          ORDER BY d.stamp DESC LIMIT 1) AS d
"""

_STATE = f"""
INSERT INTO lineage.declared
    (source, target, holder, job, first_seen, last_seen, observed, edge)
SELECT source, target, holder, job, first_seen, last_seen,
       lineage.is_observed(source, target, job), lineage.new_id('DECLARED')
FROM (SELECT s.vertex AS source, t.vertex AS target, wanted.holder, d.job,
             min(p.first_seen) AS first_seen, max(p.last_seen) AS last_seen
      {_NEWEST}
      CROSS JOIN LATERAL (
          SELECT p.* FROM lineage.design_source p
          WHERE p.holder = d.holder AND p.stamp = d.stamp OFFSET 0) AS p
      CROSS JOIN LATERAL (
          SELECT n.canonical AS vertex FROM lineage.dataset n WHERE n.id = p.source OFFSET 0) AS s
      CROSS JOIN LATERAL (
          SELECT n.canonical AS vertex FROM lineage.dataset n WHERE n.id = p.target OFFSET 0) AS t
      GROUP BY 1, 2, 3, 4) AS pair
RETURNING edge, source, target
"""  # noqa: S608 - of the text above

_STATE_COLUMNS = f"""
INSERT INTO lineage.declared_column
    (source, target, holder, type, subtype, masking, job, first_seen, last_seen, edge)
SELECT source, target, holder, type, subtype, masking, job, first_seen, last_seen,
       lineage.new_id('DECLARED')
FROM (SELECT s.id AS source, t.id AS target, wanted.holder, v.type, v.subtype, v.masking,
             d.job,
             min(p.first_seen) AS first_seen, max(p.last_seen) AS last_seen
      {_NEWEST}
      CROSS JOIN LATERAL (
          SELECT p.* FROM lineage.design_mapping p
          WHERE p.holder = d.holder AND p.stamp = d.stamp OFFSET 0) AS p
      CROSS JOIN LATERAL (
          SELECT v.* FROM lineage.derivation v WHERE v.mapping = p.mapping OFFSET 0) AS v
      CROSS JOIN LATERAL (SELECT lineage.field_vertex(v.source, v.source_field) AS id) AS s
      CROSS JOIN LATERAL (SELECT lineage.field_vertex(p.target, v.target_field) AS id) AS t
      GROUP BY 1, 2, 3, 4, 5, 6, 7) AS pair
RETURNING edge
"""  # noqa: S608 - as above

_DRAW = """
INSERT INTO provenance."DECLARED" (id, start_id, end_id, properties)
SELECT lineage.graphid(d.edge), lineage.graphid(d.source), lineage.graphid(d.target),
       lineage.declared_properties(d, j.namespace, j.name)
FROM lineage.declared d LEFT JOIN lineage.job j ON j.id = d.job
WHERE d.holder = ANY (%s::bigint[]) AND NOT d.observed
"""
_DRAW_COLUMNS = """
INSERT INTO provenance."DECLARED" (id, start_id, end_id, properties)
SELECT lineage.graphid(d.edge), lineage.graphid(d.source), lineage.graphid(d.target),
       lineage.declared_column_properties(d, j.namespace, j.name)
FROM lineage.declared_column d LEFT JOIN lineage.job j ON j.id = d.job
WHERE d.holder = ANY (%s::bigint[])
"""

# What FEEDS says of pairs that designs state, or stated before.
_MARK = """
WITH marked AS (
    UPDATE lineage.feeds f SET declared = lineage.is_declared(f.source, f.target, f.job)
    FROM unnest(%s::bigint[], %s::bigint[]) AS pair (source, target)
    WHERE f.source = pair.source AND f.target = pair.target
      AND f.declared <> lineage.is_declared(f.source, f.target, f.job)
    RETURNING f
)
UPDATE provenance."FEEDS" e SET properties = lineage.feeds_properties(m.f, j.namespace, j.name)
FROM marked m JOIN lineage.job j ON j.id = (m.f).job
WHERE e.id = lineage.graphid((m.f).edge)
"""

# Who shows the pair for the first time, at the same time, has locked it or waits for this.
_LOCK = """
SELECT d.source, d.target, d.holder
FROM unnest(%s::bigint[], %s::bigint[]) AS pair (source, target)
JOIN lineage.declared d USING (source, target)
ORDER BY d.source, d.target, d.holder FOR UPDATE OF d
"""
_REAPPEAR = """
WITH changed AS (
    UPDATE lineage.declared d SET observed = false
    FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[]) AS pair (source, target, holder)
    WHERE d.source = pair.source AND d.target = pair.target AND d.holder = pair.holder
      AND d.observed AND NOT lineage.is_observed(d.source, d.target, d.job)
    RETURNING d
)
INSERT INTO provenance."DECLARED" (id, start_id, end_id, properties)
SELECT lineage.graphid((d).edge), lineage.graphid((d).source), lineage.graphid((d).target),
       lineage.declared_properties(d, j.namespace, j.name)
FROM changed LEFT JOIN lineage.job j ON j.id = (d).job
"""


def apply(conn: Connection, batch: Batch, ids: column_mappings.Ids, moves: Moves) -> None:
    """Write the designs of the batch; draw them, and those of names that moved, anew.

    Columns are drawn, and FEEDS has what the runs of the batch show.
    """
    holders = _merge(conn, batch, ids)
    if moves.new:
        rows = conn.execute(_HOLDERS, {"names": sorted(moves.new)})
        holders.update(holder for (holder,) in rows)
    canonical = {holder for (holder,) in conn.execute(_CANONICAL, (sorted(holders),))}
    if not (wanted := sorted(canonical.union(moves.old.values()))):
        return
    gone = conn.execute(_FORGET, (wanted,)).fetchall()
    stated = conn.execute(_STATE, (wanted,)).fetchall()
    conn.execute(_STATE_COLUMNS, (wanted,))
    conn.execute(_DRAW, (wanted,))
    conn.execute(_DRAW_COLUMNS, (wanted,))
    if pairs := sorted({row[1:] for row in (*gone, *stated)}):
        conn.execute(_MARK, _transposed(pairs))


def reappear(conn: Connection, gone: Sequence[tuple[Any, ...]]) -> None:
    """Draw what designs state of pairs that no run shows any more: edge, source and target."""
    pairs = sorted({row[1:] for row in gone})
    if locked := conn.execute(_LOCK, _transposed(pairs)).fetchall():
        conn.execute(_REAPPEAR, _transposed(locked))


def _merge(conn: Connection, batch: Batch, ids: column_mappings.Ids) -> set[int]:
    """Write what is stated, and return whose designs it is."""
    designs = {
        (ids.jobs if of_job else ids.datasets)[name]: (of_job, design)
        for (of_job, name), design in batch.designs.items()
    }
    rows = [(id, id if of_job else None, each.stamp) for id, (of_job, each) in designs.items()]
    execute(conn, _DESIGNS, _DESIGN, sorted(rows))
    of_datasets = ids.datasets
    sources = [
        (id, of_datasets[source], of_datasets[target], said.first, said.last, said.stamp)
        for id, (_, design) in designs.items()
        for (source, target), said in design.sources.items()
    ]
    execute(conn, _SOURCES, _ROW, sorted(sources))
    known = column_mappings.ids_of(
        conn, [key for _, each in designs.values() for key in each.columns]
    )
    mappings = [
        (id, of_datasets[target], known[target, digest], said.first, said.last, said.stamp)
        for id, (_, design) in designs.items()
        for (target, digest), said in design.columns.items()
    ]
    execute(conn, _MAPPINGS, _ROW, sorted(mappings))
    return set(designs)


def _transposed(rows: Collection[tuple[Any, ...]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]
