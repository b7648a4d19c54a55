-- Lineage that producers state outright: of an output the lineage facet says what fed it.

-- The datasets that the lineage facets of a run name. Where one of them gets another vertex, what the run counts
-- for is found anew.
CREATE TABLE lineage.explicit_source (
    run     bigint NOT NULL,
    dataset bigint NOT NULL,
    PRIMARY KEY (dataset, run)
);
COMMENT ON TABLE lineage.explicit_source IS 'Datasets that the lineage facets of a run name';

-- What is stated of an output, null where nothing is: inputs as the facet has them, datasets and the own job.
CREATE FUNCTION lineage.stated_inputs(facets jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN facets ? 'lineage' THEN facets #> '{lineage,1,inputs}' END;

-- The datasets among them, by their vertices.
CREATE FUNCTION lineage.stated_sources(inputs jsonb) RETURNS SETOF bigint
LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 5 AS $$
    SELECT d.canonical
    FROM jsonb_array_elements(inputs) AS i (input)
    CROSS JOIN LATERAL (
        SELECT d.canonical FROM lineage.dataset d
        WHERE d.namespace = input ->> 'namespace' AND d.name = input ->> 'name' OFFSET 0) AS d
    WHERE input ->> 'type' = 'DATASET'
$$;

-- The facets of an access without stamps; datasets that its lineage facet names have their canonical names.
CREATE FUNCTION lineage.facets_of_access(facets jsonb) RETURNS jsonb
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN CASE WHEN NOT facets ? 'lineage' THEN lineage.plain_facets(facets)
ELSE lineage.plain_facets(facets) || jsonb_build_object('lineage', jsonb_build_object('inputs', (
    SELECT coalesce(jsonb_agg(CASE WHEN c.id IS NULL THEN input ELSE input || jsonb_build_object(
               'namespace', c.namespace, 'name', c.name) END), '[]')
    FROM jsonb_array_elements(lineage.stated_inputs(facets)) AS i (input)
    LEFT JOIN lineage.dataset d ON d.namespace = input ->> 'namespace' AND d.name = input ->> 'name'
    LEFT JOIN lineage.dataset c ON c.id = d.canonical))) END;

-- As before, but what is stated of the output holds.
CREATE OR REPLACE FUNCTION lineage.counts(run bigint, job bigint, source bigint, target bigint)
RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
RETURN (SELECT r.feeding FROM lineage.run r WHERE r.id = run)
   AND EXISTS (
       SELECT FROM lineage.access o
       CROSS JOIN LATERAL (SELECT lineage.stated_inputs(o.facets) AS inputs) AS stated
       WHERE o.run = counts.run AND o.job = counts.job AND o.output
         AND (SELECT d.canonical FROM lineage.dataset d WHERE d.id = o.dataset) = target
         AND (source IN (SELECT lineage.stated_sources(stated.inputs))
              OR (stated.inputs IS NULL OR stated.inputs @> '[{"type": "JOB"}]') AND EXISTS (
                  SELECT FROM lineage.access a
                  WHERE a.run = counts.run AND a.job = counts.job AND NOT a.output
                    AND (SELECT d.canonical FROM lineage.dataset d WHERE d.id = a.dataset) = source)));

GRANT SELECT ON lineage.explicit_source TO lineage_reader;
GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON lineage.explicit_source TO lineage_writer;
