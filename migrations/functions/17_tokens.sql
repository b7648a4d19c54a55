-- The token with a digest. A caller without a token obtains no information about tokens.
CREATE OR REPLACE FUNCTION lineage.find_token(digest bytea)
RETURNS TABLE (name text, scope text, namespaces text[])
LANGUAGE sql STABLE STRICT ROWS 1 SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT t.name, t.scope, t.namespaces FROM lineage.token t WHERE t.sha256 = digest;
END;
COMMENT ON FUNCTION lineage.find_token IS 'The token of the collector with a digest';

REVOKE EXECUTE ON FUNCTION lineage.find_token FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lineage.find_token TO lineage_writer;
