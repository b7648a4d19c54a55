-- Decode the hops of an item. Each is the number of its node, its outcome, one byte of flags, and the numbers that the
-- flags announce, in groups of 7 bits, lowest first: lineage.records.packing. Twin: its function unpack_hops.
CREATE OR REPLACE FUNCTION lineage.record_hops(
    hops bytea, OUT ordinal int, OUT node int, OUT outcome int, OUT cardinality int, OUT truncated boolean,
    OUT contributors bigint, OUT emissions bigint, OUT retries bigint) RETURNS SETOF record
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    at     int := 0;
    flags  int := 0;
    number bigint;
    shift  int;
    byte   int;
BEGIN
    ordinal := 0;
    WHILE at < length(hops) LOOP
        ordinal := ordinal + 1;
        contributors := NULL;
        emissions := NULL;
        retries := NULL;
        FOR field IN 0..3 LOOP
            -- 0 is the node; the others are present if flag 8, 16 or 32 is set.
            CONTINUE WHEN field > 0 AND flags & (4 << field) = 0;
            number := 0;
            shift := 0;
            LOOP
                byte := get_byte(hops, at);
                at := at + 1;
                number := number | ((byte & 127)::bigint << shift);
                shift := shift + 7;
                EXIT WHEN byte < 128;
            END LOOP;
            CASE field
                WHEN 0 THEN
                    node := number;
                    outcome := get_byte(hops, at);
                    flags := get_byte(hops, at + 1);
                    at := at + 2;
                    cardinality := flags & 3;
                    truncated := flags & 4 > 0;
                WHEN 1 THEN contributors := number;
                WHEN 2 THEN emissions := number;
                ELSE retries := number;
            END CASE;
        END LOOP;
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION lineage.record_hops IS 'The hops of an item of record_item, in order';

-- The names of outcomes, by their flags.
CREATE OR REPLACE FUNCTION lineage.outcome_names(outcome int) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ARRAY(SELECT name FROM unnest('{emitted,filtered_out,joined,aggregated,retried,error,dead_lettered}'::text[])
                              WITH ORDINALITY AS flag (name, bit)
             WHERE outcome & (1 << (bit::int - 1)) > 0 ORDER BY bit);
COMMENT ON FUNCTION lineage.outcome_names IS 'The names of the outcomes of an item';

-- The items of a run with the ids of the nodes that they passed.
CREATE OR REPLACE FUNCTION lineage.record_items(run uuid)
RETURNS TABLE (id uuid, outcomes text[], path text[], error text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT i.id, lineage.outcome_names(i.outcome),
           ARRAY(SELECT replace(n.pipeline_id::text, '-', '') || '::' || n.node
                 FROM lineage.record_hops(i.hops) AS h
                 JOIN lineage.record_node n ON n.run = i.run AND n.ordinal = h.node ORDER BY h.ordinal),
           i.error
    FROM lineage.record_item i WHERE i.run = record_items.run ORDER BY i.id
$$;
COMMENT ON FUNCTION lineage.record_items IS 'The sampled items of a run, and the nodes that they passed';

-- The hops of one item, in order.
CREATE OR REPLACE FUNCTION lineage.record_history(id uuid)
RETURNS TABLE (run uuid, ordinal int, node text, outcomes text[], contributors bigint, emissions bigint,
               retries bigint, error text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT i.run, h.ordinal, n.node, lineage.outcome_names(h.outcome), h.contributors, h.emissions, h.retries,
           CASE WHEN h.outcome & 32 > 0 THEN i.error END
    FROM lineage.record_item i
    CROSS JOIN LATERAL lineage.record_hops(i.hops) AS h
    JOIN lineage.record_node n ON n.run = i.run AND n.ordinal = h.node
    WHERE i.id = record_history.id ORDER BY i.run, h.ordinal
$$;
COMMENT ON FUNCTION lineage.record_history IS 'The hops of a sampled item';
