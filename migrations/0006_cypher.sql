-- Raw Cypher from people. It runs with the rights of lineage_cypher whoever calls it: inside a function
-- of that owner neither SET ROLE nor set_config('role', ...) is allowed, so that a query cannot become
-- the caller again.

-- Not called cypher: who has the schema lineage in his search_path would have two functions of that name.
-- Each row is a map from column to value. Without columns the query's header names them, as those in
-- cypher/ do: // returns: a, b
CREATE FUNCTION lineage.read_cypher(query text, params ag_catalog.agtype DEFAULT '{}',
                               columns text[] DEFAULT NULL)
RETURNS SETOF ag_catalog.agtype
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SECURITY DEFINER
SET search_path = pg_catalog, ag_catalog, pg_temp AS $$
DECLARE
    -- Nobody can close a quote whose tag is not known when the query is written.
    tag   text := 'q' || replace(gen_random_uuid()::text, '-', '');
    named text[] := coalesce(columns,
        regexp_split_to_array(trim(substring(query FROM '(?n)^// returns:(.*)$')), '\s*,\s*'));
BEGIN
    IF named IS NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = 'the columns of the query are not known',
            HINT = 'Begin the query with a line "// returns: a, b", or give the columns as array.';
    END IF;
    -- Any function of AGE loads its library, which has to be there before cypher() is parsed.
    PERFORM ag_catalog.agtype_build_map();
    RETURN QUERY EXECUTE (
        SELECT format('SELECT ag_catalog.agtype_build_map(%s) FROM ag_catalog.cypher(%L, $%s$%s$%s$, $1)'
                      ' AS (%s)',
                      string_agg(format('%L, %I', column_name, column_name), ', ' ORDER BY i),
                      'provenance', tag, query, tag,
                      string_agg(format('%I ag_catalog.agtype', column_name), ', ' ORDER BY i))
        FROM unnest(named) WITH ORDINALITY AS c (column_name, i))
    USING params;
END $$;
COMMENT ON FUNCTION lineage.read_cypher IS 'Runs a Cypher query with the rights of lineage_cypher';

-- Who is given a function must be able to create in its schema at that moment.
GRANT CREATE ON SCHEMA lineage TO lineage_cypher;
ALTER FUNCTION lineage.read_cypher OWNER TO lineage_cypher;
REVOKE CREATE ON SCHEMA lineage FROM lineage_cypher;
REVOKE EXECUTE ON FUNCTION lineage.read_cypher FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lineage.read_cypher TO lineage_reader, lineage_writer;
