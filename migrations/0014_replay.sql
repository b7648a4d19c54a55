-- Events whose plan document was converted anew, and then did not give them any more.

CREATE TABLE lineage.replaced (
    event       bigint PRIMARY KEY,
    replaced_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE lineage.replaced IS 'Events of the log that a later conversion of their document replaced';

CREATE INDEX event_document ON lineage.event (document) WHERE document IS NOT NULL;

GRANT SELECT ON lineage.replaced TO lineage_reader;
GRANT SELECT, INSERT, DELETE ON lineage.replaced TO lineage_writer;
