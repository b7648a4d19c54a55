-- Not named cypher: a session with the schema lineage in its search_path would have two functions of that name.
-- Each row is a map from column to value. If columns is null, the header of the query names them, as in the files of
-- cypher/: // returns: a, b
CREATE OR REPLACE FUNCTION lineage.read_cypher(
    query text, params ag_catalog.agtype DEFAULT '{}', columns text[] DEFAULT NULL)
RETURNS SETOF ag_catalog.agtype
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, ag_catalog, pg_temp AS $$
DECLARE
    named text[] := coalesce(columns,
        regexp_split_to_array(trim(substring(query FROM '(?n)^// returns:(.*)$')), '\s*,\s*'));
    violation record;
    missing text;
BEGIN
    IF named IS NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = 'the columns of the query are not known',
            HINT = 'Begin the query with a line "// returns: a, b", or give the columns as array.';
    END IF;
    FOR violation IN SELECT * FROM lineage.check_cypher(query) LOOP
        RAISE insufficient_privilege USING
            MESSAGE = violation.message || format(', line %s column %s',
                1 + length(regexp_replace(left(query, violation.at - 1), '[^\n]', '', 'g')),
                1 + length(substring(left(query, violation.at - 1) FROM '[^\n]*$'))),
            HINT = violation.hint;
    END LOOP;
    RETURN QUERY SELECT * FROM lineage.run_cypher(lineage.cypher_statement(query, named), params);
    -- AGE takes null for a parameter without a value, so that the query has no rows. A syntax error is reported first.
    SELECT string_agg(DISTINCT t.next, ', ') INTO missing
    FROM (SELECT c.token, lead(c.token) OVER (ORDER BY c.place) AS next
          FROM lineage.cypher_tokens(query) WITH ORDINALITY AS c (token, place)) AS t
    WHERE t.token = '$' AND t.next ~ '^[A-Za-z_\u0080-\U0010FFFF]' AND NOT params OPERATOR(ag_catalog.?) t.next;
    IF missing IS NOT NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('the query lacks values for the parameters %s', missing),
            HINT = 'Give them as a JSON object: lineage.read_cypher(query, ''{"a": "x"}'')';
    END IF;
END $$;
COMMENT ON FUNCTION lineage.read_cypher IS 'Run a Cypher query with the rights of lineage_cypher';

-- The tokens of a query, as AGE's scanner (ag_scanner.l) splits it, with spaces and comments.
CREATE OR REPLACE FUNCTION lineage.cypher_tokens(query text) RETURNS SETOF text
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 100
SET search_path = pg_catalog, pg_temp AS $$
    SELECT t[1] FROM regexp_matches(query,
        '(//[^\n\r]*|/\*(?:[^*]|\*+[^*/])*\*+/|''(?:[^''\\]|\\.)*''|"(?:[^"\\]|\\.)*"|`[^`]*`'
        '|[A-Za-z_\u0080-\U0010FFFF][$0-9A-Za-z_\u0080-\U0010FFFF]*|[0-9]+|[ \t\n\v\f\r]+|::|.)', 'g') AS t
$$;
COMMENT ON FUNCTION lineage.cypher_tokens IS 'The tokens of a Cypher query, with spaces and comments';

