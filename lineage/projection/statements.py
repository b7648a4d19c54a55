"""The SQL that folds a batch into facts and draws the graph from them.

All of it goes by index, whatever the planner believes of the tables: rows come from arrays, and
what belongs to a row is looked up by ``= ANY``, by a subquery for one value, or by a lateral
subquery that ``OFFSET 0`` keeps from being turned into another kind of join.
"""

from __future__ import annotations

# A fresh table looks small to the planner, and a plan kept from then stays when it is large. Since
# there is but one way left, it need not be looked for again.
# ag_catalog is where the operators of graphid and agtype are found.
SETTINGS = """
SELECT current_setting('transaction_isolation'),
       set_config('enable_seqscan', 'off', true),
       set_config('enable_hashjoin', 'off', true),
       set_config('enable_mergejoin', 'off', true),
       set_config('jit', 'off', true),
       set_config('plan_cache_mode', 'force_generic_plan', true),
       set_config('search_path', 'pg_catalog, ag_catalog', true)
"""

# Each name that is there, and the name that it stands for.
DATASET_IDS = """
SELECT d.namespace, d.name, d.id, c.namespace, c.name, c.id
FROM unnest(%s::text[], %s::text[]) AS stated (namespace, name)
CROSS JOIN LATERAL (
    SELECT d.namespace, d.name, d.id, d.canonical FROM lineage.dataset d
    WHERE d.namespace = stated.namespace AND d.name = stated.name OFFSET 0) AS d
CROSS JOIN LATERAL (
    SELECT c.namespace, c.name, c.id FROM lineage.dataset c WHERE c.id = d.canonical OFFSET 0) AS c
"""

JOB_IDS = """
SELECT j.namespace, j.name, j.id
FROM unnest(%s::text[], %s::text[]) AS stated (namespace, name)
CROSS JOIN LATERAL (
    SELECT j.namespace, j.name, j.id FROM lineage.job j
    WHERE j.namespace = stated.namespace AND j.name = stated.name OFFSET 0) AS j
"""

# Only what is new takes an id: traces count on those of datasets being few (trace_levels).
ADD_DATASETS = """
INSERT INTO lineage.dataset (id, canonical, namespace, name, first_seen, last_seen, facets)
SELECT id, id, namespace, name, first_seen, last_seen, facets::jsonb
FROM (SELECT lineage.new_id('Dataset') AS id, *
      FROM unnest(%s::text[], %s::text[], %s::timestamptz[], %s::timestamptz[], %s::text[])
           AS stated (namespace, name, first_seen, last_seen, facets)) AS stated
ON CONFLICT (namespace, name) DO NOTHING
RETURNING namespace, name, id
"""

DATASETS = """
INSERT INTO lineage.dataset AS d (id, canonical, namespace, name, first_seen, last_seen, facets)
SELECT id, id, namespace, name, first_seen, last_seen, facets::jsonb
FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::timestamptz[], %s::timestamptz[], %s::text[])
     AS stated (id, namespace, name, first_seen, last_seen, facets)
ON CONFLICT (namespace, name) DO UPDATE SET
    first_seen = least(d.first_seen, excluded.first_seen),
    last_seen = greatest(d.last_seen, excluded.last_seen),
    facets = lineage.merge_facets(d.facets, excluded.facets)
"""


# What is told of each row. Of a run beside its id what lineage.feeds has counted of it, and what
# that has to count from now on.
_TOLD = {
    "Job": "(fact).namespace, (fact).name, (fact).id",
    "Run": "(fact).run_id, (fact).id, (fact).feeding,"
    " lineage.is_feeding((fact).state, (fact).facets, (fact).streamed)",
}


