-- Who may do what, and the settings of the database.
-- Roles belong to the whole cluster: another database may have made them, or be making them now.

DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['lineage_writer', 'lineage_reader', 'lineage_cypher'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
            EXCEPTION
                WHEN duplicate_object OR unique_violation THEN NULL;
                WHEN insufficient_privilege THEN
                    RAISE insufficient_privilege USING
                        MESSAGE = format('role "%s" may not create the role "%s"',
                                         current_user, wanted),
                        HINT = 'Let a superuser create lineage_writer, lineage_reader and '
                               'lineage_cypher (NOLOGIN), or grant CREATEROLE.';
            END;
        END IF;
    END LOOP;
END $$;

GRANT USAGE ON SCHEMA lineage, provenance, ag_catalog TO lineage_writer, lineage_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA ag_catalog TO lineage_writer, lineage_reader, lineage_cypher;
GRANT SELECT ON ALL TABLES IN SCHEMA lineage, provenance TO lineage_reader;
GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON ALL TABLES IN SCHEMA lineage, provenance
    TO lineage_writer;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA lineage, provenance TO lineage_writer;
-- An event in the log is never changed.
REVOKE UPDATE, DELETE, TRUNCATE ON lineage.event FROM lineage_writer;

-- Raw Cypher sees the labels and nothing else.
GRANT USAGE ON SCHEMA provenance, ag_catalog TO lineage_cypher;
GRANT SELECT ON ALL TABLES IN SCHEMA provenance TO lineage_cypher;

-- Settings that a plain psql needs: no LOAD, no search_path, property maps that use the indexes.
-- "$user" is left out: for a role called lineage that would be our schema.
-- The first may be set by the owner of the database, the others by a superuser or a role that has
-- been granted SET on the parameter.
DO $$
DECLARE
    setting text;
BEGIN
    FOREACH setting IN ARRAY ARRAY[
        'search_path = public, ag_catalog',
        'session_preload_libraries = ''age''',
        'age.enable_containment = off']
    LOOP
        BEGIN
            EXECUTE format('ALTER DATABASE %I SET %s', current_database(), setting);
        EXCEPTION WHEN insufficient_privilege THEN
            RAISE WARNING USING
                MESSAGE = format('role "%s" may not set %s', current_user, setting),
                HINT = format('Let a superuser run: ALTER DATABASE %I SET %s;',
                              current_database(), setting);
        END;
    END LOOP;
END $$;
