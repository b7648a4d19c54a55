-- name: select_dataset_details(id) -> DatasetRow
-- Details of a dataset, merged over all its names.
SELECT array_agg(lineage.full_name(n.namespace, n.name) ORDER BY n.namespace, n.name)
           FILTER (WHERE n.id <> %(id)s) AS aliases,
       lineage.iso8601(min(n.first_seen)) AS first_seen, lineage.iso8601(max(n.last_seen)) AS last_seen,
       lineage.facet_tags_json(lineage.merged_facets(n.facets)) AS tags,
       lineage.facet_bodies(lineage.merged_facets(n.facets)) AS facets,
       (SELECT jsonb_agg(jsonb_build_array(j.id, j.namespace, j.name) ORDER BY j.namespace, j.name)
        FROM lineage.job j JOIN lineage.jobs_accessing_dataset(%(id)s, true) AS w (id) USING (id)
        WHERE lineage.has_job_written(j.id, %(id)s)) AS written_by,
       (SELECT jsonb_agg(jsonb_build_array(j.id, j.namespace, j.name) ORDER BY j.namespace, j.name)
        FROM lineage.job j JOIN lineage.jobs_accessing_dataset(%(id)s, false) AS w (id) USING (id)) AS read_by,
       (SELECT jsonb_agg(jsonb_build_array(j.id, j.namespace, j.name))
        FROM lineage.jobs_declaring_access(ARRAY[%(id)s::bigint], true) AS a
        JOIN lineage.job j ON j.id = a.job) AS declared_written_by,
       (SELECT jsonb_agg(jsonb_build_array(j.id, j.namespace, j.name))
        FROM lineage.jobs_declaring_access(ARRAY[%(id)s::bigint], false) AS a
        JOIN lineage.job j ON j.id = a.job) AS declared_read_by
FROM lineage.dataset n WHERE n.canonical = %(id)s

-- name: select_declared_edges(id) -> DeclaredRow
-- Declared edges of a dataset that no run produced.
SELECT d.target = %(id)s AS is_target, d.source = %(id)s AS is_source,
       s.id AS source, s.namespace AS source_namespace, s.name AS source_name,
       t.id AS target, t.namespace AS target_namespace, t.name AS target_name
FROM (SELECT * FROM lineage.declared WHERE target = %(id)s AND NOT observed
      UNION SELECT * FROM lineage.declared WHERE source = %(id)s AND NOT observed) AS d
JOIN lineage.dataset s ON s.id = d.source
JOIN lineage.dataset t ON t.id = d.target

-- name: select_job_details(id) -> JobRow
-- Details of a job. Sources that only lineage facets name are in FEEDS alone.
SELECT j.facets #>> '{jobType,1,jobType}' AS type, lineage.iso8601(j.first_seen) AS first_seen,
       lineage.iso8601(j.last_seen) AS last_seen, lineage.facet_bodies(j.facets) AS facets,
       (SELECT jsonb_agg(jsonb_build_array(d.id, d.namespace, d.name))
        FROM (SELECT f.source AS id FROM lineage.feeds f WHERE f.job = j.id
              UNION SELECT n.canonical FROM lineage.dataset_job u JOIN lineage.dataset n ON n.id = u.dataset
              WHERE u.job = j.id AND NOT u.output) AS i
        JOIN lineage.dataset d USING (id)) AS inputs,
       (SELECT jsonb_agg(jsonb_build_array(d.id, d.namespace, d.name))
        FROM (SELECT f.target AS id FROM lineage.feeds f WHERE f.job = j.id
              UNION SELECT n.canonical FROM lineage.dataset_job u JOIN lineage.dataset n ON n.id = u.dataset
              WHERE u.job = j.id AND u.output AND lineage.has_job_written(j.id, n.canonical)) AS o
        JOIN lineage.dataset d USING (id)) AS outputs,
       (SELECT jsonb_agg(DISTINCT jsonb_build_array(d.id, d.namespace, d.name))
        FROM (SELECT dataset FROM lineage.datasets_declared(ARRAY[j.id], 'upstream')
              UNION ALL SELECT dataset FROM lineage.unpaired_datasets(ARRAY[j.id], 'upstream')) AS b
        JOIN lineage.dataset d ON d.id = b.dataset) AS declared_inputs,
       (SELECT jsonb_agg(DISTINCT jsonb_build_array(d.id, d.namespace, d.name))
        FROM (SELECT dataset FROM lineage.datasets_declared(ARRAY[j.id], 'downstream')
              UNION ALL SELECT dataset FROM lineage.unpaired_datasets(ARRAY[j.id], 'downstream')) AS b
        JOIN lineage.dataset d ON d.id = b.dataset) AS declared_outputs
FROM lineage.job j WHERE j.id = %(id)s

-- name: select_run_details(run_id) -> RunRow
-- Details of a run.
SELECT lineage.run_record(r) AS run,
       (SELECT jsonb_agg(jsonb_build_array(j.id, j.namespace, j.name) ORDER BY j.namespace, j.name)
        FROM lineage.execution x JOIN lineage.job j ON j.id = x.job WHERE x.run = r.id) AS jobs,
       (SELECT array_agg(p.run_id ORDER BY p.run_id) FROM provenance."PARENT" e
        JOIN lineage.run p ON lineage.to_graphid(p.id) OPERATOR(ag_catalog.=) e.end_id
        WHERE e.start_id OPERATOR(ag_catalog.=) lineage.to_graphid(r.id)) AS parents,
       (SELECT array_agg(c.run_id ORDER BY c.run_id) FROM provenance."PARENT" e
        JOIN lineage.run c ON lineage.to_graphid(c.id) OPERATOR(ag_catalog.=) e.start_id
        WHERE e.end_id OPERATOR(ag_catalog.=) lineage.to_graphid(r.id)) AS children,
       lineage.facet_bodies(r.facets) AS facets,
       (SELECT jsonb_agg(jsonb_build_array(a.output, c.id, c.namespace, c.name, j.id, j.namespace,
                                           j.name, lineage.facet_bodies(a.facets),
                                           a.output AND lineage.has_committed(r, a.job))
                         ORDER BY a.output, c.namespace, c.name, j.namespace, j.name, d.namespace, d.name)
        FROM lineage.access a JOIN lineage.dataset d ON d.id = a.dataset
        JOIN lineage.dataset c ON c.id = d.canonical JOIN lineage.job j ON j.id = a.job
        WHERE a.run = r.id) AS accesses, r.id
FROM lineage.run r WHERE r.run_id = %(run_id)s
