"""The SQL behind what Marquez's clients ask: a row for each form of forms.py."""

from __future__ import annotations

NAMESPACES = """
SELECT namespace, lineage.iso(min(first_seen)), lineage.iso(max(last_seen))
FROM (SELECT namespace, first_seen, last_seen FROM lineage.dataset WHERE canonical = id
      UNION ALL SELECT namespace, first_seen, last_seen FROM lineage.job) AS n
WHERE namespace = %(namespace)s OR %(namespace)s::text IS NULL
GROUP BY namespace ORDER BY namespace LIMIT %(limit)s OFFSET %(offset)s
"""

# The datasets whose ids are given, in that order.
DATASETS = """
SELECT d.namespace, d.name, n.first_seen, n.last_seen, n.facets,
       (SELECT jsonb_agg(jsonb_build_array(f.name, f.type) ORDER BY f.name)
        FROM lineage.field f WHERE f.dataset = d.id AND strpos(f.name, '.') = 0),
       (SELECT r.run_id FROM lineage.dataset n
        CROSS JOIN LATERAL (SELECT * FROM lineage.access a WHERE a.dataset = n.id AND a.output
                            ORDER BY a.last_seen DESC LIMIT 20) AS a
        JOIN lineage.run r ON r.id = a.run AND r.feeding
        WHERE n.canonical = d.id ORDER BY a.last_seen DESC, r.run_id LIMIT 1)
FROM unnest(%s::bigint[]) WITH ORDINALITY AS wanted (id, place)
JOIN lineage.dataset d ON d.id = wanted.id
CROSS JOIN LATERAL (
    SELECT lineage.iso(min(n.first_seen)) AS first_seen, lineage.iso(max(n.last_seen)) AS last_seen,
           lineage.plain_facets(lineage.merged_facets(n.facets)) AS facets
    FROM lineage.dataset n WHERE n.canonical = d.id) AS n
ORDER BY wanted.place
"""

# A run, in the order of forms.run().
_RUN = """jsonb_build_array(r.run_id, r.state, lineage.iso(r.first_seen), lineage.iso(r.last_seen),
    lineage.iso(r.started_at), lineage.iso(r.ended_at), lineage.plain_facets(r.facets),
    j.namespace, j.name)"""

# The jobs whose ids are given, in that order, with what their ten latest runs read and wrote.
JOBS = """
WITH wanted AS MATERIALIZED (
    SELECT * FROM unnest(%s::bigint[]) WITH ORDINALITY AS wanted (id, place)
), latest AS MATERIALIZED (
    SELECT w.id AS job, x.run, x.last_seen FROM wanted w
    CROSS JOIN LATERAL (SELECT x.run, x.last_seen FROM lineage.execution x WHERE x.job = w.id
                        ORDER BY x.last_seen DESC NULLS LAST LIMIT 10) AS x
), accessed AS MATERIALIZED (
    SELECT DISTINCT l.job, a.output, c.namespace, c.name FROM latest l
    JOIN lineage.access a ON a.run = l.run AND a.job = l.job
    JOIN lineage.dataset d ON d.id = a.dataset JOIN lineage.dataset c ON c.id = d.canonical
)
SELECT j.namespace, j.name, lineage.iso(j.first_seen), lineage.iso(j.last_seen),
       lineage.plain_facets(j.facets),
       (SELECT jsonb_agg(jsonb_build_array(a.namespace, a.name) ORDER BY a.namespace, a.name)
        FROM accessed a WHERE a.job = j.id AND NOT a.output),
       (SELECT jsonb_agg(jsonb_build_array(a.namespace, a.name) ORDER BY a.namespace, a.name)
        FROM accessed a WHERE a.job = j.id AND a.output),
       (SELECT jsonb_agg({run} ORDER BY l.last_seen DESC NULLS LAST, r.run_id)
        FROM latest l JOIN lineage.run r ON r.id = l.run WHERE l.job = j.id)
FROM wanted w JOIN lineage.job j ON j.id = w.id ORDER BY w.place
""".replace("{run}", _RUN)

DATASET_IDS = """
SELECT id FROM lineage.dataset WHERE canonical = id AND namespace = %(namespace)s
ORDER BY name LIMIT %(limit)s OFFSET %(offset)s
"""
DATASET_COUNT = """
SELECT count(*) FROM lineage.dataset WHERE canonical = id AND namespace = %(namespace)s
"""
DATASET_ID = "SELECT canonical FROM lineage.dataset WHERE namespace = %s AND name = %s"

_JOBS_LISTED = """
FROM lineage.job j
WHERE (j.namespace = %(namespace)s OR %(namespace)s::text IS NULL)
  AND (%(states)s::text[] IS NULL OR (
      SELECT coalesce(r.state, 'NEW') FROM lineage.execution x JOIN lineage.run r ON r.id = x.run
      WHERE x.job = j.id ORDER BY x.last_seen DESC NULLS LAST LIMIT 1) = ANY (%(states)s::text[]))
"""
JOB_IDS = f"""
SELECT j.id {_JOBS_LISTED}
ORDER BY j.last_seen DESC, j.namespace, j.name LIMIT %(limit)s OFFSET %(offset)s
"""
JOB_COUNT = f"SELECT count(*) {_JOBS_LISTED}"
JOB_ID = "SELECT id FROM lineage.job WHERE namespace = %s AND name = %s"

