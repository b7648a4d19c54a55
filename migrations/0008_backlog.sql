-- Events of the log that the graph does not show yet, and those that it cannot show.

-- A queue: the collector adds to it in the transaction that appends to the log, the projection takes
-- from it in the transaction that draws. Order does not matter to the graph, so neither do gaps.
CREATE TABLE lineage.pending (
    event bigint PRIMARY KEY
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- An event that the database would not take into the graph: set aside, so that the rest goes on.
CREATE TABLE lineage.refused (
    event      bigint PRIMARY KEY,
    reason     text NOT NULL,
    refused_at timestamptz NOT NULL DEFAULT now()
);

COMMENT ON TABLE lineage.pending IS 'Events of the log that are not in the graph yet';
COMMENT ON TABLE lineage.refused IS 'Events of the log that cannot be brought into the graph, and why';

GRANT SELECT ON lineage.pending, lineage.refused TO lineage_reader;
GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON lineage.pending, lineage.refused TO lineage_writer;
