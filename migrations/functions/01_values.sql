-- The first id of a label. The number and the sequence of a label do not change while the graph exists.
CREATE OR REPLACE FUNCTION lineage.label_base(label name) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ag_catalog._label_id('provenance'::name, label)::bigint << 48;

CREATE OR REPLACE FUNCTION lineage.label_sequence(label name) RETURNS regclass
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN format('provenance.%I', label || '_id_seq')::regclass;

-- A new id for a vertex or an edge of a label, equal to that of the column default of the label.
CREATE OR REPLACE FUNCTION lineage.next_id(label name) RETURNS bigint
LANGUAGE sql VOLATILE
RETURN lineage.label_base(label) | nextval(lineage.label_sequence(label));

-- Both casts return null for null, so the planner can inline this function; _graphid() is not strict.
CREATE OR REPLACE FUNCTION lineage.to_graphid(id bigint) RETURNS ag_catalog.graphid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN id::text::ag_catalog.graphid;

-- ISO 8601 in UTC with microseconds, so that the order of the text is the order of the times.
CREATE OR REPLACE FUNCTION lineage.iso8601(t timestamptz) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN to_char(t AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');

-- A property map, without the keys that have no value.
CREATE OR REPLACE FUNCTION lineage.property_map(map jsonb) RETURNS ag_catalog.agtype
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN jsonb_strip_nulls(map)::text::ag_catalog.agtype;

-- The number if it is not negative and fits into an AGE integer, else null.
CREATE OR REPLACE FUNCTION lineage.nonnegative_count(value jsonb) RETURNS numeric
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN jsonb_typeof(value) = 'number' AND value::numeric BETWEEN 0 AND 9223372036854775807
            THEN trunc(value::numeric) END;

-- Paths distinguish a nested field from a column whose name contains a dot. In the path of a nested field, names
-- with a dot or a backquote are enclosed in backquotes; all names are, if another column of the dataset has a name
-- that begins like the path. The path of a top-level column is its name, unquoted. Twin:
-- lineage.spark.columns.algebra.path().
CREATE OR REPLACE FUNCTION lineage.quote_field(name text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN '`' || replace(name, '`', '``') || '`';

-- The end of windows such as window_days: the time of the newest event in the graph, not the clock, so that the
-- same log gives the same result. If that time is more than a day ahead of the clock, a producer's clock was wrong:
-- the end is now.
-- Events of runs and jobs report a job, so only datasets reported by later events are read besides the jobs.
CREATE OR REPLACE FUNCTION lineage.latest_event_time() RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off
RETURN (SELECT CASE WHEN newest.latest > now() + interval '1 day' THEN now() ELSE newest.latest END
        FROM (SELECT coalesce((SELECT max(d.last_seen) FROM lineage.dataset d
                               WHERE d.last_seen > coalesce(j.latest, '-infinity')), j.latest) AS latest
              FROM (SELECT max(j.last_seen) AS latest FROM lineage.job j) AS j) AS newest);
COMMENT ON FUNCTION lineage.latest_event_time IS
    'The time of the newest event in the graph, or the present time if that is more than a day in the future';

-- The number of samples, their median, and the median of their distances from it, robust against single outliers.
CREATE OR REPLACE FUNCTION lineage.median_and_spread(samples double precision[])
RETURNS TABLE (runs int, median double precision, spread double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1 AS $$
    SELECT m.runs, m.median,
           (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(v - m.median)) FROM unnest(m.samples) AS v)
    FROM (SELECT g.samples, count(v)::int AS runs, percentile_cont(0.5) WITHIN GROUP (ORDER BY v) AS median
          FROM (SELECT median_and_spread.samples OFFSET 0) AS g CROSS JOIN LATERAL unnest(g.samples) AS v
          GROUP BY g.samples) AS m
$$;

-- The range in which a value is expected after these samples; without bounds if they are fewer than five. It differs from
-- the median by 4 times the spread, by half of the median or by least_margin, whichever is the most.
CREATE OR REPLACE FUNCTION lineage.expected_range(samples double precision[], least_margin double precision)
RETURNS TABLE (runs int, median double precision, spread double precision, low double precision,
               high double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1 AS $$
    SELECT m.runs, m.median, m.spread, CASE WHEN m.runs >= 5 THEN m.median - m.margin END,
           CASE WHEN m.runs >= 5 THEN m.median + m.margin END
    FROM (SELECT s.*, greatest(4 * s.spread, s.median / 2, least_margin) AS margin
          FROM lineage.median_and_spread(samples) AS s OFFSET 0) AS m
$$;

-- 16,383 is the largest scale of a numeric.
CREATE OR REPLACE FUNCTION lineage.distance_from_scale(met numeric, depth int) RETURNS int
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF scale(met) = 16383 AND coalesce(depth, 16384) > 16383 THEN
        RAISE program_limit_exceeded USING
            MESSAGE = 'the trace is longer than 16,383 steps', HINT = 'Set depth.';
    END IF;
    RETURN scale(met);
END $$;

-- Create the two set functions that traces use: with the extension intarray if the server has it and the role may
-- create it, else in SQL, which is slower the more steps a trace has. Return whether the extension is used. It is
-- created in a schema of its own, because it redefines operators of integer arrays for queries that can see it.
CREATE OR REPLACE FUNCTION lineage.install_int_array_functions() RETURNS boolean
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
        'CREATE OR REPLACE FUNCTION lineage.int_array_union(a int[], b int[]) RETURNS int[]'
        ' LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN %s',
        CASE WHEN place IS NULL THEN 'a || b' ELSE format('a OPERATOR(%I.|) b', place) END);
    EXECUTE format(
        'CREATE OR REPLACE FUNCTION lineage.int_array_difference(a int[], b int[]) RETURNS int[]'
        ' LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN %s',
        CASE WHEN place IS NULL THEN 'ARRAY(SELECT unnest(a) EXCEPT SELECT unnest(b))'
             ELSE format('a OPERATOR(%I.-) b', place) END);
    RETURN place IS NOT NULL;
END $$;
COMMENT ON FUNCTION lineage.install_int_array_functions
    IS 'Create the set functions of traces, with the extension intarray if it is available';

-- Whether a name has the form of the path of a nested field, as lineage.schema_fields() writes it.
CREATE OR REPLACE FUNCTION lineage.is_path(name text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN strpos(name, '.') > 0 AND name ~ '^([^.`]+|`([^`]|``)+`)(\.([^.`]+|`([^`]|``)+`))+$';
COMMENT ON FUNCTION lineage.is_path IS 'Whether a name has the form of the path of a nested field';

-- The paths of the columns that enclose a nested field, the outermost first, which is written unquoted.
CREATE OR REPLACE FUNCTION lineage.enclosing_names(path text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    WITH part AS (
        SELECT p[1] AS name, n, count(*) OVER () AS parts, string_agg(p[1], '.') OVER (ORDER BY n) AS path
        FROM regexp_matches(enclosing_names.path, '([^.`]+|`(?:[^`]|``)+`)', 'g') WITH ORDINALITY AS t (p, n)
    )
    SELECT coalesce(array_agg(CASE WHEN n > 1 THEN part.path
                                   WHEN starts_with(name, '`')
                                       THEN replace(substr(name, 2, length(name) - 2), '``', '`')
                                   ELSE name END ORDER BY n), '{}')
    FROM part WHERE n < parts
$$;
COMMENT ON FUNCTION lineage.enclosing_names IS 'The names of the columns that enclose a nested field';
