-- name: select_files() -> LakeFile
-- The files with archived events, oldest month first.
SELECT location, to_char(month, 'YYYY-MM') AS month, events, digest_sum
FROM lineage.archived_file ORDER BY month, location

-- name: insert_file(location, month, events, digest_sum) -> None
-- Register a file with archived events.
INSERT INTO lineage.archived_file (location, month, events, digest_sum)
VALUES (%(location)s, (%(month)s || '-01')::date, %(events)s, %(digest_sum)s)
