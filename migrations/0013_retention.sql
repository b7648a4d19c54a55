-- Log and documents in a partition for each month, so that old months can be dropped.

-- What is older than the first month, or in none of those made, has partitions of its own: whether there
-- is one for a month decides how quickly it goes, not whether something can be written.
CREATE TABLE lineage.retention (
    dropped_at timestamptz PRIMARY KEY DEFAULT now(),
    kept_from  timestamptz NOT NULL,
    events     bigint NOT NULL,
    documents  bigint NOT NULL
);
COMMENT ON TABLE lineage.retention IS 'Since when the log is kept; without a row it is whole';

ALTER TABLE lineage.event RENAME TO event_before;
ALTER TABLE lineage.event_before ALTER COLUMN id DROP IDENTITY;
ALTER TABLE lineage.event_before DROP CONSTRAINT event_pkey;
ALTER INDEX lineage.event_content RENAME TO event_before_content;
ALTER INDEX lineage.event_run RENAME TO event_before_run;
CREATE INDEX event_before_id ON lineage.event_before (id);

CREATE SEQUENCE lineage.event_id_seq;
SELECT setval('lineage.event_id_seq', max(id)) FROM lineage.event_before HAVING max(id) IS NOT NULL;

CREATE TABLE lineage.event (LIKE lineage.event_before INCLUDING DEFAULTS INCLUDING CONSTRAINTS
    INCLUDING COMPRESSION INCLUDING STORAGE INCLUDING COMMENTS) PARTITION BY RANGE (event_time);
ALTER TABLE lineage.event ALTER COLUMN id SET DEFAULT nextval('lineage.event_id_seq');
ALTER SEQUENCE lineage.event_id_seq OWNED BY lineage.event.id;
COMMENT ON TABLE lineage.event IS 'Every OpenLineage event as it came, once';
COMMENT ON TABLE lineage.event_before IS NULL;
CREATE UNIQUE INDEX event_content ON lineage.event (sha256, event_time);
CREATE INDEX event_run ON lineage.event (run_id, event_time) WHERE run_id IS NOT NULL;
CREATE INDEX event_id ON lineage.event (id);
CREATE TABLE lineage.event_other PARTITION OF lineage.event DEFAULT;

CREATE TABLE lineage.document_before (LIKE lineage.document INCLUDING ALL);

DO $$
DECLARE
    month timestamptz := date_trunc('month', now(), 'UTC');
BEGIN
    IF EXISTS (SELECT FROM lineage.event_before WHERE event_time >= month) THEN
        month := date_trunc('month', month + interval '32 days', 'UTC');
    END IF;
    WITH later AS (DELETE FROM lineage.event_before WHERE event_time >= month RETURNING *)
    INSERT INTO lineage.event SELECT * FROM later;
    EXECUTE format('ALTER TABLE lineage.event ATTACH PARTITION lineage.event_before'
                   ' FOR VALUES FROM (MINVALUE) TO (%L)', month);
    WITH earlier AS (DELETE FROM lineage.document WHERE time < month RETURNING *)
    INSERT INTO lineage.document_before SELECT * FROM earlier;
    EXECUTE format('ALTER TABLE lineage.document ATTACH PARTITION lineage.document_before'
                   ' FOR VALUES FROM (MINVALUE) TO (%L)', month);
END $$;

-- With its time an event of the queue is looked for in one partition.
ALTER TABLE lineage.pending ADD COLUMN event_time timestamptz;
UPDATE lineage.pending p SET event_time = e.event_time FROM lineage.event e WHERE e.id = p.event;
ALTER TABLE lineage.pending ALTER COLUMN event_time SET NOT NULL;

-- Makes the partitions of this month and the next where there are none. To attach one, PostgreSQL reads
-- all that is in no other: where that is much, somebody is in the way, or something of that month is
-- elsewhere already, it is left out.
CREATE FUNCTION lineage.make_partitions() RETURNS int
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET lock_timeout = '2s' AS $$
DECLARE
    parent text;
    month  timestamptz;
    part   text;
    made   int := 0;