-- The first part of a query that raw Cypher may not contain: its position (in characters, from 1), a message, and the
-- remedy; no row if there is none. read_cypher() and lineage.query check every query before it runs. A query for which
-- its tokens and those of AGE could differ is rejected.
CREATE OR REPLACE FUNCTION lineage.check_cypher(query text)
RETURNS TABLE (at int, message text, hint text)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE ROWS 1
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    -- The functions of Cypher that AGE has. Omitted are those with side effects, and those that load the graph into
    -- the session (vle, shortest_path, vertex_stats), because that copy may be stale.
    functions constant text[] := ARRAY[
        'id', 'start_id', 'end_id', 'startnode', 'endnode', 'type', 'label', 'labels', 'properties', 'keys',
        'nodes', 'relationships', 'length', 'size', 'head', 'last', 'tail', 'reverse', 'range', 'isempty',
        'exists', 'coalesce', 'count', 'collect', 'sum', 'avg', 'min', 'max', 'stdev', 'stdevp',
        'percentilecont', 'percentiledisc', 'all', 'any', 'none', 'single', 'reduce', 'abs', 'ceil', 'floor',
        'round', 'sign', 'rand', 'log', 'log10', 'exp', 'sqrt', 'e', 'pi', 'sin', 'cos', 'tan', 'cot', 'asin',
        'acos', 'atan', 'atan2', 'degrees', 'radians', 'tolower', 'toupper', 'trim', 'ltrim', 'rtrim', 'left',
        'right', 'substring', 'split', 'replace', 'tostring', 'tointeger', 'tofloat', 'toboolean',
        'tostringlist', 'tointegerlist', 'tofloatlist', 'tobooleanlist', 'timestamp'];
    -- Keywords: before a parenthesis they begin a pattern or an expression, not a call.
    words constant text[] := ARRAY[
        'match', 'optional', 'where', 'with', 'return', 'unwind', 'distinct', 'and', 'or', 'xor', 'not', 'in',
        'is', 'as', 'case', 'when', 'then', 'else', 'end', 'by', 'asc', 'ascending', 'desc', 'descending',
        'skip', 'limit', 'union', 'contains', 'starts', 'ends', 'create', 'merge', 'set', 'delete', 'detach',
        'remove', 'on', 'yield', 'call', 'null', 'true', 'false', 'order', 'explain', 'analyze', 'verbose'];
    types constant text[] := ARRAY[
        'vertex', 'edge', 'path', 'numeric', 'float', 'int', 'integer', 'bool', 'boolean', 'string'];
    name  constant text := '^[A-Za-z_\u0080-\U0010FFFF]';
    token  text;
    prev   text := '';   -- the previous tokens, without spaces and comments
    prev2  text := '';
    prev3  text := '';
    spaced boolean := true;
    opened text[] := '{}';
    ranges int[] := '{}'; -- nesting depth of the arguments of each open range()
    here   int := 1;
    at_prev  int := 1;
    at_prev3 int := 1;
    at_prev2 int := 1;
    used   text[] := '{}';  -- the names in the current part, from one WITH to the next
    copies numeric := 1;    -- how often the plan may contain an expression of a WITH
    withs  int := 0;
    own    int := 0;        -- 1 if the current part begins with a WITH
    number int := 0;        -- number of tokens
    most   numeric;
