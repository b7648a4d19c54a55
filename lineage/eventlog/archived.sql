-- name: select_files() -> LakeFile
-- The registered files, oldest month first.
SELECT location, to_char(month, 'YYYY-MM') AS month, events, digest_sum, catalog_table AS "table"
FROM lineage.archived_file ORDER BY month, location

-- name: select_unprojected() -> str
-- The files whose events may not be in the graph yet, oldest month first.
SELECT location FROM lineage.archived_file WHERE projected_at IS NULL ORDER BY month, location

-- name: insert_file(location, month, events, digest_sum, table, is_projected) -> None
-- Register a file. The same events, archived again, give the file that is registered.
INSERT INTO lineage.archived_file (location, month, events, digest_sum, catalog_table, projected_at)
VALUES (%(location)s, (%(month)s || '-01')::date, %(events)s, %(digest_sum)s, %(table)s,
        CASE WHEN %(is_projected)s THEN now() END)
ON CONFLICT (location) DO UPDATE SET projected_at = coalesce(archived_file.projected_at, excluded.projected_at)

-- name: delete_files(locations) -> None
-- Remove files that a table format replaced by others.
DELETE FROM lineage.archived_file WHERE location = ANY (%(locations)s)

-- name: mark_projected(locations) -> None
-- Store that the events of files are in the graph.
UPDATE lineage.archived_file SET projected_at = now() WHERE location = ANY (%(locations)s)
