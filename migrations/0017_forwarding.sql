-- How far each backend has got that events are forwarded to.

CREATE TABLE lineage.forward (
    target        text PRIMARY KEY,
    position      bigint NOT NULL,
    sent          bigint NOT NULL DEFAULT 0,
    sent_at       timestamptz,
    failing_since timestamptz,
    error         text,
    CHECK ((failing_since IS NULL) = (error IS NULL))
);
COMMENT ON TABLE lineage.forward IS 'Backends that events are forwarded to';
COMMENT ON COLUMN lineage.forward.position IS 'All events up to this id are sent, or refused';
COMMENT ON COLUMN lineage.forward.sent IS 'How many were acknowledged; one sent again counts again';
COMMENT ON COLUMN lineage.forward.error IS 'Why it does not go on; null where it does';

-- An event that a backend answers to that it is no good: it would do so again.
CREATE TABLE lineage.forward_refused (
    target     text NOT NULL REFERENCES lineage.forward ON DELETE CASCADE,
    event      bigint NOT NULL,
    reason     text NOT NULL,
    refused_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (target, event)
);
COMMENT ON TABLE lineage.forward_refused IS 'Events that a backend refused, and what it said';

GRANT SELECT ON lineage.forward, lineage.forward_refused TO lineage_reader;
GRANT SELECT, INSERT, UPDATE, DELETE ON lineage.forward, lineage.forward_refused TO lineage_writer;
