-- The inputs of the runs that last completed writing a dataset from others, with what they were then: the version of a
-- table that has versions, or the manifest of the files that were read. These are the last run of each job since the
-- dataset was overwritten, and the other writes of the dataset by their parent runs, the newest first, at most 100: an
-- application may write it in several parts. Runs without inputs, which change the definition of a dataset, are not
-- considered.
CREATE OR REPLACE FUNCTION lineage.input_manifests(dataset text)
RETURNS TABLE (run text, ended_at timestamptz, namespace text, name text, type text, version text, manifest jsonb)
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
    ), newest AS MATERIALIZED (
        SELECT a.id, a.parent, a.last_seen
        FROM written n
        JOIN lineage.dataset_job j ON j.dataset = n.id AND j.output
        CROSS JOIN LATERAL (
            SELECT r.id, r.facets #>> '{parent,1,run,runId}' AS parent, a.last_seen
            FROM lineage.access a JOIN lineage.run r ON r.id = a.run
            WHERE a.dataset = j.dataset AND a.output AND a.job = j.job
              AND a.last_seen >= (SELECT at FROM replaced)
              AND r.state = 'COMPLETE'
              AND EXISTS (SELECT FROM lineage.access i WHERE i.run = a.run AND i.job = a.job AND NOT i.output)
            ORDER BY a.last_seen DESC, r.run_id LIMIT 1
        ) a
    ), writer AS MATERIALIZED (
        SELECT DISTINCT r.id, r.run_id, r.ended_at, a.job, a.last_seen
        FROM newest w
        LEFT JOIN lineage.run p ON p.run_id = w.parent
        CROSS JOIN written n
        JOIN lineage.access a ON a.dataset = n.id AND a.output
             AND a.last_seen >= coalesce(p.started_at, p.first_seen, w.last_seen)
        JOIN lineage.run r ON r.id = a.run AND r.state = 'COMPLETE'
        WHERE (r.id = w.id OR r.facets #>> '{parent,1,run,runId}' = w.parent)
          AND EXISTS (SELECT FROM lineage.access i WHERE i.run = a.run AND i.job = a.job AND NOT i.output)
        ORDER BY a.last_seen DESC, r.run_id LIMIT 100
    )
    SELECT w.run_id, w.ended_at, d.namespace, d.name, d.facets #>> '{datasetType,1,datasetType}',
           i.facets #>> '{version,1,datasetVersion}', i.facets #> '{lineage_manifest,1}'
    FROM writer w
    JOIN lineage.access i ON i.run = w.id AND i.job = w.job AND NOT i.output
    JOIN lineage.dataset d ON d.id = i.dataset
    ORDER BY w.last_seen DESC, w.run_id, d.namespace, d.name
$$;
COMMENT ON FUNCTION lineage.input_manifests IS
    'What the inputs of the runs were that last completed writing a dataset';