def _drawn(label: str, merged: str) -> str:
    """Return a statement that does what ``merged``, a CTE, does, and draws each row: ``fact``."""
    return f"""
WITH merged AS ({merged}), drawn AS (
    INSERT INTO provenance."{label}" AS v (id, properties)
    SELECT lineage.graphid((fact).id), lineage.{label.lower()}_properties(fact) FROM merged
    ON CONFLICT (id) DO UPDATE SET properties = excluded.properties
    WHERE v.properties IS DISTINCT FROM excluded.properties
)
SELECT {_TOLD[label]} FROM merged
"""  # noqa: S608 - of the CTEs below


ADD_JOBS = _drawn(
    "Job",
    """
    INSERT INTO lineage.job AS j (id, namespace, name, first_seen, last_seen, facets)
    SELECT lineage.new_id('Job'), namespace, name, first_seen, last_seen, facets::jsonb
    FROM unnest(%s::text[], %s::text[], %s::timestamptz[], %s::timestamptz[], %s::text[])
         AS stated (namespace, name, first_seen, last_seen, facets)
    ON CONFLICT (namespace, name) DO NOTHING
    RETURNING j AS fact""",
)
JOBS = _drawn(
    "Job",
    """
    INSERT INTO lineage.job AS j (id, namespace, name, first_seen, last_seen, facets)
    SELECT id, namespace, name, first_seen, last_seen, facets::jsonb
    FROM unnest(%s::bigint[], %s::text[], %s::text[],
                %s::timestamptz[], %s::timestamptz[], %s::text[])
         AS stated (id, namespace, name, first_seen, last_seen, facets)
    ON CONFLICT (namespace, name) DO UPDATE SET
        first_seen = least(j.first_seen, excluded.first_seen),
        last_seen = greatest(j.last_seen, excluded.last_seen),
        facets = lineage.merge_facets(j.facets, excluded.facets)
    RETURNING j AS fact""",
)

RUN_IDS = """
SELECT r.run_id, r.id
FROM unnest(%s::text[]) AS stated (run_id)
CROSS JOIN LATERAL (
    SELECT r.run_id, r.id FROM lineage.run r WHERE r.run_id = stated.run_id OFFSET 0) AS r
"""

ADD_RUNS = _drawn(
    "Run",
    """
    INSERT INTO lineage.run AS r
        (id, run_id, state, first_seen, last_seen, started_at, ended_at, feeding, streamed, facets)
    SELECT lineage.new_id('Run'), run_id, state, first_seen, last_seen, started_at, ended_at,
           lineage.is_feeding(state, facets::jsonb, streamed::smallint), streamed, facets::jsonb
    FROM unnest(%s::text[], %s::text[], %s::timestamptz[], %s::timestamptz[],
                %s::timestamptz[], %s::timestamptz[], %s::bigint[], %s::text[])
         AS stated (run_id, state, first_seen, last_seen, started_at, ended_at, streamed, facets)
    ON CONFLICT (run_id) DO NOTHING
    RETURNING r AS fact""",
)
RUNS = _drawn(
    "Run",
    """
    INSERT INTO lineage.run AS r
        (id, run_id, state, first_seen, last_seen, started_at, ended_at, feeding, streamed, facets)
    SELECT id, run_id, state, first_seen, last_seen, started_at, ended_at, false, streamed,
           facets::jsonb
    FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::timestamptz[], %s::timestamptz[],
                %s::timestamptz[], %s::timestamptz[], %s::bigint[], %s::text[])
         AS stated (id, run_id, state, first_seen, last_seen, started_at, ended_at, streamed,
                    facets)
    ON CONFLICT (run_id) DO UPDATE SET
        state = lineage.later_state(r.state, r.ended_at, excluded.state, excluded.ended_at),
        first_seen = least(r.first_seen, excluded.first_seen),
        last_seen = greatest(r.last_seen, excluded.last_seen),
        started_at = least(r.started_at, excluded.started_at),
        ended_at = greatest(r.ended_at, excluded.ended_at),
        streamed = r.streamed | excluded.streamed,
        facets = lineage.merge_facets(r.facets, excluded.facets)
    RETURNING r AS fact""",
)

