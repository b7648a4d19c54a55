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

-- Create pg_trgm, if the server has it and the role may create it, and the indexes of search. Without them, search
-- reads all names and finds no similar ones. Return whether they exist.
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
COMMENT ON FUNCTION lineage.install_search_indexes IS 'Create the indexes of search if pg_trgm is available';

-- The rank of a name as a match of words. For search among hundreds of thousands of columns: each name is ranked once,
-- however many tables have it, and words are matched without splitting the name.
CREATE OR REPLACE FUNCTION lineage.match_rank(name text, words text[]) RETURNS int
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    whole text := lower(match_rank.name COLLATE "default");
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

-- The rank of tags, as JSON text: 3 if each word is a tag, or the key or value of one; else 4.
CREATE OR REPLACE FUNCTION lineage.tag_match_rank(tags text, words text[]) RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN bool_and(t.tags ~ ('["]([^"]*:)?' || regexp_replace(w, '([^[:alnum:]])', '\\\1', 'g')
                                        || '(:[^"]*)?["]')) THEN 3 ELSE 4 END
    FROM (SELECT lower(tags COLLATE "default") AS tags) AS t CROSS JOIN unnest(words) AS w
$$;

-- Entities that match all the words, best match first: by name, else by tags, else by description. match is exact,
-- prefix, word, part or similar; similar names are searched only if nothing else matches. kinds: dataset, job and
-- column; all if omitted. id is the id of the vertex.
-- Equal matches are limited in order of name, not of insertion.
CREATE OR REPLACE FUNCTION lineage.search(words text, kinds text[] DEFAULT NULL, most int DEFAULT 50)
RETURNS TABLE (match text, by text, kind text, id bigint, namespace text, name text, column_name text,
    matched_text text)
LANGUAGE plpgsql STABLE SET jit = off SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
DECLARE
    each text[] := array_remove(regexp_split_to_array(lower(words COLLATE "default"), '\s+'), '');
    likes text[] := ARRAY(SELECT '%' || regexp_replace(w, '([\\%_])', '\\\1', 'g') || '%' FROM unnest(each) AS w);
    -- An index can serve a single condition, not ALL of an array; the longest word is used.
    longest text := (SELECT l FROM unnest(likes) AS l ORDER BY length(l) DESC LIMIT 1);
    fits CONSTANT text[] := '{exact,prefix,word,part,similar}';
    place text;
