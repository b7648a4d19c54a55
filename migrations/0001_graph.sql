-- Apache AGE, the graph "provenance" with all its labels, and the indexes that writers rely on.

DO $$
BEGIN
    CREATE EXTENSION IF NOT EXISTS age;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE insufficient_privilege USING
        MESSAGE = format('role "%s" may not create the extension age', current_user),
        HINT = format('Let a superuser run CREATE EXTENSION age in database "%s" once.',
                      current_database());
END $$;

-- AGE looks up its own operator classes by search_path when it creates a label.
SET LOCAL search_path = pg_catalog, ag_catalog;

CREATE SCHEMA IF NOT EXISTS lineage;
COMMENT ON SCHEMA lineage IS 'Event log, facts, and the functions that answer questions';

SELECT ag_catalog.create_graph('provenance');

-- Labels exist before the first event: to create one at its first use is DDL, and two at once fail.
SELECT ag_catalog.create_vlabel('provenance', label::cstring)
FROM unnest(ARRAY['Dataset', 'Job', 'Run', 'Field']) AS label;

SELECT ag_catalog.create_elabel('provenance', label::cstring)
FROM unnest(ARRAY['INPUT_TO', 'OUTPUTS', 'EXECUTES', 'PARENT', 'HAS_FIELD', 'DERIVES', 'FEEDS'])
     AS label;

-- Natural keys. The name comes first because it is what people give in Cypher.
CREATE UNIQUE INDEX dataset_key ON provenance."Dataset" (
    ag_catalog.agtype_access_operator(VARIADIC ARRAY[properties, '"name"'::ag_catalog.agtype]),
    ag_catalog.agtype_access_operator(VARIADIC ARRAY[properties, '"namespace"'::ag_catalog.agtype]));
CREATE UNIQUE INDEX job_key ON provenance."Job" (
    ag_catalog.agtype_access_operator(VARIADIC ARRAY[properties, '"name"'::ag_catalog.agtype]),
    ag_catalog.agtype_access_operator(VARIADIC ARRAY[properties, '"namespace"'::ag_catalog.agtype]));
CREATE UNIQUE INDEX run_key ON provenance."Run" (
    ag_catalog.agtype_access_operator(VARIADIC ARRAY[properties, '"run_id"'::ag_catalog.agtype]));
-- Not unique: names of a column and of its dataset together may be longer than an index entry holds.
-- lineage.field keeps columns apart.
CREATE INDEX field_name ON provenance."Field" (
    ag_catalog.agtype_access_operator(VARIADIC ARRAY[properties, '"name"'::ag_catalog.agtype]));
CREATE INDEX field_dataset ON provenance."Field" (
    ag_catalog.agtype_access_operator(VARIADIC ARRAY[properties, '"dataset"'::ag_catalog.agtype]));

-- One edge a pair; of FEEDS one edge a pair and job. What keeps edges of DERIVES apart is more than an
-- index entry holds: lineage.derives does it. AGE finds an edge by its id only where there is a btree on it.
DO $$
DECLARE
    edge text;
BEGIN
    FOREACH edge IN ARRAY ARRAY['INPUT_TO', 'OUTPUTS', 'EXECUTES', 'PARENT', 'HAS_FIELD'] LOOP
        EXECUTE format('CREATE UNIQUE INDEX %I ON provenance.%I (start_id, end_id)',
                       lower(edge) || '_pair', edge);
    END LOOP;
    CREATE UNIQUE INDEX feeds_pair ON provenance."FEEDS" (start_id, end_id,
        ag_catalog.agtype_access_operator(VARIADIC ARRAY[properties, '"job"'::ag_catalog.agtype]),
        ag_catalog.agtype_access_operator(
            VARIADIC ARRAY[properties, '"job_namespace"'::ag_catalog.agtype]));
    CREATE INDEX derives_pair ON provenance."DERIVES" (start_id, end_id);
    FOREACH edge IN ARRAY ARRAY['INPUT_TO', 'OUTPUTS', 'EXECUTES', 'PARENT', 'HAS_FIELD',
                                'DERIVES', 'FEEDS'] LOOP
        EXECUTE format('CREATE UNIQUE INDEX %I ON provenance.%I (id)', lower(edge) || '_id', edge);
        -- AGE 1.7 and later make these two; an older graph would lack them.
        EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON provenance.%I (end_id)',
                       edge || '_end_id_idx', edge);
        -- The index on the pair serves a search by start_id alone.
        EXECUTE format('DROP INDEX IF EXISTS provenance.%I', edge || '_start_id_idx');
    END LOOP;
END $$;
