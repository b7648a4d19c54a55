-- name: write_trace(trace, dataset, run, columns, condition_hash, condition, way, fidelity, reasons, rows, counts, reproduced, row_values) -> None
-- Write a trace.
INSERT INTO lineage.record_trace
    (id, dataset, run, columns, condition_hash, condition, way, fidelity, reasons, rows, counts, reproduced, row_values)
VALUES (%(trace)s::uuid, %(dataset)s, %(run)s, %(columns)s::text[], %(condition_hash)s, %(condition)s, %(way)s,
        %(fidelity)s, %(reasons)s::text[], %(rows)s, %(counts)s::jsonb, %(reproduced)s, %(row_values)s::jsonb)

-- name: write_witnesses(trace, hop, target, source, file, row_index, key, row_values) -> None
-- Write the rows of a trace, in their order.
INSERT INTO lineage.record_witness (trace, ordinal, hop, target, source, file, row_index, key, row_values)
SELECT %(trace)s::uuid, w.ordinal, w.hop, w.target, w.source, w.file, w.row_index, w.key, w.row_values
FROM unnest(%(hop)s::int[], %(target)s::text[], %(source)s::text[], %(file)s::text[], %(row_index)s::bigint[],
            %(key)s::bytea[], %(row_values)s::jsonb[])
     WITH ORDINALITY AS w (hop, target, source, file, row_index, key, row_values, ordinal)

-- name: write_record_vertices(datasets, keys) -> None
-- Write Record vertices, sorted by key as all writers do.
INSERT INTO provenance."Record" AS v (properties)
SELECT lineage.property_map(jsonb_build_object('dataset', r.dataset, 'key', r.key))
FROM (SELECT DISTINCT ON (r.key) r.key, r.dataset
      FROM unnest(%(datasets)s::text[], %(keys)s::text[]) AS r (dataset, key) ORDER BY r.key) AS r
ON CONFLICT (ag_catalog.agtype_access_operator(VARIADIC ARRAY[v.properties, '"key"'::ag_catalog.agtype])) DO NOTHING

-- name: write_witness_edges(trace, fidelity, root, keys, hops) -> None
-- Write WITNESS edges from contributing rows to the traced rows.
INSERT INTO provenance."WITNESS" (start_id, end_id, properties)
SELECT s.id, t.id, lineage.property_map(jsonb_build_object(
    'trace', %(trace)s::text, 'fidelity', %(fidelity)s::text, 'hop', w.hop))
FROM (SELECT r.key, min(r.hop) AS hop FROM unnest(%(keys)s::text[], %(hops)s::int[]) AS r (key, hop)
      GROUP BY r.key) AS w
JOIN provenance."Record" s
    ON ag_catalog.agtype_access_operator(VARIADIC ARRAY[s.properties, '"key"'::ag_catalog.agtype])
     OPERATOR(ag_catalog.=) to_json(w.key)::text::ag_catalog.agtype
JOIN provenance."Record" t
    ON ag_catalog.agtype_access_operator(VARIADIC ARRAY[t.properties, '"key"'::ag_catalog.agtype])
     OPERATOR(ag_catalog.=) to_json(%(root)s::text)::text::ag_catalog.agtype
