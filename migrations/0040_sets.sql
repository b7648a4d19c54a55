-- Traces a step at a time, what was met kept as a sorted array of numbers: PostgreSQL's extension intarray takes
-- one from another in one pass, where a recursive query has a row, a hash and two spools for each dataset.

-- Makes the two functions that traces need of sets: by the extension intarray, where the server has it and the
-- role may, else in SQL, which takes longer the more steps a trace has. True where it is by the extension, which
-- goes to a schema of its own: it gives arrays of integers other operators, that no query of others is to meet.
CREATE FUNCTION lineage.make_set_functions() RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    place name;
BEGIN
    BEGIN
        IF NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'intarray') THEN
            CREATE SCHEMA IF NOT EXISTS lineage_intarray;
            CREATE EXTENSION intarray SCHEMA lineage_intarray;
        END IF;
    EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported
                OR duplicate_object OR duplicate_function THEN
        NULL;
    END;
    SELECT n.nspname INTO place FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
    WHERE e.extname = 'intarray';
    EXECUTE format(
        'CREATE OR REPLACE FUNCTION lineage.with_all(a int[], b int[]) RETURNS int[]'
        ' LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN %s',
        CASE WHEN place IS NULL THEN 'a || b' ELSE format('a OPERATOR(%I.|) b', place) END);
    EXECUTE format(
        'CREATE OR REPLACE FUNCTION lineage.without(a int[], b int[]) RETURNS int[]'
        ' LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN %s',
        CASE WHEN place IS NULL THEN 'ARRAY(SELECT unnest(a) EXCEPT SELECT unnest(b))'
             ELSE format('a OPERATOR(%I.-) b', place) END);
    RETURN place IS NOT NULL;
END $$;

SELECT lineage.make_set_functions();

COMMENT ON FUNCTION lineage.make_set_functions IS 'Makes the extension intarray, which traces go by where it can be had';
COMMENT ON FUNCTION lineage.with_all IS 'The numbers of two sets';
COMMENT ON FUNCTION lineage.without IS 'The numbers of a set that another has not, each once';

-- What a trace meets with each distance, each dataset once, where it is nearest; roots are at 0. depth: how many
-- steps; null for all.
--
-- Ids of datasets are those of vertices: the number of the label in front, alike for all, and a number behind it,
-- which is what is kept of them here. It is below 2^31 for as long as there were fewer datasets than that.
CREATE OR REPLACE FUNCTION lineage.trace_levels(roots bigint[], direction text, depth int DEFAULT NULL)
RETURNS TABLE (distance int, ids bigint[])
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 20
-- The planner knows nothing of the arrays: every step is to go by index.
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    known bigint[] := array_remove(roots, NULL);
    label bigint := known[1] >> 48 << 48;
    step int[] := ARRAY(SELECT DISTINCT root - label FROM unnest(known) AS root);
    met int[] := '{}';
BEGIN
    IF direction NOT IN ('upstream', 'downstream') THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('direction "%s" is not upstream or downstream', direction);
    END IF;
    distance := 0;
    WHILE cardinality(step) > 0 LOOP
        ids := ARRAY(SELECT label + number FROM unnest(step) AS number);
        RETURN NEXT;
        EXIT WHEN distance >= depth;
        met := lineage.with_all(met, step);
        IF direction = 'upstream' THEN
            step := ARRAY(SELECT (f.source - label)::int FROM lineage.feeds f WHERE f.target = ANY (ids));
        ELSE
            step := ARRAY(SELECT (f.target - label)::int FROM lineage.feeds f WHERE f.source = ANY (ids));
        END IF;
        step := lineage.without(step, met);
        distance := distance + 1;
    END LOOP;
END $$;