RUNS_OF_JOB = """
SELECT {run}
FROM (SELECT x.* FROM lineage.execution x WHERE x.job = %(job)s
      ORDER BY x.last_seen DESC NULLS LAST LIMIT %(limit)s OFFSET %(offset)s) AS x
JOIN lineage.run r ON r.id = x.run JOIN lineage.job j ON j.id = x.job
ORDER BY x.last_seen DESC NULLS LAST, r.run_id
""".replace("{run}", _RUN)
RUN_COUNT = "SELECT count(*) FROM lineage.execution WHERE job = %s"

RUN = """
SELECT {run} FROM lineage.run r
LEFT JOIN LATERAL (
    SELECT j.* FROM lineage.execution x JOIN lineage.job j ON j.id = x.job
    WHERE x.run = r.id ORDER BY j.namespace, j.name LIMIT 1) AS j ON true
WHERE r.run_id = %s
""".replace("{run}", _RUN)

# The runs that wrote a dataset and did not fail, newest first, each with what it said of it.
VERSIONS = """
SELECT {run}, lineage.iso(a.last_seen), lineage.plain_facets(a.facets)
FROM (SELECT a.* FROM lineage.dataset n JOIN lineage.access a ON a.dataset = n.id AND a.output
      JOIN lineage.run r ON r.id = a.run AND r.feeding
      WHERE n.canonical = %(dataset)s
      ORDER BY a.last_seen DESC, a.run LIMIT %(limit)s OFFSET %(offset)s) AS a
JOIN lineage.run r ON r.id = a.run JOIN lineage.job j ON j.id = a.job
ORDER BY a.last_seen DESC, a.run
""".replace("{run}", _RUN)
VERSION_COUNT = """
SELECT count(*) FROM lineage.dataset n JOIN lineage.access a ON a.dataset = n.id AND a.output
JOIN lineage.run r ON r.id = a.run AND r.feeding WHERE n.canonical = %s
"""
NAMES = "SELECT namespace, name FROM lineage.dataset WHERE canonical = %s"

# What runs said of their outputs, as far as the log still has it, oldest first.
OUTPUTS_SAID = """
SELECT e.run_id, e.body FROM lineage.event e
WHERE e.run_id = ANY (%s) ORDER BY e.event_time
"""

SEARCHED = """
SELECT kind, namespace, name, lineage.iso(last_seen) FROM (
    SELECT 'DATASET' AS kind, d.namespace, d.name, d.last_seen FROM lineage.dataset d
    WHERE d.canonical = d.id AND strpos(lower(d.name), lower(%(q)s)) > 0
    UNION ALL
    SELECT 'JOB', j.namespace, j.name, j.last_seen FROM lineage.job j
    WHERE strpos(lower(j.name), lower(%(q)s)) > 0) AS found
WHERE (kind = %(filter)s OR %(filter)s::text IS NULL)
  AND (namespace = %(namespace)s OR %(namespace)s::text IS NULL)
  AND (last_seen >= %(after)s::timestamptz OR %(after)s::text IS NULL)
  AND (last_seen < %(before)s::timestamptz OR %(before)s::text IS NULL)
ORDER BY CASE WHEN %(sort)s = 'UPDATE_AT' THEN last_seen END DESC NULLS LAST, name, namespace, kind
LIMIT %(limit)s
"""

_LOGGED = """
FROM lineage.event e
WHERE e.run_id IS NOT NULL AND e.event_time >= %(after)s::timestamptz
  AND e.event_time < %(before)s::timestamptz
  AND (%(namespace)s::text IS NULL OR EXISTS (
      SELECT FROM lineage.run r JOIN lineage.execution x ON x.run = r.id
      JOIN lineage.job j ON j.id = x.job
      WHERE r.run_id = e.run_id AND j.namespace = %(namespace)s))
"""
EVENTS_NEWEST_FIRST = (
    f"SELECT e.body {_LOGGED} ORDER BY e.id DESC LIMIT %(limit)s OFFSET %(offset)s"
)
EVENTS_OLDEST_FIRST = f"SELECT e.body {_LOGGED} ORDER BY e.id LIMIT %(limit)s OFFSET %(offset)s"
# To count a log takes as long as to read it.
MOST_COUNTED = 10_000
EVENT_COUNT = f"SELECT count(*) FROM (SELECT {_LOGGED} LIMIT {MOST_COUNTED}) AS e"  # noqa: S608

TAGS = """
SELECT DISTINCT jsonb_array_elements_text(lineage.dataset_tags(facets)) AS tag
FROM lineage.dataset WHERE facets ? 'tags' ORDER BY tag LIMIT %(limit)s OFFSET %(offset)s
"""
