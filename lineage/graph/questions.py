"""The SQL of questions. Everything a question needs comes in one statement, rows as JSON."""

from __future__ import annotations

DATASETS_CALLED = "SELECT id, namespace, name FROM lineage.find_dataset(%s)"
JOBS_CALLED = "SELECT id, namespace, name FROM lineage.find_job(%s)"

# A run as a JSON array, in the order of answers.Run.
RUN = """jsonb_build_array(r.run_id, r.state, lineage.iso(r.last_seen), lineage.iso(r.started_at),
    lineage.iso(r.ended_at), r.facets #>> '{errorMessage,1,message}')"""

RUN_CALLED = f"SELECT {RUN} FROM lineage.run r WHERE r.run_id = %s"  # noqa: S608 - constants

_TRACED = """
WITH passed AS MATERIALIZED (
    SELECT source, target, job, min(distance) AS distance, upstream
    FROM (
        SELECT *, true AS upstream
        FROM lineage.trace_edges(ARRAY[%(root)s::bigint], 'upstream', %(depth)s)
        WHERE %(upstream)s
        UNION ALL
        SELECT *, false
        FROM lineage.trace_edges(ARRAY[%(root)s::bigint], 'downstream', %(depth)s)
        WHERE %(downstream)s) AS e
    GROUP BY source, target, job, upstream
), last_run AS MATERIALIZED (
    SELECT job, latest.run
    FROM (SELECT DISTINCT job FROM passed) AS j
    CROSS JOIN LATERAL (
        SELECT {run} AS run FROM lineage.execution x JOIN lineage.run r ON r.id = x.run
        WHERE x.job = j.job AND x.last_seen IS NOT NULL
        ORDER BY x.last_seen DESC LIMIT 1) AS latest
)
SELECT p.distance, p.upstream, s.id, s.namespace, s.name, t.id, t.namespace, t.name,
       j.id, j.namespace, j.name, f.runs, lineage.iso(f.first_seen), lineage.iso(f.last_seen), l.run
FROM passed p
JOIN lineage.feeds f USING (source, target, job)
JOIN lineage.dataset s ON s.id = p.source
JOIN lineage.dataset t ON t.id = p.target
JOIN lineage.job j ON j.id = p.job
JOIN last_run l ON l.job = p.job
ORDER BY p.distance, s.namespace, s.name, t.namespace, t.name, j.namespace, j.name
"""
TRACE = _TRACED.replace("{run}", RUN)

SHOW_DATASET = """
SELECT array_agg(lineage.full_name(n.namespace, n.name) ORDER BY n.namespace, n.name)
           FILTER (WHERE n.id <> %(id)s),
       lineage.iso(min(n.first_seen)), lineage.iso(max(n.last_seen)),
       lineage.dataset_tags(lineage.merged_facets(n.facets)),
       lineage.plain_facets(lineage.merged_facets(n.facets)),
       (SELECT jsonb_agg(jsonb_build_array(j.id, j.namespace, j.name) ORDER BY j.namespace, j.name)
        FROM lineage.job j JOIN lineage.jobs_of(%(id)s, true) AS w (id) USING (id)),
       (SELECT jsonb_agg(jsonb_build_array(j.id, j.namespace, j.name) ORDER BY j.namespace, j.name)
        FROM lineage.job j JOIN lineage.jobs_of(%(id)s, false) AS w (id) USING (id))
FROM lineage.dataset n WHERE n.canonical = %(id)s
"""

SHOW_JOB = """
SELECT j.facets #>> '{jobType,1,jobType}', lineage.iso(j.first_seen), lineage.iso(j.last_seen),
       lineage.plain_facets(j.facets),
       (SELECT jsonb_agg(DISTINCT jsonb_build_array(d.id, d.namespace, d.name))
        FROM lineage.feeds f JOIN lineage.dataset d ON d.id = f.source WHERE f.job = j.id),
       (SELECT jsonb_agg(DISTINCT jsonb_build_array(d.id, d.namespace, d.name))
        FROM lineage.feeds f JOIN lineage.dataset d ON d.id = f.target WHERE f.job = j.id)
FROM lineage.job j WHERE j.id = %(id)s
"""