EXECUTIONS_THERE = """
SELECT e.run, e.job
FROM unnest(%s::bigint[], %s::bigint[]) AS stated (run, job)
CROSS JOIN LATERAL (
    SELECT e.run, e.job FROM lineage.execution e
    WHERE e.run = stated.run AND e.job = stated.job OFFSET 0) AS e
"""

EXECUTIONS = """
WITH stated AS (
    SELECT * FROM unnest(%s::bigint[], %s::bigint[], %s::timestamptz[],
                         %s::timestamptz[])
        AS stated (run, job, first_seen, last_seen)
), merged AS (
    INSERT INTO lineage.execution AS e (run, job, first_seen, last_seen)
    SELECT run, job, first_seen, last_seen FROM stated
    ON CONFLICT (run, job) DO UPDATE SET
        first_seen = least(e.first_seen, excluded.first_seen),
        last_seen = greatest(e.last_seen, excluded.last_seen)
    RETURNING run, job, first_seen, last_seen
), drawn AS (
    INSERT INTO provenance."EXECUTES" (start_id, end_id)
    SELECT lineage.graphid(job), lineage.graphid(run) FROM stated
    ON CONFLICT (start_id, end_id) DO NOTHING
)
SELECT run, job, lineage.iso(first_seen), lineage.iso(last_seen) FROM merged
"""

PARENTS = """
INSERT INTO provenance."PARENT" (start_id, end_id)
SELECT lineage.graphid(child), lineage.graphid(parent)
FROM unnest(%s::bigint[], %s::bigint[]) AS stated (child, parent)
ON CONFLICT (start_id, end_id) DO NOTHING
"""


def _accesses(merged: str) -> str:
    """Return a statement that draws accesses, and does before what ``merged``, a CTE, does."""
    return f"""
WITH stated AS MATERIALIZED (
    SELECT run, job, dataset, output, first_seen, last_seen, facets::jsonb, vertex
    FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[], %s::boolean[],
                %s::timestamptz[], %s::timestamptz[], %s::text[], %s::bigint[])
         AS stated (run, job, dataset, output, first_seen, last_seen, facets, vertex)
), {merged}inputs AS (
    INSERT INTO provenance."INPUT_TO" (start_id, end_id, properties)
    SELECT lineage.graphid(vertex), lineage.graphid(run),
           lineage.access_properties(false, first_seen, last_seen, facets)
    FROM stated WHERE vertex IS NOT NULL AND NOT output
)
INSERT INTO provenance."OUTPUTS" (start_id, end_id, properties)
SELECT lineage.graphid(run), lineage.graphid(vertex),
       lineage.access_properties(true, first_seen, last_seen, facets)
FROM stated WHERE vertex IS NOT NULL AND output
"""  # noqa: S608 - of the CTE below, or none


# With a vertex an access is the only one of its run and vertex, and is drawn as it is stated.
DRAW_ACCESSES = _accesses("")
ACCESSES = _accesses("""merged AS (
    INSERT INTO lineage.access AS a (run, job, dataset, output, first_seen, last_seen, facets)
    SELECT run, job, dataset, output, first_seen, last_seen, facets FROM stated
    ON CONFLICT (run, job, dataset, output) DO UPDATE SET
        first_seen = least(a.first_seen, excluded.first_seen),
        last_seen = greatest(a.last_seen, excluded.last_seen),
        facets = lineage.merge_facets(a.facets, excluded.facets)
), """)

DEPENDENCIES = """
INSERT INTO lineage.job_dependency AS d (upstream, downstream, first_seen, last_seen)
SELECT * FROM unnest(%s::bigint[], %s::bigint[], %s::timestamptz[], %s::timestamptz[])
ON CONFLICT (upstream, downstream) DO UPDATE SET
    first_seen = least(d.first_seen, excluded.first_seen),
    last_seen = greatest(d.last_seen, excluded.last_seen)
"""

