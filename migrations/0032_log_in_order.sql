-- The key of the log begins with what grows: new entries go to its end, not to a page anywhere in it, each of
-- which PostgreSQL would write anew after a checkpoint.
CREATE UNIQUE INDEX event_key ON lineage.event (event_time, sha256);
DROP INDEX lineage.event_content;