BEGIN
    IF length(query) > 100000 THEN
        RETURN QUERY SELECT 1, format('The query has %s characters; the maximum is 100,000', length(query)),
            'Pass long lists as a parameter.';
        RETURN;
    END IF;
    FOR token IN SELECT * FROM lineage.cypher_tokens(query) LOOP
        at := here;
        here := here + length(token);
        IF token ~ '^(//|/\*)' THEN
            IF NOT spaced AND prev ~ '^[!@#^&|~?+*/%<>=]$' THEN
                message := 'A comment begins in an operator';
                hint := 'Put a space before the comment.';
            END IF;
            spaced := true;
        ELSIF token ~ '^[ \t\n\v\f\r]' THEN
            spaced := true;
            CONTINUE;
        ELSIF token = '(' AND prev ~ '^`' THEN
            at := at_prev;
            message := format('The function %s is called by a quoted name', prev);
            hint := 'Write names of functions without backticks.';
        ELSIF token = '(' AND prev2 = '.' AND prev ~ name THEN
            at := at_prev3;
            message := format('The function %s.%s may not be called', prev3, prev);
            hint := 'Raw Cypher may read the graph and nothing else, by the functions of Cypher.';
        ELSIF token = '(' AND lower(prev) = 'operator' THEN
            at := at_prev;
            message := 'OPERATOR() may not be called';
            hint := 'Raw Cypher may read the graph and nothing else.';
        ELSIF token = '(' AND prev ~ name AND lower(prev) <> ALL (words)
              AND lower(prev) <> ALL (functions) THEN
            at := at_prev;
            message := format('The function %s may not be called', prev);
            hint := 'Raw Cypher may read the graph and nothing else, by the functions of Cypher.';
        ELSIF prev = '' AND lower(token) = 'explain' THEN
            message := 'EXPLAIN is not allowed';
            hint := 'Omit it; in psql, write EXPLAIN before SELECT * FROM cypher(...).';
        ELSIF prev = '::' AND lower(token) <> ALL (types) THEN
            message := format('A value may not be cast to %s', token);
            hint := format('It may be cast to %s.', array_to_string(types, ', '));
        ELSIF token = '*' AND opened[cardinality(opened)] = '-[' THEN
            message := 'AGE answers patterns of variable length, [*1..3], from a copy that may be stale';
            hint := '`lineage cypher` unrolls them; lineage.upstream() and downstream() trace any length.';
        ELSIF token = '|' AND opened[cardinality(opened)] = '-[' THEN
            message := 'AGE does not support alternatives of types, [:A|B]';
            hint := '`lineage cypher` rewrites them; or write -[e]- and WHERE type(e) IN [''A'', ''B''].';
        ELSIF cardinality(opened) = ranges[cardinality(ranges)]
            AND token ~ '^([0-9]{6,}|[$.*/^%[{`''"]|[A-Za-z_\u0080-\U0010FFFF]).*'
              AND lower(token) NOT IN ('size', 'length') THEN
            message := 'The bounds of range() are not literals';
            hint := 'Use numbers of up to five digits, size() or length().';
        ELSIF lower(token) IN ('with', 'return') AND lower(prev) NOT IN ('starts', 'ends', '.', ':') THEN
            -- The planner replaces each use of a name by its expression: s + s in thirty WITH gives 2^30 leaves, with
            -- 3 kB of memory for each.
            IF withs > own THEN
                SELECT max(n) INTO most FROM (SELECT count(*) AS n FROM unnest(used) AS u GROUP BY u) AS counted;
                copies := copies * coalesce(most, 1);
            END IF;
            own := (lower(token) = 'with')::int;
            withs := withs + own;
            used := '{}';
            IF copies * number > 200000 THEN
                message := 'Names are used so often in consecutive WITH clauses that planning would not end';
                hint := 'Use each name less often, write fewer WITH clauses, or pass long lists as a parameter.';
            END IF;
        ELSIF cardinality(opened) >= 100 AND token ~ '^[([{]$' THEN
            message := 'The query is nested more than 100 deep';
            hint := 'Pass nested values as a parameter.';
        END IF;
        IF message IS NOT NULL THEN
            RETURN NEXT;
            RETURN;
        END IF;
        CONTINUE WHEN token ~ '^(//|/\*)';
        IF token ~ '^[([{]$' THEN
            opened := opened || CASE WHEN token = '[' AND prev = '-' THEN '-[' ELSE token END;
            IF token = '(' AND lower(prev) = 'range' THEN
                ranges := ranges || cardinality(opened);
            END IF;
        ELSIF token ~ '^[])}]$' AND cardinality(opened) > 0 THEN
            IF cardinality(opened) = ranges[cardinality(ranges)] THEN
                ranges := ranges[:cardinality(ranges) - 1];
            END IF;
            opened := opened[:cardinality(opened) - 1];
        END IF;
        IF lower(token) = 'union' AND prev <> '.' THEN
            copies := 1;
            withs := 0;
            own := 0;
            used := '{}';
        END IF;
        number := number + 1;
        IF token ~ name AND prev <> '.' AND lower(token) <> ALL (words) THEN
            used := used || token;
        END IF;
        prev3 := prev2;
        prev2 := prev;
        prev := token;
        at_prev3 := at_prev2;
        at_prev2 := at_prev;
        at_prev := at;
        spaced := false;
    END LOOP;
    SELECT max(n) INTO most FROM (SELECT count(*) AS n FROM unnest(used) AS u GROUP BY u) AS counted;
    IF withs > own AND copies * most * number > 200000 THEN
        at := 1;
        message := 'Names are used so often in consecutive WITH clauses that planning would not end';
        hint := 'Use each name less often, write fewer WITH clauses, or pass long lists as a parameter.';
        RETURN NEXT;
    END IF;
END $$;
COMMENT ON FUNCTION lineage.check_cypher IS 'The first part of a query that raw Cypher may not contain';

-- The SQL statement that runs a Cypher query and returns a map for each row, as read_cypher() does.
CREATE OR REPLACE FUNCTION lineage.cypher_statement(query text, columns text[]) RETURNS text
LANGUAGE sql VOLATILE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
RETURN (
    -- The tag is random, so that the query cannot close the quote.
    WITH quoted AS MATERIALIZED (SELECT 'q' || replace(gen_random_uuid()::text, '-', '') AS tag)
    SELECT format('SELECT ag_catalog.agtype_build_map(%s) AS answer'
                  ' FROM ag_catalog.cypher(%L, $%s$%s$%s$, $1) AS (%s)',
                  string_agg(format('%L, %I', name, name), ', ' ORDER BY i),
                  'provenance', min(tag), min(query), min(tag),
                  string_agg(format('%I ag_catalog.agtype', name), ', ' ORDER BY i))
    FROM quoted, unnest(columns) WITH ORDINALITY AS c (name, i));