EXPLICIT = """
INSERT INTO lineage.explicit_source (run, dataset)
SELECT run, dataset FROM unnest(%s::bigint[], %s::bigint[]) AS stated (run, dataset)
ON CONFLICT (dataset, run) DO NOTHING
"""

# Gives those whose columns are to be drawn anew, with the digest of their schema.
DRAW_DATASETS = """
WITH vertex AS MATERIALIZED (
    SELECT c.id, c.namespace, c.name, c.schema, n.*,
           jsonb_hash_extended(n.facets #> '{schema,1,fields}', 0) AS digest
    FROM unnest(%s::bigint[]) AS wanted (id)
    CROSS JOIN LATERAL (
        SELECT c.id, c.namespace, c.name, c.schema FROM lineage.dataset c
        WHERE c.id = wanted.id AND c.canonical = c.id OFFSET 0) AS c
    CROSS JOIN LATERAL (
        SELECT min(n.first_seen) AS first_seen, max(n.last_seen) AS last_seen,
               lineage.merged_facets(n.facets) AS facets,
               jsonb_agg(lineage.full_name(n.namespace, n.name) ORDER BY n.namespace, n.name)
                   FILTER (WHERE n.id <> c.id) AS aliases
        FROM lineage.dataset n WHERE n.canonical = c.id) AS n
), drawn AS (
    INSERT INTO provenance."Dataset" AS v (id, properties)
    SELECT lineage.graphid(id), lineage.properties(jsonb_build_object(
        'namespace', namespace, 'name', name,
        'first_seen', lineage.iso(first_seen), 'last_seen', lineage.iso(last_seen),
        'tags', CASE WHEN facets ? 'tags' THEN lineage.dataset_tags(facets) END,
        'attributes', CASE WHEN facets ?| '{datasetType,storage,documentation,ownership}'
                      THEN lineage.dataset_attributes(facets) END,
        'aliases', aliases))
    FROM vertex
    ON CONFLICT (id) DO UPDATE SET properties = excluded.properties
    WHERE v.properties IS DISTINCT FROM excluded.properties
)
SELECT id, digest FROM vertex WHERE schema IS DISTINCT FROM digest
"""

DRAW_INPUTS = """
INSERT INTO provenance."INPUT_TO" AS e (start_id, end_id, properties)
SELECT lineage.graphid(vertex), lineage.graphid(run),
       lineage.access_properties(
           false, min(first_seen), max(last_seen), lineage.merged_facets(facets))
FROM unnest(%s::bigint[]) AS wanted (run)
CROSS JOIN LATERAL (
    SELECT (SELECT d.canonical FROM lineage.dataset d WHERE d.id = a.dataset) AS vertex,
           a.first_seen, a.last_seen, a.facets
    FROM lineage.access a WHERE a.run = wanted.run AND NOT a.output OFFSET 0) AS a
GROUP BY vertex, run
ON CONFLICT (start_id, end_id) DO UPDATE SET properties = excluded.properties
WHERE e.properties IS DISTINCT FROM excluded.properties
"""

DRAW_OUTPUTS = """
INSERT INTO provenance."OUTPUTS" AS e (start_id, end_id, properties)
SELECT lineage.graphid(run), lineage.graphid(vertex),
       lineage.access_properties(
           true, min(first_seen), max(last_seen), lineage.merged_facets(facets))
FROM unnest(%s::bigint[]) AS wanted (run)
CROSS JOIN LATERAL (
    SELECT (SELECT d.canonical FROM lineage.dataset d WHERE d.id = a.dataset) AS vertex,
           a.first_seen, a.last_seen, a.facets
    FROM lineage.access a WHERE a.run = wanted.run AND a.output OFFSET 0) AS a
GROUP BY vertex, run
ON CONFLICT (start_id, end_id) DO UPDATE SET properties = excluded.properties
WHERE e.properties IS DISTINCT FROM excluded.properties
"""
