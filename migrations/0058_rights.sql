-- What lineage_writer may do is what writing events takes, and no more: it deletes nothing from the graph and
-- cannot read the hashes of tokens. What has to be deleted while events are written goes through functions of
-- the owner, which delete only what the facts no longer support. Rebuilding, replaying, pruning and the
-- administration of tokens are for the owner of the schema.

-- The token with a digest: a caller that has no token learns nothing.
CREATE FUNCTION lineage.find_token(digest bytea)
RETURNS TABLE (name text, scope text, namespaces text[])
LANGUAGE sql STABLE STRICT ROWS 1 SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT t.name, t.scope, t.namespaces FROM lineage.token t WHERE t.sha256 = digest;
END;

-- Deletes the summaries that no run contributes to any more, with their edges.
CREATE FUNCTION lineage.delete_unused_feeds(edges bigint[])
RETURNS TABLE (edge bigint, source bigint, target bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, ag_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    unused bigint[] := ARRAY(SELECT f.edge FROM lineage.feeds f
                             WHERE f.edge = ANY (edges) AND f.runs = 0 FOR UPDATE);
BEGIN
    IF unused = '{}' THEN
        RETURN;
    END IF;
    DELETE FROM provenance."FEEDS" WHERE id = ANY (unused::text[]::graphid[]);
    RETURN QUERY DELETE FROM lineage.feeds f WHERE f.edge = ANY (unused) RETURNING f.edge, f.source, f.target;
END $$;

CREATE FUNCTION lineage.delete_unused_derives(edges bigint[]) RETURNS TABLE (edge bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, ag_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    unused bigint[] := ARRAY(SELECT d.edge FROM lineage.derives d
                             WHERE d.edge = ANY (edges) AND d.runs = 0 FOR UPDATE);
BEGIN
    IF unused = '{}' THEN
        RETURN;
    END IF;
    DELETE FROM provenance."DERIVES" WHERE id = ANY (unused::text[]::graphid[]);
    RETURN QUERY DELETE FROM lineage.derives d WHERE d.edge = ANY (unused) RETURNING d.edge;
END $$;

-- Deletes what designs declare, which the caller derives anew from lineage.design in the same transaction.
CREATE FUNCTION lineage.delete_declared(holders bigint[])
RETURNS TABLE (edge bigint, source bigint, target bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, ag_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    edges bigint[] := ARRAY(SELECT d.edge FROM lineage.declared d WHERE d.holder = ANY (holders)
                            UNION ALL
                            SELECT d.edge FROM lineage.declared_column d WHERE d.holder = ANY (holders));
BEGIN
    IF edges = '{}' THEN
        RETURN;
    END IF;
    DELETE FROM provenance."DECLARED" WHERE id = ANY (edges::text[]::graphid[]);
    DELETE FROM lineage.declared_column d WHERE d.holder = ANY (holders);
    RETURN QUERY DELETE FROM lineage.declared d WHERE d.holder = ANY (holders)
                 RETURNING d.edge, d.source, d.target;
END $$;

-- An edge of a design is in the graph while no run shows its pair.
CREATE FUNCTION lineage.delete_observed() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, ag_catalog, pg_temp AS $$
BEGIN
    DELETE FROM provenance."DECLARED" WHERE id = lineage.graphid(NEW.edge);
    RETURN NULL;
END $$;
CREATE TRIGGER observed AFTER UPDATE OF observed ON lineage.declared
    FOR EACH ROW WHEN (NEW.observed AND NOT OLD.observed) EXECUTE FUNCTION lineage.delete_observed();

-- Deletes columns that no mapping names.
CREATE FUNCTION lineage.delete_fields(ids bigint[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, ag_catalog, pg_temp AS $$
DECLARE
    unnamed bigint[] := ARRAY(SELECT f.id FROM lineage.field f
                              WHERE f.id = ANY (ids) AND NOT lineage.is_mapped(f.dataset, f.name));
BEGIN
    DELETE FROM provenance."HAS_FIELD" WHERE end_id = ANY (unnamed::text[]::graphid[]);
    DELETE FROM provenance."Field" WHERE id = ANY (unnamed::text[]::graphid[]);
    DELETE FROM lineage.field WHERE id = ANY (unnamed);
END $$;

-- Gives names the vertex that their aliases lead to, and deletes from the graph what stood at the old ones: the
-- edges of these runs, which the caller writes anew in the same transaction, and vertices without a name.
CREATE FUNCTION lineage.move_names(names bigint[], runs bigint[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, ag_catalog, pg_temp AS $$
DECLARE
    old bigint[] := ARRAY(SELECT DISTINCT d.canonical FROM lineage.dataset d
                          WHERE d.id = ANY (names) AND d.canonical <> lineage.canonical(d.id));
    unnamed bigint[];
BEGIN
    UPDATE lineage.dataset d SET canonical = lineage.canonical(d.id) WHERE d.id = ANY (names);
    DELETE FROM provenance."INPUT_TO" WHERE end_id = ANY (runs::text[]::graphid[])
        AND start_id = ANY (old::text[]::graphid[]);
    DELETE FROM provenance."OUTPUTS" WHERE start_id = ANY (runs::text[]::graphid[])
        AND end_id = ANY (old::text[]::graphid[]);
    unnamed := ARRAY(SELECT v.id FROM unnest(old) AS v (id)
                     WHERE NOT EXISTS (SELECT FROM lineage.dataset d WHERE d.canonical = v.id));
    DELETE FROM provenance."Dataset" WHERE id = ANY (unnamed::text[]::graphid[]);
END $$;

COMMENT ON FUNCTION lineage.find_token IS 'The token of the collector with a digest';
COMMENT ON FUNCTION lineage.delete_unused_feeds IS 'Deletes FEEDS that no run contributes to';
COMMENT ON FUNCTION lineage.delete_unused_derives IS 'Deletes DERIVES that no run contributes to';
COMMENT ON FUNCTION lineage.delete_declared IS 'Deletes what designs declare, before it is derived anew';
COMMENT ON FUNCTION lineage.delete_fields IS 'Deletes columns that no mapping names';
COMMENT ON FUNCTION lineage.move_names IS 'Gives names the vertex that their aliases lead to';

REVOKE EXECUTE ON FUNCTION lineage.find_token, lineage.delete_unused_feeds, lineage.delete_unused_derives,
    lineage.delete_declared, lineage.delete_observed, lineage.delete_fields, lineage.move_names FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lineage.find_token, lineage.delete_unused_feeds, lineage.delete_unused_derives,
    lineage.delete_declared, lineage.delete_fields, lineage.move_names TO lineage_writer;

-- Tables that are made later are granted one by one.
ALTER DEFAULT PRIVILEGES IN SCHEMA lineage, provenance REVOKE ALL ON TABLES FROM lineage_writer, lineage_reader;
REVOKE INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER ON ALL TABLES IN SCHEMA lineage, provenance
    FROM lineage_writer;
REVOKE SELECT ON lineage.token FROM lineage_writer;
GRANT SELECT (name, scope, namespaces, created_at) ON lineage.token TO lineage_writer;

GRANT INSERT ON lineage.event, lineage.document, lineage.refused, lineage.run_owner, lineage.mapping,
    lineage.derivation, lineage.explicit_source, lineage.declared_column,
    provenance."EXECUTES", provenance."PARENT", provenance."HAS_FIELD", provenance."DECLARED"
    TO lineage_writer;
GRANT INSERT, UPDATE ON lineage.dataset, lineage.alias, lineage.job, lineage.run, lineage.execution,
    lineage.access, lineage.feeds, lineage.field, lineage.run_mapping, lineage.derives, lineage.design,
    lineage.design_source, lineage.design_mapping, lineage.declared, lineage.job_dependency,
    provenance."Dataset", provenance."Job", provenance."Run", provenance."Field",
    provenance."INPUT_TO", provenance."OUTPUTS", provenance."FEEDS", provenance."DERIVES" TO lineage_writer;
-- queues
GRANT INSERT, UPDATE, DELETE ON lineage.pending, lineage.unconverted, lineage.forward, lineage.forward_refused
    TO lineage_writer;
