-- Raw Cypher from people. It runs with the rights of lineage_cypher whoever calls it: inside a function
-- of that owner neither SET ROLE nor set_config('role', ...) is allowed, so that a query cannot become
-- the caller again.

-- query: Cypher. columns: how many it returns. Each row is a list of its values.
CREATE FUNCTION lineage.cypher(query text, columns int, params ag_catalog.agtype DEFAULT '{}')
RETURNS SETOF ag_catalog.agtype
LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE SECURITY DEFINER
SET search_path = pg_catalog, ag_catalog, pg_temp AS $$
DECLARE
    -- Nobody can close a quote whose tag is not known when the query is written.
    tag   text := 'q' || replace(gen_random_uuid()::text, '-', '');
    names text := (SELECT string_agg('c' || i, ', ' ORDER BY i) FROM generate_series(1, columns) AS i);
BEGIN
    -- Any function of AGE loads its library, which has to be there before cypher() is parsed.
    PERFORM ag_catalog.agtype_build_map();
    RETURN QUERY EXECUTE format(
        'SELECT ag_catalog.agtype_build_list(%1$s) FROM ag_catalog.cypher(''provenance'', $%2$s$%3$s$%2$s$, $1)'
        ' AS (%4$s)',
        names, tag, query,
        (SELECT string_agg(format('c%s ag_catalog.agtype', i), ', ' ORDER BY i)
         FROM generate_series(1, columns) AS i))
    USING params;
END $$;
COMMENT ON FUNCTION lineage.cypher IS 'Runs a Cypher query with the rights of lineage_cypher';

DO $$
BEGIN
    -- The owner of a function must be able to create in its schema at the moment it is given.
    GRANT CREATE ON SCHEMA lineage TO lineage_cypher;
    ALTER FUNCTION lineage.cypher OWNER TO lineage_cypher;
    REVOKE CREATE ON SCHEMA lineage FROM lineage_cypher;
END $$;
REVOKE EXECUTE ON FUNCTION lineage.cypher FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lineage.cypher TO lineage_reader, lineage_writer;
