"""DERIVES: which column derives from which, by which job and in which way.

A run counts for what the newest columnLineage facet of each of its outputs says.
"""

from __future__ import annotations

from lineage.graph.summary import Summary

# Runs that state the same are counted together before their mappings are spread out into pairs.
_PAIRS = """
SELECT source, target, job, type, subtype, masking,
       sum(runs)::bigint, lineage.iso(min(first_seen)), lineage.iso(max(last_seen))
FROM (SELECT DISTINCT alike.*, d.*
      FROM (SELECT job, mappings, count(*) AS runs, min(first_seen) AS first_seen,
                   max(last_seen) AS last_seen
            FROM unnest(%s::bigint[]) AS wanted (run)
            CROSS JOIN LATERAL (
                SELECT m.job, array_agg(m.mapping ORDER BY m.mapping) AS mappings
                FROM lineage.run_mapping m WHERE m.run = wanted.run GROUP BY m.job OFFSET 0) AS m
            CROSS JOIN LATERAL (
                SELECT e.first_seen, e.last_seen FROM lineage.execution e
                WHERE e.run = wanted.run AND e.job = m.job OFFSET 0) AS e
            GROUP BY job, mappings) AS alike
      CROSS JOIN unnest(mappings) AS said (mapping)
      CROSS JOIN LATERAL (
          SELECT m.target FROM lineage.mapping m WHERE m.id = said.mapping OFFSET 0) AS m
      CROSS JOIN LATERAL (
          SELECT lineage.field_vertex(d.source, d.source_field) AS source,
                 lineage.field_vertex(m.target, d.target_field) AS target,
                 d.type, d.subtype, d.masking
          FROM lineage.derivation d WHERE d.mapping = said.mapping OFFSET 0) AS d
     ) AS contribution
GROUP BY source, target, job, type, subtype, masking
"""

_COUNT = """
INSERT INTO lineage.derives AS d
    (source, target, job, type, subtype, masking, runs, first_seen, last_seen, edge)
SELECT *, lineage.new_id('DERIVES')
FROM unnest(%b::bigint[], %b::bigint[], %b::bigint[], %b::text[], %b::text[], %b::boolean[],
            %b::bigint[], %b::text[]::timestamptz[], %b::text[]::timestamptz[])
     AS delta (source, target, job, type, subtype, masking, runs, first_seen, last_seen)
ON CONFLICT (source, target, job, type, subtype, masking) DO UPDATE SET
    runs = d.runs + excluded.runs,
    first_seen = least(d.first_seen, excluded.first_seen),
    last_seen = greatest(d.last_seen, excluded.last_seen)
RETURNING source, target, job, type, subtype, masking, edge
"""

_SHRINK = """
UPDATE lineage.derives d SET (first_seen, last_seen) = (
    SELECT (SELECT e.first_seen FROM lineage.execution e
            WHERE e.job = d.job AND lineage.counts_mapped(e.run, e.job, m.mappings)
            ORDER BY e.first_seen LIMIT 1),
           (SELECT e.last_seen FROM lineage.execution e
            WHERE e.job = d.job AND lineage.counts_mapped(e.run, e.job, m.mappings)
            ORDER BY e.last_seen DESC LIMIT 1)
    FROM (SELECT lineage.mappings_of(d) AS mappings OFFSET 0) AS m)
WHERE d.edge = ANY (%s::bigint[])
"""

_FORGET = "DELETE FROM lineage.derives WHERE edge = ANY (%s::bigint[]) AND runs = 0 RETURNING edge"
_ERASE = 'DELETE FROM provenance."DERIVES" WHERE id = ANY (%s::bigint[]::text[]::graphid[])'

_DRAW = """
INSERT INTO provenance."DERIVES" AS e (id, start_id, end_id, properties)
SELECT lineage.graphid(d.edge), lineage.graphid(d.source), lineage.graphid(d.target),
       lineage.derives_properties(d, j.namespace, j.name)
FROM lineage.derives d
CROSS JOIN LATERAL (
    SELECT j.namespace, j.name FROM lineage.job j WHERE j.id = d.job OFFSET 0) AS j
WHERE d.edge = ANY (%s::bigint[])
ON CONFLICT (id) DO UPDATE SET properties = excluded.properties
WHERE e.properties IS DISTINCT FROM excluded.properties
"""

DERIVES = Summary(_PAIRS, _COUNT, _SHRINK, _FORGET, _ERASE, _DRAW)
