-- Patterns of several lengths, which Python unrolls: what follows them runs over the rows of all of them.

-- The statements together, as rows of one.
CREATE FUNCTION lineage.cypher_statements(queries text[], columns text[]) RETURNS text
LANGUAGE sql VOLATILE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
RETURN (SELECT string_agg(lineage.cypher_statement(query, columns), ' UNION ALL ' ORDER BY i)
        FROM unnest(queries) WITH ORDINALITY AS q (query, i));

-- Runs rest, which finds the rows of matches as the parameter called rows. These are held in memory, so there
-- is a bound to their number.
CREATE FUNCTION lineage.run_cypher_over(matches text, rest text, params ag_catalog.agtype, rows text)
RETURNS SETOF ag_catalog.agtype
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, ag_catalog, pg_temp AS $$
DECLARE
    most   constant int := 100000;
    found  bigint;
    answer ag_catalog.agtype;
BEGIN
    SELECT count(*), ag_catalog.age_collect(m.answer) INTO found, answer
    FROM (SELECT r.answer FROM lineage.run_cypher(matches, params) AS r (answer) LIMIT most + 1) AS m;
    IF found > most THEN
        RAISE program_limit_exceeded USING
            MESSAGE = format('the pattern matches more than %s paths', most),
            HINT = 'Begin it at a dataset that is named, or lower its length; a trace of any length is a set: '
                   '`lineage query`, lineage.upstream() and downstream().';
    END IF;
    RETURN QUERY SELECT r FROM lineage.run_cypher(
        rest, params OPERATOR(ag_catalog.||) ag_catalog.agtype_build_map(rows, answer)) AS r;
END $$;
COMMENT ON FUNCTION lineage.cypher_statements IS 'The rows of several queries of Cypher as one statement';
COMMENT ON FUNCTION lineage.run_cypher_over IS 'Runs Cypher over the rows of other Cypher, with the rights of lineage_cypher';
