-- The inputs and outputs in the designs of jobs. The pairs of a design lack those of a job that only reads or only writes.
CREATE TABLE lineage.design_access (
    holder     bigint NOT NULL,
    dataset    bigint NOT NULL,
    output     boolean NOT NULL,
    first_seen timestamptz NOT NULL,
    last_seen  timestamptz NOT NULL,
    revision   text COLLATE "C" NOT NULL,
    confidence double precision NOT NULL DEFAULT 1,
    PRIMARY KEY (holder, dataset, output)
);
COMMENT ON TABLE lineage.design_access IS 'Inputs and outputs of jobs by their designs, under the reported names';
CREATE INDEX design_access_dataset ON lineage.design_access (dataset, output);
GRANT SELECT ON lineage.design_access TO lineage_reader;
GRANT SELECT, INSERT, UPDATE ON lineage.design_access TO lineage_writer;

-- For the datasets of a job, also those that it only read.
CREATE INDEX dataset_job_job ON lineage.dataset_job (job);

-- For the pairs of a design at one dataset. They replace the index on the holder alone.
CREATE INDEX declared_holder_source ON lineage.declared (holder, source);
CREATE INDEX declared_holder_target ON lineage.declared (holder, target);
DROP INDEX lineage.declared_holder;

-- Those of the newest designs of an existing graph, as far as the log has their events. Inputs that only the lineage facet
-- of a job names are added by a rebuild. An event that cannot be parsed is left out, as in lineage.event_name_hashes().
DO $$
DECLARE
    newest lineage.design;
    body text;
BEGIN
    FOR newest IN SELECT g.* FROM lineage.design g WHERE g.job IS NOT NULL LOOP
        SELECT e.body INTO body FROM lineage.event e
        WHERE e.event_time = split_part(newest.revision, ' ', 1)::timestamptz AND e.run_id IS NULL
          AND left(encode(e.sha256, 'hex'), 16) = split_part(newest.revision, ' ', 2);
        CONTINUE WHEN body IS NULL;
        BEGIN
            INSERT INTO lineage.design_access
            SELECT newest.holder, d.id, side.output, seen.at, seen.at, newest.revision, coalesce((
                       SELECT (c ->> 'confidence')::double precision
                       FROM json_array_elements(
                           CASE json_typeof(b.inferred -> side.key) WHEN 'array' THEN b.inferred -> side.key END) AS c
                       WHERE c ->> 'namespace' = d.namespace AND c ->> 'name' = d.name LIMIT 1), 1)
            FROM (SELECT e.parsed, e.parsed #> '{job,facets,lineage_confidence}' AS inferred
                  FROM lineage.event_json(body) AS e (parsed)) AS b
            CROSS JOIN (VALUES ('inputs', false), ('outputs', true)) AS side (key, output)
            CROSS JOIN LATERAL (SELECT split_part(newest.revision, ' ', 1)::timestamptz AS at) AS seen
            CROSS JOIN LATERAL json_array_elements(
                CASE json_typeof(b.parsed -> side.key) WHEN 'array' THEN b.parsed -> side.key END) AS reported
            JOIN lineage.dataset d ON d.namespace = reported ->> 'namespace' AND d.name = reported ->> 'name'
            ON CONFLICT DO NOTHING;
        EXCEPTION WHEN data_exception OR program_limit_exceeded OR statement_too_complex THEN
            NULL;
        END;
    END LOOP;
END $$;