BEGIN
    FOREACH parent IN ARRAY ARRAY['event', 'document'] LOOP
        FOR n IN 0..1 LOOP
            month := date_trunc('month', now()) + make_interval(months => n);
            part := parent || to_char(month, '"_"YYYY"_"MM');
            CONTINUE WHEN to_regclass('lineage.' || part) IS NOT NULL
                       OR pg_relation_size(format('lineage.%I', parent || '_other')) > 64 << 20;
            BEGIN
                EXECUTE format('CREATE TABLE lineage.%I (LIKE lineage.%I INCLUDING ALL)', part, parent);
                EXECUTE format('ALTER TABLE lineage.%I ATTACH PARTITION lineage.%I'
                               ' FOR VALUES FROM (%L) TO (%L)',
                               parent, part, month, month + interval '1 month');
                made := made + 1;
            EXCEPTION WHEN lock_not_available OR duplicate_table OR invalid_object_definition
                        OR check_violation THEN
                NULL;
            END;
        END LOOP;
    END LOOP;
    RETURN made;
END $$;

-- Drops the log and the documents of all months before the one that has this time. What the graph says of
-- them stays. Whoever writes waits meanwhile.
CREATE FUNCTION lineage.prune(before timestamptz) RETURNS lineage.retention
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    floor timestamptz := date_trunc('month', before);
    done  lineage.retention;
    part  text;
    key   text;
    stays boolean;
BEGIN
    IF floor > now() THEN
        RAISE invalid_parameter_value USING MESSAGE = format('%s is in the future', before);
    END IF;
    LOCK TABLE lineage.document, lineage.event IN ACCESS EXCLUSIVE MODE;
    IF EXISTS (SELECT FROM lineage.pending WHERE event_time < floor)
       OR EXISTS (SELECT FROM lineage.unconverted WHERE time < floor AND reason IS NULL) THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('not all from before %s is in the graph yet', floor),
            HINT = 'Let lineage serve draw it first.';
    END IF;
    done := ROW (now(), floor, (SELECT count(*) FROM lineage.event WHERE event_time < floor),
                 (SELECT count(*) FROM lineage.document WHERE time < floor));
    DELETE FROM lineage.refused r USING lineage.event e WHERE e.id = r.event AND e.event_time < floor;
    DELETE FROM lineage.unconverted WHERE time < floor;
    FOR part IN
        SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent IN ('lineage.event'::regclass, 'lineage.document'::regclass)
          AND c.relname ~ '_\d{4}_\d\d$'
          AND to_date(right(c.relname, 7), 'YYYY_MM') < floor::date
    LOOP
        EXECUTE format('DROP TABLE lineage.%I', part);
    END LOOP;
    FOR part, key IN VALUES ('event_before', 'event_time'), ('event_other', 'event_time'),
                            ('document_before', 'time'), ('document_other', 'time')
    LOOP
        EXECUTE format('SELECT EXISTS (SELECT FROM lineage.%I WHERE %I >= $1)', part, key)
        INTO stays USING floor;
        IF stays THEN
            EXECUTE format('DELETE FROM lineage.%I WHERE %I < $1', part, key) USING floor;
        ELSE
            EXECUTE format('TRUNCATE lineage.%I', part);
        END IF;
    END LOOP;
    IF done.events + done.documents > 0 THEN
        INSERT INTO lineage.retention SELECT (done).*;
    END IF;
    RETURN done;
END $$;

COMMENT ON FUNCTION lineage.make_partitions IS 'Makes the partitions of this month and the next';
COMMENT ON FUNCTION lineage.prune IS 'Drops the log and the documents of the months before a time';

SELECT lineage.make_partitions();

REVOKE EXECUTE ON FUNCTION lineage.make_partitions, lineage.prune FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lineage.make_partitions TO lineage_writer;
GRANT SELECT ON lineage.event, lineage.retention TO lineage_reader, lineage_writer;
GRANT INSERT ON lineage.event TO lineage_writer;
GRANT USAGE, SELECT ON SEQUENCE lineage.event_id_seq TO lineage_writer;
