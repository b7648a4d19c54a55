-- name: merge_dependencies(upstream, downstream, first, last) -> None
-- Merge the dependencies between jobs that their runs report.
INSERT INTO lineage.job_dependency AS d (upstream, downstream, first_seen, last_seen)
SELECT * FROM unnest(%(upstream)s::bigint[], %(downstream)s::bigint[], %(first)s::timestamptz[],
    %(last)s::timestamptz[])
ON CONFLICT (upstream, downstream) DO UPDATE SET
    first_seen = least(d.first_seen, excluded.first_seen),
    last_seen = greatest(d.last_seen, excluded.last_seen)
