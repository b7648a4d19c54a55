-- Plan documents as the listener sent them, beside the events they gave.

-- Partitions by time need it in the key; it comes from the content as sha256 does, so a resend is the
-- same row.
CREATE TABLE lineage.document (
    sha256      bytea NOT NULL CHECK (length(sha256) = 32),
    time        timestamptz NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    application text NOT NULL,
    kind        text NOT NULL,
    execution   bigint,
    body        text NOT NULL
) PARTITION BY RANGE (time);
CREATE UNIQUE INDEX document_content ON lineage.document (sha256, time);
-- What one document leaves open, another one of the same execution tells.
CREATE INDEX document_execution ON lineage.document (application, execution, kind);

DO $$
BEGIN
    ALTER TABLE lineage.document ALTER COLUMN body SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN
    NULL;
END $$;

CREATE TABLE lineage.document_other PARTITION OF lineage.document DEFAULT;

-- A queue, as lineage.pending is. With a reason a document is set aside.
CREATE TABLE lineage.unconverted (
    sha256 bytea NOT NULL,
    time   timestamptz NOT NULL,
    reason text,
    PRIMARY KEY (sha256, time)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
CREATE INDEX unconverted_waiting ON lineage.unconverted (time) WHERE reason IS NULL;

ALTER TABLE lineage.event ADD COLUMN document bytea;

COMMENT ON TABLE lineage.document IS 'Every plan document as it came, once';
COMMENT ON COLUMN lineage.document.sha256 IS 'SHA-256 of body in UTF-8';
COMMENT ON COLUMN lineage.document.application IS 'UUID of the run of the Spark application';
COMMENT ON COLUMN lineage.document.execution IS 'Id of the root execution, where it is about one';
COMMENT ON TABLE lineage.unconverted IS 'Plan documents that have not given their events yet';
COMMENT ON COLUMN lineage.unconverted.reason IS 'Why it cannot be converted; null while it waits';
COMMENT ON COLUMN lineage.event.document IS 'SHA-256 of the plan document that gave it';

GRANT SELECT ON lineage.document, lineage.unconverted TO lineage_reader;
GRANT SELECT, INSERT ON lineage.document TO lineage_writer;
GRANT SELECT, INSERT, UPDATE, DELETE ON lineage.unconverted TO lineage_writer;
