-- The event log: the source of truth. The graph and all facts can be made from it again.

CREATE TABLE lineage.event (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    sha256      bytea NOT NULL CHECK (length(sha256) = 32),
    event_time  timestamptz NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    run_id      text,
    body        text NOT NULL
);
-- A resend is the same row. sha256 and event_time both come from the content alone, so the key holds
-- over partitions by event_time as well.
CREATE UNIQUE INDEX event_content ON lineage.event (sha256, event_time);
CREATE INDEX event_run ON lineage.event (run_id, event_time) WHERE run_id IS NOT NULL;

-- 5 KB of JSON: lz4 costs a third of the default's time. A server built without it keeps the default.
DO $$
BEGIN
    ALTER TABLE lineage.event ALTER COLUMN body SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN
    NULL;
END $$;

COMMENT ON TABLE lineage.event IS 'Every OpenLineage event as it came, once';
COMMENT ON COLUMN lineage.event.sha256 IS 'SHA-256 of body in UTF-8';
COMMENT ON COLUMN lineage.event.event_time IS 'eventTime of the event';
COMMENT ON COLUMN lineage.event.run_id IS 'run.runId; null for a JobEvent or a DatasetEvent';
COMMENT ON COLUMN lineage.event.body IS 'The JSON text, verbatim without surrounding white space';
