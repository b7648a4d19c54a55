-- The datasets that a name matches. The name may be the full name as lineage.full_name() returns it, namespace and
-- name joined by / or :, the bare name, or a suffix of the full name that follows one of / . :
-- Aliases match like names. Only the matches of the first of these kinds that has any are returned.
CREATE OR REPLACE FUNCTION lineage.match_datasets(dataset text)
RETURNS TABLE (id bigint, namespace text, name text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET enable_seqscan = off AS $$
    WITH fitting (canonical, match) AS (
        SELECT d.canonical, 1
        FROM generate_series(1, length(match_datasets.dataset)) AS i
        JOIN lineage.dataset d
          ON d.namespace = left(match_datasets.dataset, i - 1)
         AND d.name IN (substr(match_datasets.dataset, i + 1),
                        CASE WHEN substr(match_datasets.dataset, i, 1) = '/' THEN substr(match_datasets.dataset, i) END)
        WHERE substr(match_datasets.dataset, i, 1) IN ('/', ':')
        UNION ALL
        SELECT d.canonical, CASE WHEN d.name = match_datasets.dataset THEN 2 ELSE 3 END
        FROM lineage.dataset d
        WHERE match_datasets.dataset <> ''
          AND reverse(lineage.full_name(d.namespace, d.name)) COLLATE "C" ^@ reverse(match_datasets.dataset)
          AND (d.name = match_datasets.dataset
               OR substr(reverse(lineage.full_name(d.namespace, d.name)), length(match_datasets.dataset) + 1, 1)
                  IN ('/', '.', ':', ''))
    )
    SELECT DISTINCT c.id, c.namespace, c.name
    FROM fitting JOIN lineage.dataset c ON c.id = fitting.canonical
    WHERE fitting.match = (SELECT min(match) FROM fitting)
    ORDER BY c.namespace, c.name
$$;
COMMENT ON FUNCTION lineage.match_datasets IS 'The datasets that a name matches';

-- The jobs that a name matches, by the same rules: namespace and name joined by / or :, the bare name, or a suffix
-- of it that follows one of / . :
CREATE OR REPLACE FUNCTION lineage.match_jobs(job text)
RETURNS TABLE (id bigint, namespace text, name text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$
    WITH fitting AS (
        SELECT j.id, j.namespace, j.name,
               CASE WHEN match_jobs.job IN (j.namespace || '/' || j.name, j.namespace || ':' || j.name) THEN 1
                    WHEN match_jobs.job = j.name THEN 2 ELSE 3 END AS match
        FROM lineage.job j
        WHERE match_jobs.job IN (j.name, j.namespace || '/' || j.name, j.namespace || ':' || j.name)
           OR match_jobs.job <> '' AND right(j.name, length(match_jobs.job) + 1)
                               IN ('/' || match_jobs.job, '.' || match_jobs.job, ':' || match_jobs.job)
    )
    SELECT id, namespace, name FROM fitting
    WHERE match = (SELECT min(match) FROM fitting)
    ORDER BY namespace, name
$$;
COMMENT ON FUNCTION lineage.match_jobs IS 'The jobs that a name matches';

CREATE OR REPLACE FUNCTION lineage.column_id(dataset text, field text) RETURNS bigint
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
DECLARE
    matches bigint;
BEGIN
    SELECT f.id INTO matches FROM lineage.field f
    WHERE f.dataset = lineage.dataset_id(column_id.dataset) AND f.name = field;
    IF matches IS NULL THEN
        RAISE no_data_found USING MESSAGE = format('"%s" has no column "%s"', column_id.dataset, field);
    END IF;
    RETURN matches;
END $$;
COMMENT ON FUNCTION lineage.column_id IS 'The column of that name; raises an error if there is none';

-- The schema of the extension pg_trgm; null if the database does not have it.
CREATE OR REPLACE FUNCTION lineage.trigram_schema() RETURNS name
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_trgm');

-- Create pg_trgm, if the server has it and the role may create it, and the index of search for parts of names. Without
-- it, search reads all texts and finds no similar names. Return whether it exists.
CREATE OR REPLACE FUNCTION lineage.install_search_indexes() RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    place name;
BEGIN
    BEGIN
        CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public;
    EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported
                OR invalid_schema_name OR duplicate_object OR duplicate_function THEN
        NULL;
    END;
    place := lineage.trigram_schema();
    IF place IS NULL THEN
        RETURN false;
    END IF;
    EXECUTE format('CREATE INDEX IF NOT EXISTS search_text_part ON lineage.search_text USING gin'
                   ' (lowered %I.gin_trgm_ops)', place);
    EXECUTE format('CREATE INDEX IF NOT EXISTS search_word_part ON lineage.search_word USING gin'
                   ' (word %I.gin_trgm_ops)', place);
    RETURN true;
END $$;
COMMENT ON FUNCTION lineage.install_search_indexes IS 'Create the indexes of search if pg_trgm is available';

-- The rank of a name as a match of a word that it contains: 1 exact, 2 prefix, 3 word, 4 part. The planner inlines it.
CREATE OR REPLACE FUNCTION lineage.word_rank(name lineage.search_text, word text) RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN word = name.last_part OR word = name.lowered THEN 1
            WHEN starts_with(name.last_part, word) THEN 2
            WHEN strpos(name.words, ' ' || word || ' ') > 0 THEN 3
            ELSE 4 END;

-- The worst of the ranks of words.
CREATE OR REPLACE FUNCTION lineage.worst_rank(name lineage.search_text, words text[]) RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT max(lineage.word_rank(name, w)) FROM unnest(words) AS w);

-- The rank of a name as a match of words: the worst of their ranks. The planner inlines it for up to three words; two
-- short words match many names, and a call for each would take longer than the rest of the search.
CREATE OR REPLACE FUNCTION lineage.match_rank(name lineage.search_text, words text[]) RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN greatest(lineage.word_rank(name, words[1]),
                CASE WHEN cardinality(words) >= 2 THEN lineage.word_rank(name, words[2]) END,
                CASE WHEN cardinality(words) >= 3 THEN lineage.word_rank(name, words[3]) END,
                CASE WHEN cardinality(words) >= 4 THEN lineage.worst_rank(name, words[4:]) END);

-- The tags and the description of a dataset or a job, for search. An empty text replaces one that was withdrawn. Nearly
-- all entities have neither: then no facet is read, and the look-ups go by the index of texts that are not names.
CREATE OR REPLACE FUNCTION lineage.entity_texts(id bigint, facets jsonb) RETURNS TABLE (field text, text text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 AS $$
    SELECT t.field, coalesce(t.text, '')
    FROM (SELECT 'tag' AS field, lineage.facet_tags_json(facets)::text AS text
          WHERE facets ? 'tags' OR (
              SELECT true FROM lineage.search_text s WHERE s.id = entity_texts.id AND s.field = 'tag' AND s.text <> '')
          UNION ALL
          SELECT 'description', facets #>> '{documentation,1,description}'
          WHERE facets ? 'documentation' OR (
              SELECT true FROM lineage.search_text s
              WHERE s.id = entity_texts.id AND s.field = 'description' AND s.text <> '')) AS t
$$;

-- The rank of tags, as JSON text: 3 if each word is a tag, or the key or value of one; else 4.
CREATE OR REPLACE FUNCTION lineage.tag_match_rank(tags text, words text[]) RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN bool_and(t.tags ~ ('["]([^"]*:)?' || regexp_replace(w, '([^[:alnum:]])', '\\\1', 'g')
                                        || '(:[^"]*)?["]')) THEN 3 ELSE 4 END
    FROM (SELECT lower(tags COLLATE "default") AS tags) AS t CROSS JOIN unnest(words) AS w
$$;

-- The datasets that have a column of that name, the first by name. Few are sorted; of many, the datasets are read in
-- order of name, each with a look-up of the column.
CREATE OR REPLACE FUNCTION lineage.datasets_with_column(field text, most int)
RETURNS TABLE (id bigint, namespace text, name text)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
BEGIN
    IF (SELECT count(*) FROM (SELECT FROM lineage.field f WHERE f.name = datasets_with_column.field LIMIT 1001) AS few)
       <= 1000 THEN
        RETURN QUERY
        SELECT d.id, d.namespace, d.name
        FROM lineage.field f JOIN lineage.dataset d ON d.id = f.dataset
        WHERE f.name = datasets_with_column.field
        ORDER BY d.namespace, d.name LIMIT most;
    ELSE
        RETURN QUERY
        SELECT d.id, d.namespace, d.name FROM lineage.dataset d
        WHERE (SELECT true FROM lineage.field f WHERE f.dataset = d.id AND f.name = datasets_with_column.field)
        ORDER BY d.namespace, d.name LIMIT most;
    END IF;
END $$;

-- The entity of a text, to count entities: the id of the canonical dataset or the job, the name of a column.
CREATE OR REPLACE FUNCTION lineage.text_entity(id bigint, text text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN coalesce((SELECT d.canonical FROM lineage.dataset d WHERE d.id = text_entity.id)::text,
                lineage.entity_of_asset(text_entity.id)::text, text_entity.id::text,
                text_entity.text);

-- Texts that match all the words, best match first: names, then tags, then descriptions. An entity is returned once.
-- match: 1 exact, 2 prefix, 3 word, 4 part. Names whose last part begins with the words are read first, the others only
-- if these are too few. The name of a column of which no field is left is no match. Its row remains until a rebuild:
-- another transaction may be adding a field of that name. Fields are ordered by name, so that they are read by the index:
-- for an equal name without an order, old statistics may make a scan of all fields look cheap, once for each name.
CREATE OR REPLACE FUNCTION lineage.search_texts(words text[], kinds text[], most int)
RETURNS TABLE (match int, field text, kind text, id bigint, matched_text text)
LANGUAGE sql STABLE SET jit = off SET plan_cache_mode = force_custom_plan AS $$
    WITH pattern AS MATERIALIZED (
        SELECT array_agg('%' || escaped || '%') AS parts,
               -- An index can serve a single condition, not ALL of an array; the longest word is used.
               (array_agg(word ORDER BY length(word) DESC))[1] AS longest,
               (array_agg('%' || escaped || '%' ORDER BY length(word) DESC))[1] AS longest_part,
               (array_agg(prefix || '%' ORDER BY length(word) DESC))[1] AS longest_prefix
        FROM (SELECT w AS word, regexp_replace(w, '([\\%_])', '\\\1', 'g') AS escaped,
                     regexp_replace(left(w, 300), '([\\%_])', '\\\1', 'g') AS prefix
              FROM unnest(search_texts.words) AS w) AS each
    ), beginning AS MATERIALIZED (
        SELECT lineage.match_rank(s, search_texts.words) AS match, s.kind, s.id, s.text
        FROM pattern p CROSS JOIN lineage.search_text s
        WHERE s.field = 'name' AND (kinds IS NULL OR s.kind = ANY (kinds))
          AND left(s.last_part, 300) LIKE (SELECT longest_prefix FROM pattern)
          AND starts_with(s.last_part, p.longest)
          AND (cardinality(search_texts.words) = 1 OR NOT EXISTS (
              SELECT FROM unnest(search_texts.words) AS w WHERE NOT starts_with(s.last_part, w)))
          AND (s.kind <> 'column' OR (SELECT true FROM lineage.field f WHERE f.name BETWEEN s.text AND s.text
                                      ORDER BY f.name LIMIT 1))
        ORDER BY 1, CASE s.kind WHEN 'dataset' THEN 1 WHEN 'job' THEN 2 ELSE 3 END, length(s.text), s.text
        LIMIT 2 * most
    ), other AS MATERIALIZED (
        SELECT lineage.match_rank(s, search_texts.words) AS match, s.kind, s.id, s.text
        FROM pattern p CROSS JOIN lineage.search_text s
        WHERE (SELECT count(DISTINCT lineage.text_entity(b.id, b.text)) FROM beginning b) < most
          AND s.field = 'name' AND (kinds IS NULL OR s.kind = ANY (kinds))
          AND s.lowered LIKE (SELECT longest_part FROM pattern)
          AND (cardinality(search_texts.words) = 1 OR s.lowered LIKE ALL (p.parts))
          AND (s.kind <> 'column' OR (SELECT true FROM lineage.field f WHERE f.name BETWEEN s.text AND s.text
                                      ORDER BY f.name LIMIT 1))
        ORDER BY 1, CASE s.kind WHEN 'dataset' THEN 1 WHEN 'job' THEN 2 ELSE 3 END, length(s.text), s.text
        LIMIT 2 * most
    ), described AS MATERIALIZED (
        SELECT CASE s.field WHEN 'tag' THEN lineage.tag_match_rank(s.text, search_texts.words) ELSE 4 END AS match,
               s.field, s.kind, s.id, s.text, coalesce(d.namespace, j.namespace) AS namespace,
               coalesce(d.name, j.name) AS name
        FROM lineage.search_text s
        -- A dataset that has become an alias keeps its texts; those of the canonical one are merged from all names.
        LEFT JOIN lineage.dataset d ON s.kind = 'dataset' AND d.id = s.id AND d.canonical = d.id
        LEFT JOIN lineage.job j ON s.kind = 'job' AND j.id = s.id
        WHERE (SELECT count(DISTINCT lineage.text_entity(n.id, n.text))
               FROM (SELECT id, text FROM beginning UNION ALL SELECT id, text FROM other WHERE match < 4) AS n) < most
          AND s.field <> 'name' AND s.text <> '' AND coalesce(d.id, j.id) IS NOT NULL AND (kinds IS NULL OR s.kind = ANY (kinds))
          AND s.lowered LIKE (SELECT longest_part FROM pattern)
          AND s.lowered LIKE ALL (ARRAY(SELECT unnest(parts) FROM pattern))
        ORDER BY 1, CASE s.field WHEN 'tag' THEN 1 ELSE 2 END, CASE s.kind WHEN 'dataset' THEN 1 ELSE 2 END,
                 length(s.text), s.text, 6, 7
        LIMIT 2 * most
    ), best AS (
        SELECT DISTINCT ON (h.kind, h.id, CASE WHEN h.id IS NULL THEN h.text END) h.*
        FROM (SELECT n.match, 1 AS place, 'name' AS field, n.kind,
                     coalesce(d.canonical, lineage.entity_of_asset(n.id), n.id) AS id, n.text,
                     NULL AS namespace, NULL AS name
              FROM (SELECT * FROM beginning UNION ALL SELECT * FROM other) AS n
              LEFT JOIN lineage.dataset d ON n.kind = 'dataset' AND d.id = n.id
              UNION ALL
              SELECT match, CASE field WHEN 'tag' THEN 2 ELSE 3 END, field, kind, id, text, namespace, name
              FROM described) AS h
        ORDER BY h.kind, h.id, CASE WHEN h.id IS NULL THEN h.text END, h.match, h.place, length(h.text), h.text
    )
    SELECT b.match, b.field, b.kind, b.id, b.text FROM best b
    ORDER BY b.match, b.place, CASE b.kind WHEN 'dataset' THEN 1 WHEN 'job' THEN 2 ELSE 3 END, length(b.text), b.text,
             b.namespace, b.name
    LIMIT most
$$;

-- The entities of the texts that match all the words, best match first. Equal matches are limited in order of name, not
-- of insertion.
CREATE OR REPLACE FUNCTION lineage.match_entities(words text[], kinds text[], most int)
RETURNS TABLE (match text, by text, kind text, id bigint, namespace text, name text, column_name text,
    matched_text text)
LANGUAGE plpgsql STABLE SET jit = off SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
DECLARE
    hit record;
    number int;
    returned int := 0;
BEGIN
    FOR hit IN
        SELECT (ARRAY['exact', 'prefix', 'word', 'part'])[t.match] AS match, t.field, t.kind, t.id, t.matched_text
        FROM lineage.search_texts(words, kinds, most) AS t
    LOOP
        RETURN QUERY
        SELECT hit.match, hit.field, hit.kind, e.*, hit.matched_text
        FROM lineage.entities_of_text(hit.kind, hit.id, hit.matched_text, most - returned) AS e;
        GET DIAGNOSTICS number = ROW_COUNT;
        returned := returned + number;
        EXIT WHEN returned >= most;
    END LOOP;
END $$;

-- The entity of a text; of the name of a column the first datasets that have it.
CREATE OR REPLACE FUNCTION lineage.entities_of_text(kind text, id bigint, text text, most int)
RETURNS TABLE (entity bigint, namespace text, name text, column_name text)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
#variable_conflict use_column
BEGIN
    IF entities_of_text.kind = 'column' THEN
        RETURN QUERY
        SELECT d.id, d.namespace::text, d.name::text, entities_of_text.text
        FROM lineage.datasets_with_column(entities_of_text.text, most) AS d;
    ELSIF entities_of_text.kind = 'dataset' THEN
        RETURN QUERY SELECT d.id, d.namespace::text, d.name::text, NULL::text FROM lineage.dataset d WHERE d.id = entities_of_text.id;
    ELSE
        RETURN QUERY SELECT j.id, j.namespace::text, j.name::text, NULL::text FROM lineage.job j WHERE j.id = entities_of_text.id;
    END IF;
END $$;

-- The words with each misspelled one replaced by a similar word of a name, the most similar first; at most 20 times. A
-- word that occurs in a name is not replaced. Nothing if a word is like none, or without pg_trgm.
CREATE OR REPLACE FUNCTION lineage.similar_words(words text[]) RETURNS TABLE (phrase text[])
LANGUAGE plpgsql STABLE AS $$
DECLARE
    place name := lineage.trigram_schema();
BEGIN
    IF place IS NULL THEN
        RETURN;
    END IF;
    -- The default is 0.6, which a short word with one typing error does not reach.
    PERFORM set_config('pg_trgm.word_similarity_threshold', '0.4', true);
    RETURN QUERY EXECUTE format($similar$
        WITH RECURSIVE part AS MATERIALIZED (
            SELECT p.word, p.number, (SELECT true FROM lineage.search_word s
                                      WHERE s.word LIKE '%%' || p.word || '%%' LIMIT 1) AS known
            FROM regexp_split_to_table(btrim(regexp_replace(array_to_string($1, ' '), '[^[:alnum:]]+', ' ', 'g')), ' ')
                 WITH ORDINALITY AS p (word, number)
            WHERE p.word <> ''
        ), choice AS MATERIALIZED (
            SELECT p.number, p.word, 1 AS similarity FROM part p WHERE p.known
            UNION ALL
            SELECT p.number, c.word, c.similarity
            FROM part p
            CROSS JOIN LATERAL (
                SELECT s.word, %1$I.word_similarity(p.word, s.word) AS similarity
                FROM lineage.search_word s WHERE p.word OPERATOR(%1$I.<%%) s.word
                GROUP BY s.word
                ORDER BY 2 DESC, %1$I.similarity(p.word, s.word) DESC, s.word
                LIMIT (SELECT power(20, 1.0 / count(*))::int FROM part WHERE known IS NULL)) AS c
            WHERE p.known IS NULL
        ), phrase AS (
            SELECT c.number, ARRAY[c.word] AS words, c.similarity FROM choice c WHERE c.number = 1
            UNION ALL
            SELECT c.number, h.words || c.word, h.similarity + c.similarity
            FROM phrase h JOIN choice c ON c.number = h.number + 1
        )
        SELECT h.words FROM phrase h WHERE h.number = (SELECT max(p.number) FROM part p)
        ORDER BY h.similarity DESC, h.words LIMIT 20 $similar$, place)
    USING similar_words.words;
END $$;

-- The names that are similar to the words as a whole, the most similar first; nothing without pg_trgm.
CREATE OR REPLACE FUNCTION lineage.similar_texts(words text[], kinds text[], most int)
RETURNS TABLE (kind text, id bigint, matched_text text)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    place name := lineage.trigram_schema();
BEGIN
    IF place IS NULL THEN
        RETURN;
    END IF;
    PERFORM set_config('pg_trgm.word_similarity_threshold', '0.4', true);
    RETURN QUERY EXECUTE format($similar$
        SELECT best.kind::text, best.id, best.text::text
        FROM (SELECT DISTINCT ON (s.kind, s.id, CASE WHEN s.id IS NULL THEN s.text END) s.*
              FROM (SELECT %1$I.word_similarity($1, s.lowered) AS similarity, s.kind,
                           coalesce(d.canonical, s.id) AS id, s.text
                    FROM lineage.search_text s
                    LEFT JOIN lineage.dataset d ON s.kind = 'dataset' AND d.id = s.id
                    WHERE s.field = 'name' AND ($2 IS NULL OR s.kind = ANY ($2))
                      AND $1 OPERATOR(%1$I.<%%) s.lowered
                      AND (s.kind <> 'column' OR (SELECT true FROM lineage.field f WHERE f.name BETWEEN s.text AND s.text
                                                  ORDER BY f.name LIMIT 1))
                    ORDER BY 1 DESC, length(s.text), s.text LIMIT 2 * $3) AS s
              ORDER BY s.kind, s.id, CASE WHEN s.id IS NULL THEN s.text END, s.similarity DESC, s.text) AS best
        ORDER BY best.similarity DESC, array_position(ARRAY['dataset', 'job', 'column'], best.kind::text),
                 length(best.text), best.text LIMIT $3 $similar$, place)
    USING array_to_string(words, ' '), kinds, most;
END $$;

-- Entities that match all the words, best match first: by name, else by tags, else by description. match is exact,
-- prefix, word, part or similar; similar names are searched only if nothing else matches: first by words that are similar
-- to the misspelled ones, then by names similar to all the words. kinds: dataset, job and column; all if omitted. id is
-- the id of the vertex.
CREATE OR REPLACE FUNCTION lineage.search(words text, kinds text[] DEFAULT NULL, most int DEFAULT 50)
RETURNS TABLE (match text, by text, kind text, id bigint, namespace text, name text, column_name text,
    matched_text text)
LANGUAGE plpgsql STABLE SET jit = off SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
DECLARE
    each text[] := array_remove(regexp_split_to_array(lower(words COLLATE "default"), '\s+'), '');
    phrase text[];
    hit record;
    seen text[] := '{}';
BEGIN
    IF cardinality(each) = 0 THEN
        RETURN;
    END IF;
    RETURN QUERY SELECT m.* FROM lineage.match_entities(each, kinds, most) AS m;
    IF FOUND THEN
        RETURN;
    END IF;
    FOR phrase IN SELECT s.phrase FROM lineage.similar_words(each) AS s LOOP
        FOR hit IN SELECT m.* FROM lineage.match_entities(phrase, kinds, most) AS m WHERE m.by = 'name' LOOP
            EXIT WHEN cardinality(seen) >= most;
            CONTINUE WHEN concat_ws(' ', hit.kind, hit.id, hit.column_name) = ANY (seen);
            seen := seen || concat_ws(' ', hit.kind, hit.id, hit.column_name);
            RETURN QUERY SELECT 'similar', 'name', hit.kind, hit.id, hit.namespace, hit.name, hit.column_name,
                                hit.matched_text;
        END LOOP;
        EXIT WHEN cardinality(seen) >= most;
    END LOOP;
    IF cardinality(seen) = 0 THEN
        RETURN QUERY
        SELECT 'similar', 'name', t.kind, e.*, t.matched_text
        FROM lineage.similar_texts(each, kinds, most) AS t
        CROSS JOIN LATERAL lineage.entities_of_text(t.kind, t.id, t.matched_text, most) AS e
        LIMIT most;
    END IF;
END $$;
COMMENT ON FUNCTION lineage.search IS 'Search datasets, jobs and columns by words of names, tags and descriptions';

-- The jobs and datasets that a name matches: only jobs if it is the full name of a job, else only datasets if it is
-- the full name of a dataset.
CREATE OR REPLACE FUNCTION lineage.match_jobs_and_datasets(entity text)
RETURNS TABLE (kind text, id bigint, namespace text, name text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$
    WITH fitting AS (
        SELECT 'job' AS kind, j.id, j.namespace, j.name,
               CASE WHEN match_jobs_and_datasets.entity IN (j.namespace || '/' || j.name, j.namespace || ':' || j.name)
                    THEN 1 ELSE 3 END AS match
        FROM lineage.match_jobs(match_jobs_and_datasets.entity) AS j
        UNION ALL
        SELECT 'dataset', d.id, d.namespace, d.name,
               CASE WHEN match_jobs_and_datasets.entity IN (lineage.full_name(d.namespace, d.name),
                   d.namespace || ':' || d.name)
                    THEN 2 ELSE 3 END
        FROM lineage.match_datasets(match_jobs_and_datasets.entity) AS d
    )
    SELECT f.kind, f.id, f.namespace, f.name FROM fitting f
    WHERE f.match = (SELECT min(fitting.match) FROM fitting)
    ORDER BY f.kind DESC, f.namespace, f.name
$$;

-- The one entity of a kind that a name matches: 'dataset', 'job' or 'job or dataset'. Raises no_data_found if it
-- matches none, too_many_rows with the matches as a hint if it matches several.
CREATE OR REPLACE FUNCTION lineage.resolve(kind text, name text) RETURNS bigint
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
DECLARE
    ids bigint[];
    names text;
BEGIN
    IF kind = 'dataset' THEN
        SELECT array_agg(m.id), string_agg(lineage.full_name(m.namespace, m.name), ', ')
        INTO ids, names FROM lineage.match_datasets(resolve.name) AS m;
    ELSIF kind = 'job' THEN
        SELECT array_agg(m.id), string_agg(m.namespace || '/' || m.name, ', ')
        INTO ids, names FROM lineage.match_jobs(resolve.name) AS m;
    ELSE
        SELECT array_agg(m.id), string_agg(concat(m.kind, ' ', CASE m.kind
                   WHEN 'job' THEN m.namespace || '/' || m.name
                   ELSE lineage.full_name(m.namespace, m.name) END), ', ')
        INTO ids, names FROM lineage.match_jobs_and_datasets(resolve.name) AS m;
    END IF;
    IF ids IS NULL THEN
        RAISE no_data_found USING MESSAGE = format('no %s is called "%s"', kind, name);
    ELSIF cardinality(ids) > 1 THEN
        RAISE too_many_rows USING
            MESSAGE = format('"%s" matches %s %s', name, cardinality(ids),
                CASE kind WHEN 'job or dataset' THEN 'jobs and datasets' ELSE kind || 's' END),
            HINT = 'Use a longer name, or add the namespace: ' || names;
    END IF;
    RETURN ids[1];
END $$;

CREATE OR REPLACE FUNCTION lineage.dataset_id(dataset text) RETURNS bigint
LANGUAGE sql STABLE STRICT PARALLEL SAFE RETURN lineage.resolve('dataset', dataset);
COMMENT ON FUNCTION lineage.dataset_id IS 'The dataset that a name matches; raises an error if none or several match';

CREATE OR REPLACE FUNCTION lineage.job_or_dataset_id(entity text) RETURNS bigint
LANGUAGE sql STABLE STRICT PARALLEL SAFE RETURN lineage.resolve('job or dataset', entity);

CREATE OR REPLACE FUNCTION lineage.job_id(job text) RETURNS bigint
LANGUAGE sql STABLE STRICT PARALLEL SAFE RETURN lineage.resolve('job', job);
COMMENT ON FUNCTION lineage.job_id IS 'The job that a name matches; raises an error if none or several match';

CREATE OR REPLACE FUNCTION lineage.id_of_run(run_id text) RETURNS bigint
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
DECLARE
    run bigint;
BEGIN
    SELECT r.id INTO run FROM lineage.run r WHERE r.run_id = id_of_run.run_id;
    IF run IS NULL THEN
        RAISE no_data_found USING MESSAGE = format('no run has the id "%s"', run_id);
    END IF;
    RETURN run;
END $$;
COMMENT ON FUNCTION lineage.id_of_run IS 'The run with that run id; raises an error if there is none';

REVOKE EXECUTE ON FUNCTION lineage.install_search_indexes FROM PUBLIC;