-- Run a statement with the rights of lineage_cypher. A SECURITY DEFINER function allows neither SET ROLE nor
-- set_config('role', ...), so the query cannot return to the rights of the caller.
CREATE OR REPLACE FUNCTION lineage.run_cypher(statement text, params ag_catalog.agtype)
RETURNS SETOF ag_catalog.agtype
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER
SET search_path = pg_catalog, ag_catalog, pg_temp
-- Limits of one query. transaction_timeout is for sessions without a statement_timeout, and terminates the session.
SET work_mem = '16MB' SET max_parallel_workers_per_gather = 0 SET jit = off
SET transaction_timeout = '5min' AS $$
DECLARE
    files constant text := current_setting('temp_file_limit');
    bound constant boolean := has_parameter_privilege('temp_file_limit', 'SET');
    plan  json;
    violation numeric;
BEGIN
    -- A call of any function of AGE loads its library, which must be loaded before cypher() is parsed.
    PERFORM ag_catalog.agtype_build_map();
    IF bound THEN
        PERFORM set_config('temp_file_limit', '1GB', true);
    END IF;
    -- The values that these functions aggregate are held in memory, which no setting limits.
    IF statement ~* '\m(collect|percentile)' THEN
        EXECUTE 'EXPLAIN (FORMAT JSON) ' || statement INTO plan USING params;
        SELECT max(r::text::numeric) INTO violation FROM jsonb_path_query(plan::jsonb, 'strict $.**."Plan Rows"') AS r;
        IF violation > 10000000 THEN
            RAISE program_limit_exceeded USING
                MESSAGE = format('the query would collect from about %s rows', to_char(violation, '9.9EEEE')),
                HINT = 'Begin with a named dataset, and connect each pattern to another.';
        END IF;
    END IF;
    RETURN QUERY EXECUTE statement USING params;
    IF bound THEN
        PERFORM set_config('temp_file_limit', files, true);
    END IF;
END $$;
COMMENT ON FUNCTION lineage.run_cypher IS 'Run a statement of cypher_statement() with the rights of lineage_cypher';

-- One SQL statement that returns the rows of all these Cypher queries.
CREATE OR REPLACE FUNCTION lineage.union_statement(queries text[], columns text[]) RETURNS text
LANGUAGE sql VOLATILE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
RETURN (SELECT string_agg(lineage.cypher_statement(query, columns), ' UNION ALL ' ORDER BY i)
        FROM unnest(queries) WITH ORDINALITY AS q (query, i));
COMMENT ON FUNCTION lineage.union_statement IS 'The SQL statement that returns the rows of several Cypher queries';

-- Run the statement rest over the rows of the statement matches, which it gets as the parameter whose name is in rows.
-- These rows are held in memory, so their number is limited.
CREATE OR REPLACE FUNCTION lineage.run_cypher_expansion(
    matches text, rest text, params ag_catalog.agtype, rows text)
RETURNS SETOF ag_catalog.agtype
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, ag_catalog, pg_temp AS $$
DECLARE
    most   constant int := 100000;
    violation  bigint;
    answer ag_catalog.agtype;
BEGIN
    SELECT count(*), ag_catalog.age_collect(m.answer) INTO violation, answer
    FROM (SELECT r.answer FROM lineage.run_cypher(matches, params) AS r (answer) LIMIT most + 1) AS m;
    IF violation > most THEN
        RAISE program_limit_exceeded USING
            MESSAGE = format('the pattern matches more than %s paths', most),
            HINT = 'Begin it at a dataset that is named, or lower its length; a trace of any length is a set: '
                   '`lineage query`, lineage.upstream() and downstream().';
    END IF;
    RETURN QUERY SELECT r FROM lineage.run_cypher(
        rest, params OPERATOR(ag_catalog.||) ag_catalog.agtype_build_map(rows, answer)) AS r;
END $$;
COMMENT ON FUNCTION lineage.run_cypher_expansion
    IS 'Run a statement over the rows of another, with the rights of lineage_cypher';

-- ALTER FUNCTION ... OWNER TO requires that the new owner may create objects in the schema.
GRANT CREATE ON SCHEMA lineage TO lineage_cypher;
ALTER FUNCTION lineage.run_cypher OWNER TO lineage_cypher;
REVOKE CREATE ON SCHEMA lineage FROM lineage_cypher;
REVOKE EXECUTE ON FUNCTION lineage.run_cypher, lineage.read_cypher FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lineage.run_cypher, lineage.read_cypher TO lineage_reader, lineage_writer;
