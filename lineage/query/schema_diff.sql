-- name: diff_schemas(places, before, after) -> ColumnRow
-- The columns that differ between the schemas of each pair.
SELECT pair.place, c.name, nullif(c.old_type, '') AS before, nullif(c.new_type, '') AS after,
       c.old_type IS NULL AS is_new, c.new_type IS NULL AS is_gone
FROM unnest(%(places)s::int[], %(before)s::text[], %(after)s::text[]) AS pair (place, before, after)
CROSS JOIN LATERAL lineage.diff_schemas(pair.before::jsonb, pair.after::jsonb) AS c
ORDER BY pair.place, c.name COLLATE "C"
