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

-- Those of the newest designs of an existing graph, as far as the log has their events. Inferred designs are left out; the
-- next import adds them with their confidences.
DO $$
BEGIN
    IF EXISTS (SELECT FROM lineage.design) THEN
        INSERT INTO lineage.design_access (holder, dataset, output, first_seen, last_seen, revision)
        SELECT g.holder, d.id, side.output, e.event_time, e.event_time, g.revision
        FROM lineage.design g
        JOIN lineage.event e ON e.event_time = split_part(g.revision, ' ', 1)::timestamptz
            AND left(encode(e.sha256, 'hex'), 16) = split_part(g.revision, ' ', 2)
        CROSS JOIN LATERAL (SELECT lineage.event_json(e.body) AS parsed) AS b
        CROSS JOIN (VALUES ('inputs', false), ('outputs', true)) AS side (key, output)
        CROSS JOIN LATERAL json_array_elements(
            CASE json_typeof(b.parsed -> side.key) WHEN 'array' THEN b.parsed -> side.key END) AS reported
        JOIN lineage.dataset d ON d.namespace = reported ->> 'namespace' AND d.name = reported ->> 'name'
        WHERE g.job IS NOT NULL AND b.parsed #> '{job,facets,lineage_confidence}' IS NULL
        ON CONFLICT DO NOTHING;
    END IF;
END $$;
