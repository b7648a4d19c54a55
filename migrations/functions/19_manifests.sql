-- The inputs of the runs that completed writing a dataset from others since it was overwritten, with what they were then:
-- the version of a table that has versions, or the manifest of the files that were read. The newest runs are first, at
-- most 100. is_complete is false if there are further runs, or if such runs may be archived. overwrites_partitions is
-- true if the run may have replaced rows of earlier runs. Runs without inputs, which change the definition of a dataset,
-- are not considered.
CREATE OR REPLACE FUNCTION lineage.input_manifests(dataset text)
RETURNS TABLE (run text, ended_at timestamptz, overwrites_partitions boolean, is_complete boolean,
               namespace text, name text, type text, version text, manifest jsonb)
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    WITH written AS MATERIALIZED (
        SELECT n.id FROM lineage.dataset n WHERE n.canonical = lineage.dataset_id(input_manifests.dataset)
    ), replaced AS MATERIALIZED (
        SELECT coalesce(max(o.last_seen), '-infinity') AS at
        FROM written n
        CROSS JOIN LATERAL (
            SELECT a.last_seen
            FROM lineage.access a JOIN lineage.run r ON r.id = a.run
            WHERE a.dataset = n.id AND a.output AND lineage.is_overwrite(a.facets) AND r.state = 'COMPLETE'
              AND NOT lineage.is_partition_overwrite(a.job, lineage.dataset_id(input_manifests.dataset), a.facets)
            ORDER BY a.last_seen DESC LIMIT 1
        ) o
    ), recent AS MATERIALIZED (
        SELECT a.*
        FROM written n
        CROSS JOIN LATERAL (
            SELECT r.id, r.run_id, r.ended_at, a.job, a.last_seen,
                   coalesce(lineage.write_mode(a.facets) = 'overwrite_partitions', false)
                       OR lineage.is_overwrite(a.facets)
                          AND lineage.is_partition_overwrite(
                              a.job, lineage.dataset_id(input_manifests.dataset), a.facets) AS overwrites_partitions
            FROM lineage.access a JOIN lineage.run r ON r.id = a.run
            WHERE a.dataset = n.id AND a.output AND a.last_seen >= (SELECT at FROM replaced) AND r.state = 'COMPLETE'
              AND EXISTS (SELECT FROM lineage.access i WHERE i.run = a.run AND i.job = a.job AND NOT i.output)
            ORDER BY a.last_seen DESC, r.run_id LIMIT 101
        ) a
        ORDER BY a.last_seen DESC, a.run_id LIMIT 101
    ), writer AS MATERIALIZED (
        SELECT a.id, a.run_id, a.ended_at, array_agg(a.job) AS jobs, max(a.last_seen) AS last_seen,
               bool_or(a.overwrites_partitions) AS overwrites_partitions
        FROM (SELECT * FROM recent ORDER BY last_seen DESC, run_id LIMIT 100) a
        GROUP BY a.id, a.run_id, a.ended_at
    ), history AS MATERIALIZED (
        SELECT (SELECT count(*) FROM recent) <= 100
               AND NOT (r.at < coalesce(lineage.runs_archived_before(), '-infinity')
                        AND EXISTS (SELECT FROM lineage.archived_feeds g
                                    WHERE g.targets && ARRAY(SELECT id FROM written))) AS is_complete
        FROM replaced r
    )
    SELECT w.run_id, w.ended_at, w.overwrites_partitions, h.is_complete,
           d.namespace, d.name, d.facets #>> '{datasetType,1,datasetType}',
           i.facets #>> '{version,1,datasetVersion}', i.facets #> '{lineage_manifest,1}'
    FROM writer w
    CROSS JOIN history h
    JOIN lineage.access i ON i.run = w.id AND i.job = ANY (w.jobs) AND NOT i.output
    JOIN lineage.dataset d ON d.id = i.dataset
    ORDER BY w.last_seen DESC, w.run_id, d.namespace, d.name
$$;
COMMENT ON FUNCTION lineage.input_manifests IS
    'What the inputs of the runs were that completed writing a dataset since it was overwritten';