_SHOW_RUN = """
SELECT {run},
       (SELECT jsonb_agg(jsonb_build_array(j.id, j.namespace, j.name) ORDER BY j.namespace, j.name)
        FROM lineage.execution x JOIN lineage.job j ON j.id = x.job WHERE x.run = r.id),
       (SELECT array_agg(p.run_id ORDER BY p.run_id) FROM provenance."PARENT" e
        JOIN lineage.run p ON lineage.graphid(p.id) OPERATOR(ag_catalog.=) e.end_id
        WHERE e.start_id OPERATOR(ag_catalog.=) lineage.graphid(r.id)),
       (SELECT array_agg(c.run_id ORDER BY c.run_id) FROM provenance."PARENT" e
        JOIN lineage.run c ON lineage.graphid(c.id) OPERATOR(ag_catalog.=) e.start_id
        WHERE e.end_id OPERATOR(ag_catalog.=) lineage.graphid(r.id)),
       lineage.plain_facets(r.facets),
       (SELECT jsonb_agg(jsonb_build_array(a.output, c.id, c.namespace, c.name, j.id, j.namespace,
                                           j.name, lineage.plain_facets(a.facets))
                         ORDER BY a.output, c.namespace, c.name)
        FROM lineage.access a JOIN lineage.dataset d ON d.id = a.dataset
        JOIN lineage.dataset c ON c.id = d.canonical JOIN lineage.job j ON j.id = a.job
        WHERE a.run = r.id)
FROM lineage.run r WHERE r.run_id = %(run_id)s
"""
SHOW_RUN = _SHOW_RUN.replace("{run}", RUN)

_RUNS_OF_DATASET = """
SELECT {run}, j.id, j.namespace, j.name, c.id, c.namespace, c.name, a.output,
       lineage.plain_facets(a.facets)
FROM (SELECT a.* FROM lineage.dataset n JOIN lineage.access a ON a.dataset = n.id
      WHERE n.canonical = %(id)s ORDER BY a.last_seen DESC LIMIT %(limit)s) AS a
JOIN lineage.run r ON r.id = a.run
JOIN lineage.job j ON j.id = a.job
JOIN lineage.dataset c ON c.id = %(id)s
ORDER BY a.last_seen DESC, r.run_id, a.output
"""
RUNS_OF_DATASET = _RUNS_OF_DATASET.replace("{run}", RUN)

_RUNS_OF_JOB = """
SELECT {run}
FROM (SELECT x.* FROM lineage.execution x WHERE x.job = %(id)s
      ORDER BY x.last_seen DESC NULLS LAST LIMIT %(limit)s) AS x
JOIN lineage.run r ON r.id = x.run
ORDER BY x.last_seen DESC NULLS LAST, r.run_id
"""
RUNS_OF_JOB = _RUNS_OF_JOB.replace("{run}", RUN)

DATASETS = """
SELECT d.id, d.namespace, d.name FROM lineage.dataset d
WHERE d.id = d.canonical AND strpos(lineage.full_name(d.namespace, d.name), %(text)s) > 0
ORDER BY d.namespace, d.name LIMIT %(limit)s
"""

JOBS = """
SELECT j.id, j.namespace, j.name FROM lineage.job j
WHERE strpos(j.namespace || '/' || j.name, %(text)s) > 0
ORDER BY j.namespace, j.name LIMIT %(limit)s
"""

# The names among which a mistyped one is looked for: the most recent ones, so that it ends.
RECENT_NAMES = """
SELECT lineage.full_name(namespace, name) FROM lineage.dataset
ORDER BY last_seen DESC NULLS LAST LIMIT 2000
"""
