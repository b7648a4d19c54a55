-- What is called for each row of a batch: into the statement, or out by the shortest way.

-- Both steps give null for null, so this one is put into the statement that calls it; _graphid() is not strict.
CREATE OR REPLACE FUNCTION lineage.graphid(id bigint) RETURNS ag_catalog.graphid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN id::text::ag_catalog.graphid;

-- As before. Nearly always all that is new is newer, and most often it has all facets there are: then nothing
-- has to be taken apart.
CREATE OR REPLACE FUNCTION lineage.merge_facets(old jsonb, new jsonb) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    IF new = '{}' THEN
        RETURN old;
    ELSIF EXISTS (SELECT FROM jsonb_object_keys(new) AS name
                  WHERE old ? name AND (old -> name ->> 0) COLLATE "C" >= (new -> name ->> 0) COLLATE "C")
    THEN
        RETURN old || coalesce(
            (SELECT jsonb_object_agg(name, entry)
             FROM jsonb_each(new) AS stated (name, entry)
             WHERE NOT old ? name OR (old -> name ->> 0) COLLATE "C" < (entry ->> 0) COLLATE "C"),
            '{}');
    ELSIF EXISTS (SELECT FROM jsonb_object_keys(old) AS name WHERE NOT new ? name) THEN
        RETURN old || new;
    END IF;
    RETURN new;
END $$;
