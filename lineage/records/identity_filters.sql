-- name: select_contributing_edges(target) -> FeedRow
-- The datasets that feed a dataset, by job; the job is 0 if a facet of the dataset declares the edge.
SELECT d.id AS source, d.namespace, d.name, coalesce(f.job, 0) AS job, f.runs
FROM lineage.feeds f JOIN lineage.dataset d ON d.id = f.source
WHERE f.target = %(target)s ORDER BY d.namespace, d.name, f.job

-- name: select_reads_of_writers(target) -> ReadRow
-- How the runs that wrote a dataset read each source, as far as they report it. The mode is that of their write.
SELECT DISTINCT source.canonical AS source, coalesce(o.facets #>> '{lineage_write,1,mode}', '') AS mode,
       coalesce((i.facets #>> '{lineage_reads,1,count}')::bigint, 1) AS reads,
       ARRAY(SELECT jsonb_array_elements_text(coalesce(i.facets #> '{lineage_reads,1,operators}', '[]'))) AS operators,
       CASE WHEN i.facets #> '{lineage_reads,1,options}' IS NOT NULL
            THEN ARRAY(SELECT jsonb_array_elements_text(i.facets #> '{lineage_reads,1,options}')) END AS options
FROM lineage.access o JOIN lineage.dataset target ON target.id = o.dataset
JOIN lineage.access i ON i.run = o.run AND i.job = o.job AND NOT i.output
JOIN lineage.dataset source ON source.id = i.dataset
WHERE o.output AND target.canonical = %(target)s
