-- Events with NaN and Infinity, which Python writes, are in the log as they came: to read one as JSON
-- they are null.
CREATE FUNCTION lineage.event_json(body text) RETURNS json
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN strpos(body, 'NaN') > 0 OR strpos(body, 'Infinity') > 0
            THEN regexp_replace(body, '([:,[]\s*)-?(?:NaN|Infinity)(?=\s*[],}])', '\1null', 'g')::json
            ELSE body::json END;
COMMENT ON FUNCTION lineage.event_json IS 'An event of the log as JSON; numbers that JSON has not are null';

-- As before, of such events too.
CREATE OR REPLACE FUNCTION lineage.named(body text) RETURNS bigint[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL UNSAFE AS $$
DECLARE
    said json;
BEGIN
    said := lineage.event_json(body);
    RETURN ARRAY(
        SELECT DISTINCT lineage.name_key(d.stated ->> 'namespace', d.stated ->> 'name')
        FROM (SELECT said -> 'dataset' AS stated
              UNION ALL
              SELECT each FROM json_array_elements(
                  CASE json_typeof(said -> 'inputs') WHEN 'array' THEN said -> 'inputs' END) AS each
              UNION ALL
              SELECT each FROM json_array_elements(
                  CASE json_typeof(said -> 'outputs') WHEN 'array' THEN said -> 'outputs' END) AS each
             ) AS d
        WHERE json_typeof(d.stated) = 'object'
          AND d.stated ->> 'namespace' IS NOT NULL AND d.stated ->> 'name' IS NOT NULL);
EXCEPTION WHEN data_exception OR program_limit_exceeded OR statement_too_complex THEN
    RETURN '{0}';
END $$;
