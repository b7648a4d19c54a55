-- The datasets that a name fits. It may be the full name as lineage.full_name() writes it, namespace and
-- name joined by / or :, the bare name, or an ending of the full name that starts behind one of / . :
-- An alias is as good as a name. The closest kind of fit counts, in this order.
CREATE OR REPLACE FUNCTION lineage.find_dataset(called text)
RETURNS TABLE (id bigint, namespace text, name text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET enable_seqscan = off AS $$
    WITH fitting (canonical, fit) AS (
        SELECT d.canonical, 1
        FROM generate_series(1, length(called)) AS i
        JOIN lineage.dataset d
          ON d.namespace = left(called, i - 1)
         AND d.name IN (substr(called, i + 1),
                        CASE WHEN substr(called, i, 1) = '/' THEN substr(called, i) END)
        WHERE substr(called, i, 1) IN ('/', ':')
        UNION ALL
        SELECT d.canonical, CASE WHEN d.name = called THEN 2 ELSE 3 END
        FROM lineage.dataset d
        WHERE called <> ''
          AND reverse(lineage.full_name(d.namespace, d.name)) COLLATE "C" ^@ reverse(called)
          AND (d.name = called
               OR substr(reverse(lineage.full_name(d.namespace, d.name)), length(called) + 1, 1)
                  IN ('/', '.', ':', ''))
    )
    SELECT DISTINCT c.id, c.namespace, c.name
    FROM fitting JOIN lineage.dataset c ON c.id = fitting.canonical
    WHERE fitting.fit = (SELECT min(fit) FROM fitting)
    ORDER BY c.namespace, c.name
$$;
COMMENT ON FUNCTION lineage.find_dataset IS 'The datasets that a name fits';

CREATE OR REPLACE FUNCTION lineage.dataset_id(called text) RETURNS bigint
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
DECLARE
    found bigint[];
    names text;
BEGIN
    SELECT array_agg(f.id), string_agg(lineage.full_name(f.namespace, f.name), ', ')
    INTO found, names FROM lineage.find_dataset(called) f;
    IF found IS NULL THEN
        RAISE no_data_found USING MESSAGE = format('no dataset is called "%s"', called);
    ELSIF cardinality(found) > 1 THEN
        RAISE too_many_rows USING
            MESSAGE = format('"%s" fits %s datasets', called, cardinality(found)),
            HINT = 'Say more of the name: ' || names;
    END IF;
    RETURN found[1];
END $$;
COMMENT ON FUNCTION lineage.dataset_id IS 'The one dataset that a name fits, or an error';

-- The jobs that a name fits, by the same rules: namespace and name joined by / or :, the bare name, or
-- an ending of it that starts behind one of / . :
CREATE OR REPLACE FUNCTION lineage.find_job(called text)
RETURNS TABLE (id bigint, namespace text, name text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$
    WITH fitting AS (
        SELECT j.id, j.namespace, j.name,
               CASE WHEN called IN (j.namespace || '/' || j.name, j.namespace || ':' || j.name) THEN 1
                    WHEN called = j.name THEN 2 ELSE 3 END AS fit
        FROM lineage.job j
        WHERE called IN (j.name, j.namespace || '/' || j.name, j.namespace || ':' || j.name)
           OR called <> '' AND right(j.name, length(called) + 1)
                               IN ('/' || called, '.' || called, ':' || called)
    )
    SELECT id, namespace, name FROM fitting
    WHERE fit = (SELECT min(fit) FROM fitting)
    ORDER BY namespace, name
$$;
COMMENT ON FUNCTION lineage.find_job IS 'The jobs that a name fits';

CREATE OR REPLACE FUNCTION lineage.column_id(called text, field text) RETURNS bigint
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
DECLARE
    found bigint;
BEGIN
    SELECT f.id INTO found FROM lineage.field f
    WHERE f.dataset = lineage.dataset_id(called) AND f.name = field;
    IF found IS NULL THEN
        RAISE no_data_found USING MESSAGE = format('"%s" has no column "%s"', called, field);
    END IF;
    RETURN found;
END $$;
COMMENT ON FUNCTION lineage.column_id IS 'The column of that name, or an error';

-- Makes pg_trgm, where the server has it and the role may, and the indexes that search goes by. Without them
-- search reads all names, and knows nothing similar. True where they are there.
CREATE OR REPLACE FUNCTION lineage.index_names() RETURNS boolean
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
    SELECT n.nspname INTO place FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
    WHERE e.extname = 'pg_trgm';
    IF place IS NULL THEN
        RETURN false;
    END IF;
    EXECUTE format('CREATE INDEX IF NOT EXISTS dataset_words ON lineage.dataset USING gin'
                   ' ((lineage.full_name(namespace, name) COLLATE "default") %I.gin_trgm_ops)', place);
    EXECUTE format('CREATE INDEX IF NOT EXISTS job_words ON lineage.job USING gin'
                   ' (((namespace || ''/'' || name) COLLATE "default") %I.gin_trgm_ops)', place);
    EXECUTE format('CREATE INDEX IF NOT EXISTS field_words ON lineage.field USING gin'
                   ' ((name COLLATE "default") %I.gin_trgm_ops)', place);
    RETURN true;
END $$;
COMMENT ON FUNCTION lineage.index_names IS 'Makes the indexes of search where pg_trgm can be had';

-- Search among hundreds of thousands of columns: a name is judged once, however many tables have it, and a word is
-- looked for without taking each name apart.
CREATE OR REPLACE FUNCTION lineage.fit(called text, words text[]) RETURNS int
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    whole text := lower(called COLLATE "default");
    last text := regexp_replace(whole, '^.*[/.:]', '');
    worst int;
    w text;
BEGIN
    FOREACH w IN ARRAY words LOOP
        IF strpos(whole, w) = 0 THEN
            RETURN NULL;
        END IF;
        worst := greatest(worst, CASE
            WHEN w = last OR w = whole THEN 1
            WHEN starts_with(last, w) THEN 2
            WHEN w ~ '^[[:alnum:]]+$' AND whole ~ ('(^|[^[:alnum:]])' || w || '($|[^[:alnum:]])') THEN 3
            ELSE 4 END);
    END LOOP;
    RETURN worst;
END $$;

-- Of JSON text of tags: 3 where each word is a tag, or its key or value; else 4.
CREATE OR REPLACE FUNCTION lineage.tag_fit(tags text, words text[]) RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN bool_and(t.tags ~ ('["]([^"]*:)?' || regexp_replace(w, '([^[:alnum:]])', '\\\1', 'g')
                                        || '(:[^"]*)?["]')) THEN 3 ELSE 4 END
    FROM (SELECT lower(tags COLLATE "default") AS tags) AS t CROSS JOIN unnest(words) AS w
$$;

-- What fits all the words, best first: by its name, else by its tags, else by its description. fit is exact,
-- prefix, word, part or similar; similar names are looked for where nothing else fits. kinds: dataset, job
-- and column, all where left out. id is that of the vertex.
-- What fits equally well is cut by its name, not by when it came.
CREATE OR REPLACE FUNCTION lineage.search(words text, kinds text[] DEFAULT NULL, most int DEFAULT 50)
RETURNS TABLE (fit text, by text, kind text, id bigint, namespace text, name text, column_name text, matched text)
LANGUAGE plpgsql STABLE SET jit = off SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
DECLARE
    each text[] := array_remove(regexp_split_to_array(lower(words COLLATE "default"), '\s+'), '');
    likes text[] := ARRAY(SELECT '%' || regexp_replace(w, '([\\%_])', '\\\1', 'g') || '%' FROM unnest(each) AS w);
    -- An index is used for one condition alone, not for ALL of an array: for the longest word.
    longest text := (SELECT l FROM unnest(likes) AS l ORDER BY length(l) DESC LIMIT 1);
    fits CONSTANT text[] := '{exact,prefix,word,part,similar}';
    place text;
BEGIN
    IF cardinality(each) = 0 THEN
        RETURN;
    END IF;
    RETURN QUERY
    WITH named AS MATERIALIZED (
        -- Many tables have columns of one name: it is judged once.
        SELECT f.name, lineage.fit(f.name, each) AS fit, f.columns
        FROM (SELECT f.name, count(*) AS columns FROM lineage.field f
              WHERE (kinds IS NULL OR 'column' = ANY (kinds)) AND f.name COLLATE "default" ILIKE longest
                AND (cardinality(likes) = 1 OR f.name COLLATE "default" ILIKE ALL (likes))
              GROUP BY f.name) AS f
        ORDER BY 2, length(f.name), f.name LIMIT most
    ), told AS MATERIALIZED (
        SELECT n.name, n.fit, sum(n.columns) OVER (
                   ORDER BY n.fit, length(n.name), n.name ROWS UNBOUNDED PRECEDING) - n.columns AS before
        FROM named n
    ), hit AS (
        (SELECT lineage.fit(lineage.full_name(d.namespace, d.name), each) AS fit, 1 AS by, 'dataset' AS kind,
                d.canonical AS id, NULL::text AS column_name,
                lineage.full_name(d.namespace, d.name) COLLATE "default" AS matched
         FROM lineage.dataset d
         WHERE (kinds IS NULL OR 'dataset' = ANY (kinds))
           AND lineage.full_name(d.namespace, d.name) COLLATE "default" ILIKE longest
           AND lineage.full_name(d.namespace, d.name) COLLATE "default" ILIKE ALL (likes)
         ORDER BY 1, length(d.name), d.name, d.namespace LIMIT 2 * most)
        UNION ALL
        (SELECT lineage.fit(j.namespace || '/' || j.name, each), 1, 'job', j.id, NULL,
                (j.namespace || '/' || j.name) COLLATE "default"
         FROM lineage.job j
         WHERE (kinds IS NULL OR 'job' = ANY (kinds))
           AND (j.namespace || '/' || j.name) COLLATE "default" ILIKE longest
           AND (j.namespace || '/' || j.name) COLLATE "default" ILIKE ALL (likes)
         ORDER BY 1, length(j.name), j.name, j.namespace LIMIT most)
        UNION ALL
        (SELECT n.fit, 1, 'column', f.dataset, f.name COLLATE "default", f.name COLLATE "default"
         FROM told n
         JOIN lineage.field f ON f.name = n.name AND f.name COLLATE "default" ILIKE longest
         JOIN lineage.dataset d ON d.id = f.dataset
         WHERE n.before < most
         ORDER BY 1, length(f.name), f.name, d.namespace, d.name LIMIT most)
        UNION ALL
        (SELECT CASE t.by WHEN 2 THEN lineage.tag_fit(t.said, each) ELSE 4 END, t.by, t.kind, t.id, NULL, t.said
         FROM (SELECT 'dataset' AS kind, v.id::text::bigint AS id, s.by, s.said COLLATE "default" AS said
               FROM provenance."Dataset" v
               CROSS JOIN LATERAL (VALUES
                   (2, ag_catalog.agtype_access_operator(
                           VARIADIC ARRAY[v.properties, '"tags"'::ag_catalog.agtype])::text),
                   (3, ag_catalog.agtype_access_operator(
                           VARIADIC ARRAY[v.properties, '"attributes"'::ag_catalog.agtype,
                                          '"description"'::ag_catalog.agtype])::text)) AS s (by, said)
               WHERE kinds IS NULL OR 'dataset' = ANY (kinds)
               UNION ALL
               SELECT 'job', j.id, s.by, s.said
               FROM lineage.job j
               CROSS JOIN LATERAL (VALUES
                   (2, lineage.dataset_tags(j.facets)::text),
                   (3, j.facets #>> '{documentation,1,description}')) AS s (by, said)
               WHERE kinds IS NULL OR 'job' = ANY (kinds)) AS t
         LEFT JOIN lineage.dataset d ON d.id = t.id
         LEFT JOIN lineage.job j ON j.id = t.id
         WHERE t.said ILIKE ALL (likes)
         ORDER BY 1, 2, 3, length(t.said), t.said COLLATE "C", coalesce(d.namespace, j.namespace),
                  coalesce(d.name, j.name) LIMIT 2 * most)
    ), best AS (
        SELECT DISTINCT ON (h.kind, h.id, h.column_name) h.*
        FROM hit h ORDER BY h.kind, h.id, h.column_name, h.fit, h.by, length(h.matched), h.matched COLLATE "C"
    )
    SELECT fits[b.fit], (ARRAY['name', 'tag', 'description'])[b.by], b.kind, b.id,
           coalesce(d.namespace, j.namespace)::text, coalesce(d.name, j.name)::text, b.column_name, b.matched
    FROM best b
    LEFT JOIN lineage.dataset d ON d.id = b.id
    LEFT JOIN lineage.job j ON j.id = b.id
    ORDER BY b.fit, b.by, array_position(ARRAY['dataset', 'job', 'column'], b.kind), length(b.matched),
             b.matched COLLATE "C", d.namespace, d.name
    LIMIT most;
    IF FOUND THEN
        RETURN;
    END IF;
    SELECT n.nspname INTO place FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
    WHERE e.extname = 'pg_trgm';
    IF place IS NULL THEN
        RETURN;
    END IF;
    -- By default 0.6, which a short word with one typing error does not reach.
    PERFORM set_config('pg_trgm.word_similarity_threshold', '0.4', true);
    RETURN QUERY EXECUTE format($similar$
        WITH hit AS (
            (SELECT %1$I.word_similarity($4, lineage.full_name(d.namespace, d.name)) AS alike, 'dataset' AS kind,
                    d.canonical AS id, NULL::text AS column_name,
                    lineage.full_name(d.namespace, d.name) COLLATE "default" AS matched
             FROM lineage.dataset d
             WHERE ($2 IS NULL OR 'dataset' = ANY ($2))
               AND $4 OPERATOR(%1$I.<%%) (lineage.full_name(d.namespace, d.name) COLLATE "default")
             ORDER BY 1 DESC, length(d.name), d.name, d.namespace LIMIT 2 * $3)
            UNION ALL
            (SELECT %1$I.word_similarity($4, j.namespace || '/' || j.name), 'job', j.id, NULL,
                    (j.namespace || '/' || j.name) COLLATE "default"
             FROM lineage.job j
             WHERE ($2 IS NULL OR 'job' = ANY ($2))
               AND $4 OPERATOR(%1$I.<%%) ((j.namespace || '/' || j.name) COLLATE "default")
             ORDER BY 1 DESC, length(j.name), j.name, j.namespace LIMIT $3)
            UNION ALL
            (SELECT %1$I.word_similarity($4, f.name), 'column', f.dataset, f.name COLLATE "default",
                    f.name COLLATE "default"
             FROM lineage.field f JOIN lineage.dataset d ON d.id = f.dataset
             WHERE ($2 IS NULL OR 'column' = ANY ($2)) AND $4 OPERATOR(%1$I.<%%) (f.name COLLATE "default")
             ORDER BY 1 DESC, length(f.name), f.name, d.namespace, d.name LIMIT $3)
        ), best AS (
            SELECT DISTINCT ON (h.kind, h.id, h.column_name) h.*
            FROM hit h ORDER BY h.kind, h.id, h.column_name, h.alike DESC, h.matched COLLATE "C"
        )
        SELECT 'similar', 'name', b.kind, b.id, coalesce(d.namespace, j.namespace)::text,
               coalesce(d.name, j.name)::text, b.column_name, b.matched
        FROM best b
        LEFT JOIN lineage.dataset d ON d.id = b.id
        LEFT JOIN lineage.job j ON j.id = b.id
        ORDER BY b.alike DESC, array_position(ARRAY['dataset', 'job', 'column'], b.kind),
                 length(b.matched), b.matched COLLATE "C", d.namespace, d.name
        LIMIT $3 $similar$, place)
    USING NULL::text, kinds, most, array_to_string(each, ' ');
END $$;
COMMENT ON FUNCTION lineage.search IS 'Datasets, jobs and columns by words of names, tags and descriptions';

-- The jobs and datasets that a name fits: where it is the full name of a job, jobs alone; else where it is that
-- of a dataset, datasets alone.
CREATE OR REPLACE FUNCTION lineage.find_job_or_dataset(called text)
RETURNS TABLE (kind text, id bigint, namespace text, name text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$
    WITH fitting AS (
        SELECT 'job' AS kind, j.id, j.namespace, j.name,
               CASE WHEN called IN (j.namespace || '/' || j.name, j.namespace || ':' || j.name)
                    THEN 1 ELSE 3 END AS fit
        FROM lineage.find_job(called) AS j
        UNION ALL
        SELECT 'dataset', d.id, d.namespace, d.name,
               CASE WHEN called IN (lineage.full_name(d.namespace, d.name), d.namespace || ':' || d.name)
                    THEN 2 ELSE 3 END
        FROM lineage.find_dataset(called) AS d
    )
    SELECT f.kind, f.id, f.namespace, f.name FROM fitting f
    WHERE f.fit = (SELECT min(fitting.fit) FROM fitting)
    ORDER BY f.kind DESC, f.namespace, f.name
$$;

CREATE OR REPLACE FUNCTION lineage.job_or_dataset_id(called text) RETURNS bigint
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
DECLARE
    found bigint[];
    names text;
BEGIN
    SELECT array_agg(f.id), string_agg(concat(f.kind, ' ', CASE f.kind
               WHEN 'job' THEN f.namespace || '/' || f.name
               ELSE lineage.full_name(f.namespace, f.name) END), ', ')
    INTO found, names FROM lineage.find_job_or_dataset(called) AS f;
    IF found IS NULL THEN
        RAISE no_data_found USING MESSAGE = format('no job or dataset is called "%s"', called);
    ELSIF cardinality(found) > 1 THEN
        RAISE too_many_rows USING
            MESSAGE = format('"%s" fits %s jobs and datasets', called, cardinality(found)),
            HINT = 'Say more of the name: ' || names;
    END IF;
    RETURN found[1];
END $$;

-- As lineage.dataset_id(), of a job.
CREATE OR REPLACE FUNCTION lineage.job_id(called text) RETURNS bigint
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
DECLARE
    found bigint[];
    names text;
BEGIN
    SELECT array_agg(f.id), string_agg(f.namespace || '/' || f.name, ', ')
    INTO found, names FROM lineage.find_job(called) f;
    IF found IS NULL THEN
        RAISE no_data_found USING MESSAGE = format('no job is called "%s"', called);
    ELSIF cardinality(found) > 1 THEN
        RAISE too_many_rows USING
            MESSAGE = format('"%s" fits %s jobs', called, cardinality(found)),
            HINT = 'Say more of the name: ' || names;
    END IF;
    RETURN found[1];
END $$;
COMMENT ON FUNCTION lineage.job_id IS 'The one job that a name fits, or an error';

REVOKE EXECUTE ON FUNCTION lineage.index_names FROM PUBLIC;
