-- Create the partitions of this month and the next if they do not exist. To attach a partition, PostgreSQL reads the
-- default partition. A partition is therefore omitted if that is large, if another session holds a conflicting lock,
-- or if rows of that month are already in another partition.
CREATE OR REPLACE FUNCTION lineage.create_partitions() RETURNS int
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET lock_timeout = '2s' AS $$
DECLARE
    parent text;
    month  timestamptz;
    part   text;
    created   int := 0;
BEGIN
    FOREACH parent IN ARRAY ARRAY['event', 'plan_document'] LOOP
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
                created := created + 1;
            EXCEPTION WHEN lock_not_available OR duplicate_table OR invalid_object_definition
                        OR check_violation THEN
                NULL;
            END;
        END LOOP;
    END LOOP;
    RETURN created;
END $$;
COMMENT ON FUNCTION lineage.create_partitions IS 'Create the partitions of this month and the next';

-- Drop the rows of a table of the log, lineage.event or lineage.plan_document, from before the first instant of a
-- month: its partitions, and the rows of the partitions _before and _other. key is the column of the time.
CREATE OR REPLACE FUNCTION lineage.drop_months(log text, key text, floor timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    part  text;
    stays boolean;
BEGIN
    FOR part IN
        SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = format('lineage.%I', log)::regclass
          AND c.relname ~ '_\d{4}_\d\d$'
          AND to_date(right(c.relname, 7), 'YYYY_MM') < floor::date
    LOOP
        EXECUTE format('DROP TABLE lineage.%I', part);
    END LOOP;
    FOREACH part IN ARRAY ARRAY[log || '_before', log || '_other'] LOOP
        EXECUTE format('SELECT EXISTS (SELECT FROM lineage.%I WHERE %I >= $1)', part, key)
        INTO stays USING floor;
        IF stays THEN
            EXECUTE format('DELETE FROM lineage.%I WHERE %I < $1', part, key) USING floor;
        ELSE
            EXECUTE format('TRUNCATE lineage.%I', part);
        END IF;
    END LOOP;
END $$;
COMMENT ON FUNCTION lineage.drop_months IS 'Drop the rows of a table of the log from before a month';

-- Drop the events from before the first instant of a month, after they have been projected or archived.
CREATE OR REPLACE FUNCTION lineage.drop_events(floor timestamptz) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
    DELETE FROM lineage.rejected_event r USING lineage.event e WHERE e.id = r.event AND e.event_time < floor;
    DELETE FROM lineage.superseded_event s USING lineage.event e WHERE e.id = s.event AND e.event_time < floor;
    SELECT lineage.drop_months('event', 'event_time', floor);
END;
COMMENT ON FUNCTION lineage.drop_events IS 'Drop the events from before a month';

-- Drop events and plan documents of all months before the one that contains this time. Their lineage stays in the
-- graph. Writers wait until it is done.
CREATE OR REPLACE FUNCTION lineage.prune(before timestamptz) RETURNS lineage.retention
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    floor timestamptz := date_trunc('month', before);
    done  lineage.retention;
BEGIN
    IF floor > now() THEN
        RAISE invalid_parameter_value USING MESSAGE = format('%s is in the future', before);
    END IF;
    LOCK TABLE lineage.plan_document, lineage.event IN ACCESS EXCLUSIVE MODE;
    IF EXISTS (SELECT FROM lineage.projection_queue WHERE event_time < floor)
       OR EXISTS (SELECT FROM lineage.plan_document_queue WHERE time < floor AND reason IS NULL) THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('not all from before %s is in the graph yet', floor),
            HINT = 'Run lineage serve until lineage status shows no pending events.';
    END IF;
    done := ROW (now(), floor, (SELECT count(*) FROM lineage.event WHERE event_time < floor),
                 (SELECT count(*) FROM lineage.plan_document WHERE time < floor), false);
    DELETE FROM lineage.plan_document_queue WHERE time < floor;
    PERFORM lineage.drop_events(floor);
    PERFORM lineage.drop_months('plan_document', 'time', floor);
    IF done.events + done.documents > 0 THEN
        INSERT INTO lineage.retention SELECT (done).*;
    END IF;
    RETURN done;
END $$;
COMMENT ON FUNCTION lineage.prune IS 'Drop events and plan documents of the months before a time';

REVOKE EXECUTE ON FUNCTION lineage.create_partitions, lineage.drop_events, lineage.drop_months, lineage.prune FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lineage.create_partitions TO lineage_writer;