BEGIN
    IF cardinality(each) = 0 THEN
        RETURN;
    END IF;
    RETURN QUERY
    WITH named AS MATERIALIZED (
        -- Many tables have columns of the same name: it is ranked once.
        SELECT f.name, lineage.match_rank(f.name, each) AS match, f.columns
        FROM (SELECT f.name, count(*) AS columns FROM lineage.field f
              WHERE (kinds IS NULL OR 'column' = ANY (kinds)) AND f.name COLLATE "default" ILIKE longest
                AND (cardinality(likes) = 1 OR f.name COLLATE "default" ILIKE ALL (likes))
              GROUP BY f.name) AS f
        ORDER BY 2, length(f.name), f.name LIMIT most
    ), selected AS MATERIALIZED (
        SELECT n.name, n.match, sum(n.columns) OVER (
                   ORDER BY n.match, length(n.name), n.name ROWS UNBOUNDED PRECEDING) - n.columns AS before
        FROM named n
    ), hit AS (
        (SELECT lineage.match_rank(lineage.full_name(d.namespace, d.name), each) AS match, 1 AS by, 'dataset' AS kind,
                d.canonical AS id, NULL::text AS column_name,
                lineage.full_name(d.namespace, d.name) COLLATE "default" AS matched_text
         FROM lineage.dataset d
         WHERE (kinds IS NULL OR 'dataset' = ANY (kinds))
           AND lineage.full_name(d.namespace, d.name) COLLATE "default" ILIKE longest
           AND lineage.full_name(d.namespace, d.name) COLLATE "default" ILIKE ALL (likes)
         ORDER BY 1, length(d.name), d.name, d.namespace LIMIT 2 * most)
        UNION ALL
        (SELECT lineage.match_rank(j.namespace || '/' || j.name, each), 1, 'job', j.id, NULL,
                (j.namespace || '/' || j.name) COLLATE "default"
         FROM lineage.job j
         WHERE (kinds IS NULL OR 'job' = ANY (kinds))
           AND (j.namespace || '/' || j.name) COLLATE "default" ILIKE longest
           AND (j.namespace || '/' || j.name) COLLATE "default" ILIKE ALL (likes)
         ORDER BY 1, length(j.name), j.name, j.namespace LIMIT most)
        UNION ALL
        (SELECT n.match, 1, 'column', f.dataset, f.name COLLATE "default", f.name COLLATE "default"
         FROM selected n
         JOIN lineage.field f ON f.name = n.name AND f.name COLLATE "default" ILIKE longest
         JOIN lineage.dataset d ON d.id = f.dataset
         WHERE n.before < most
         ORDER BY 1, length(f.name), f.name, d.namespace, d.name LIMIT most)
        UNION ALL
        (SELECT CASE t.by WHEN 2 THEN lineage.tag_match_rank(t.matched_text, each)
            ELSE 4 END, t.by, t.kind, t.id, NULL, t.matched_text
         FROM (SELECT 'dataset' AS kind, v.id::text::bigint AS id, s.by,
             s.matched_text COLLATE "default" AS matched_text
               FROM provenance."Dataset" v
               CROSS JOIN LATERAL (VALUES
                   (2, ag_catalog.agtype_access_operator(
                           VARIADIC ARRAY[v.properties, '"tags"'::ag_catalog.agtype])::text),
                   (3, ag_catalog.agtype_access_operator(
                           VARIADIC ARRAY[v.properties, '"attributes"'::ag_catalog.agtype,
                                          '"description"'::ag_catalog.agtype])::text)) AS s (by, matched_text)
               WHERE kinds IS NULL OR 'dataset' = ANY (kinds)
               UNION ALL
               SELECT 'job', j.id, s.by, s.matched_text
               FROM lineage.job j
               CROSS JOIN LATERAL (VALUES
                   (2, lineage.facet_tags_json(j.facets)::text),
                   (3, j.facets #>> '{documentation,1,description}')) AS s (by, matched_text)
               WHERE kinds IS NULL OR 'job' = ANY (kinds)) AS t
         LEFT JOIN lineage.dataset d ON d.id = t.id
         LEFT JOIN lineage.job j ON j.id = t.id
         WHERE t.matched_text ILIKE ALL (likes)
         ORDER BY 1, 2, 3, length(t.matched_text), t.matched_text COLLATE "C", coalesce(d.namespace, j.namespace),
                  coalesce(d.name, j.name) LIMIT 2 * most)
    ), best AS (
        SELECT DISTINCT ON (h.kind, h.id, h.column_name) h.*
        FROM hit h ORDER BY h.kind, h.id, h.column_name, h.match, h.by, length(h.matched_text),
            h.matched_text COLLATE "C"
    )
    SELECT fits[b.match], (ARRAY['name', 'tag', 'description'])[b.by], b.kind, b.id,
           coalesce(d.namespace, j.namespace)::text, coalesce(d.name, j.name)::text, b.column_name, b.matched_text
    FROM best b
    LEFT JOIN lineage.dataset d ON d.id = b.id
    LEFT JOIN lineage.job j ON j.id = b.id
    ORDER BY b.match, b.by, array_position(ARRAY['dataset', 'job', 'column'], b.kind), length(b.matched_text),
             b.matched_text COLLATE "C", d.namespace, d.name
    LIMIT most;
    IF FOUND THEN
        RETURN;
    END IF;
    SELECT n.nspname INTO place FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
    WHERE e.extname = 'pg_trgm';
    IF place IS NULL THEN
        RETURN;
    END IF;
    -- The default is 0.6, which a short word with one typing error does not reach.
    PERFORM set_config('pg_trgm.word_similarity_threshold', '0.4', true);
    RETURN QUERY EXECUTE format($similar$
        WITH hit AS (
            (SELECT %1$I.word_similarity($4, lineage.full_name(d.namespace, d.name)) AS similarity, 'dataset' AS kind,
                    d.canonical AS id, NULL::text AS column_name,
                    lineage.full_name(d.namespace, d.name) COLLATE "default" AS matched_text
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
            FROM hit h ORDER BY h.kind, h.id, h.column_name, h.similarity DESC, h.matched_text COLLATE "C"
        )
        SELECT 'similar', 'name', b.kind, b.id, coalesce(d.namespace, j.namespace)::text,
               coalesce(d.name, j.name)::text, b.column_name, b.matched_text
        FROM best b
        LEFT JOIN lineage.dataset d ON d.id = b.id
        LEFT JOIN lineage.job j ON j.id = b.id
        ORDER BY b.similarity DESC, array_position(ARRAY['dataset', 'job', 'column'], b.kind),
                 length(b.matched_text), b.matched_text COLLATE "C", d.namespace, d.name
        LIMIT $3 $similar$, place)
    USING NULL::text, kinds, most, array_to_string(each, ' ');
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

REVOKE EXECUTE ON FUNCTION lineage.install_search_indexes FROM PUBLIC;
