"""What runs stated, as it is kept beside the graph: from it their events can be written again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.questions.names import Names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lineage.questions.answers import ColumnEdge, Edge

# An edge of a summary was first and last seen with some run, whose times it has.
_RUNS_OF_EDGES = """
SELECT DISTINCT r.run_id
FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[]) AS e (source, target, job)
JOIN lineage.feeds f USING (source, target, job)
CROSS JOIN LATERAL (
    (SELECT x.run FROM lineage.execution x
     WHERE x.job = f.job AND x.last_seen = f.last_seen
       AND lineage.counts(x.run, x.job, f.source, f.target) LIMIT 1)
    UNION ALL
    (SELECT x.run FROM lineage.execution x
     WHERE x.job = f.job AND x.first_seen = f.first_seen
       AND lineage.counts(x.run, x.job, f.source, f.target) LIMIT 1)) AS seen
JOIN lineage.run r ON r.id = seen.run
"""

_RUNS_OF_COLUMN_EDGES = """
SELECT DISTINCT r.run_id
FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[], %s::text[], %s::text[], %s::boolean[])
     AS e (source, target, job, type, subtype, masking)
JOIN lineage.derives d USING (source, target, job, type, subtype, masking)
JOIN lineage.field source_field ON source_field.id = d.source
LEFT JOIN lineage.field target_field ON target_field.id = d.target
CROSS JOIN LATERAL (
    SELECT array_agg(v.mapping) AS mappings
    FROM lineage.dataset s JOIN lineage.derivation v ON v.source = s.id
    JOIN lineage.mapping m ON m.id = v.mapping
    WHERE s.canonical = source_field.dataset AND v.source_field = source_field.name
      AND (v.type, v.subtype, v.masking) = (d.type, d.subtype, d.masking)
      AND v.target_field = coalesce(target_field.name, '')
      AND (SELECT t.canonical FROM lineage.dataset t WHERE t.id = m.target)
          = coalesce(target_field.dataset, d.target)) AS stated
CROSS JOIN LATERAL (
    (SELECT x.run FROM lineage.execution x
     WHERE x.job = d.job AND x.last_seen = d.last_seen
       AND lineage.counts_mapped(x.run, x.job, stated.mappings) LIMIT 1)
    UNION ALL
    (SELECT x.run FROM lineage.execution x
     WHERE x.job = d.job AND x.first_seen = d.first_seen
       AND lineage.counts_mapped(x.run, x.job, stated.mappings) LIMIT 1)) AS seen
JOIN lineage.run r ON r.id = seen.run
"""

# Of each access the newest run, and of the runs that both read and wrote the newest, by its edge.
_RUNS_OF_ACCESSES = """
SELECT newest.run_id, edge.source, edge.target, edge.job
FROM unnest(%s::bigint[], %s::bigint[], %s::boolean[]) AS k (job, dataset, output)
LEFT JOIN LATERAL (
    SELECT r.run_id FROM lineage.execution e JOIN lineage.run r ON r.id = e.run AND r.feeding
    WHERE e.job = k.job AND e.last_seen = lineage.last_access(k.job, k.dataset, k.output)
      AND EXISTS (SELECT FROM lineage.access a JOIN lineage.dataset d ON d.id = a.dataset
                  WHERE a.run = e.run AND a.job = e.job AND a.output = k.output
                    AND d.canonical = k.dataset)
    LIMIT 1) AS newest ON true
LEFT JOIN LATERAL (
    SELECT f.source, f.target, f.job FROM lineage.feeds f
    WHERE f.job = k.job AND CASE WHEN k.output THEN f.target ELSE f.source END = k.dataset
    ORDER BY f.last_seen DESC LIMIT 1) AS edge ON true
"""

_LAST_RUN = """
SELECT r.run_id FROM lineage.execution e JOIN lineage.run r ON r.id = e.run
WHERE e.job = %s AND e.last_seen IS NOT NULL ORDER BY e.last_seen DESC, r.run_id LIMIT 1
"""

_RUNS_SEEN = """
SELECT DISTINCT w.run_id
FROM lineage.run r JOIN lineage.execution e ON e.run = r.id
CROSS JOIN LATERAL lineage.links_of(e.run, e.job) AS l
JOIN lineage.run w ON w.id = l.writer
WHERE r.run_id = ANY (%s::text[]) AND l.dataset = ANY (%s::bigint[])
"""

# Of the jobs by which runs wrote datasets, a run each that said that it leaves what was there.
_RUNS_THAT_ADD = """
SELECT said.run_id
FROM (SELECT DISTINCT a.job, n.canonical AS dataset
      FROM lineage.run r
      JOIN lineage.access a ON a.run = r.id AND a.output
      JOIN lineage.dataset n ON n.id = a.dataset AND n.canonical = ANY (%s::bigint[])
      WHERE r.run_id = ANY (%s::text[])) AS k
CROSS JOIN LATERAL (
    SELECT r.run_id
    FROM lineage.dataset n
    JOIN lineage.access a ON a.dataset = n.id AND a.job = k.job AND a.output
         AND lineage.adds(a.facets)
    JOIN lineage.run r ON r.id = a.run
    WHERE n.canonical = k.dataset ORDER BY a.last_seen, r.run_id LIMIT 1) AS said
"""

_STATED = """
SELECT r.run_id, r.state, lineage.iso(r.started_at), lineage.iso(r.ended_at), r.streamed = 3,
       lineage.plain_facets(r.facets), j.namespace, j.name, lineage.plain_facets(j.facets),
       lineage.iso(x.first_seen), lineage.iso(x.last_seen),
       (SELECT jsonb_agg(jsonb_build_array(a.output, c.namespace, c.name, lineage.iso(a.first_seen),
                             lineage.iso(a.last_seen), lineage.facets_of_access(
                                 CASE WHEN a.inputs IS NULL THEN a.facets ELSE
                                     jsonb_set(a.facets, '{lineage,1,inputs}', a.inputs) END),
                             m.columns)
                         ORDER BY a.output, c.namespace, c.name)
        FROM (SELECT d.canonical, a.output, min(a.first_seen) AS first_seen,
                     max(a.last_seen) AS last_seen, lineage.merged_facets(a.facets) AS facets,
                     -- What names of one dataset state differently, it is fed by together.
                     CASE WHEN count(*) > 1 AND count(lineage.stated_inputs(a.facets)) > 0
                          THEN jsonb_path_query_array(
                              jsonb_agg(coalesce(lineage.stated_inputs(a.facets),
                                                 '[{"type": "JOB"}]')), '$[*][*]')
                     END AS inputs
              FROM lineage.access a JOIN lineage.dataset d ON d.id = a.dataset
              WHERE a.run = r.id AND a.job = j.id AND d.canonical = ANY (%(datasets)s::bigint[])
              GROUP BY d.canonical, a.output) AS a
        JOIN lineage.dataset c ON c.id = a.canonical
        LEFT JOIN LATERAL (
            SELECT jsonb_agg(DISTINCT jsonb_build_array(s.namespace, s.name, v.source_field,
                                 v.target_field, v.type, v.subtype, v.masking)) AS columns
            FROM lineage.run_mapping rm
            JOIN lineage.derivation v ON v.mapping = rm.mapping
            JOIN lineage.dataset n ON n.id = v.source
            JOIN lineage.dataset s ON s.id = n.canonical
            WHERE a.output AND rm.run = r.id AND rm.job = j.id
              AND (SELECT d.canonical FROM lineage.dataset d WHERE d.id = rm.dataset) = a.canonical
              AND s.id = ANY (%(datasets)s::bigint[])) AS m ON true)
FROM lineage.run r
JOIN lineage.execution x ON x.run = r.id
JOIN lineage.job j ON j.id = x.job
WHERE r.run_id = ANY (%(runs)s::text[]) AND x.first_seen IS NOT NULL
ORDER BY x.first_seen, r.run_id, j.namespace, j.name
"""

# Of an edge with a job those of the job, and those of no job.
_DESIGNS = """
SELECT DISTINCT j.namespace, j.name, s.namespace, s.name, t.namespace, t.name,
       lineage.iso(d.first_seen), lineage.iso(d.last_seen)
FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[]) AS e (source, target, job)
JOIN lineage.declared d ON d.source = e.source AND d.target = e.target
 AND coalesce(d.job, e.job) = e.job
LEFT JOIN lineage.job j ON j.id = d.job
JOIN lineage.dataset s ON s.id = d.source
JOIN lineage.dataset t ON t.id = d.target
ORDER BY 1, 2, 3, 4, 5, 6
"""

# Whatever runs show of it.
_DESIGNS_OF_JOBS = """
SELECT j.namespace, j.name, s.namespace, s.name, t.namespace, t.name,
       lineage.iso(d.first_seen), lineage.iso(d.last_seen)
FROM lineage.declared d
JOIN lineage.job j ON j.id = d.job
JOIN lineage.dataset s ON s.id = d.source
JOIN lineage.dataset t ON t.id = d.target
WHERE d.holder = ANY (%s::bigint[]) AND d.job = d.holder
ORDER BY 1, 2, 3, 4, 5, 6
"""

_COLUMN_DESIGNS = """
SELECT DISTINCT j.namespace, j.name, s.namespace, s.name, sf.name, t.namespace, t.name,
       coalesce(tf.name, ''), d.type, d.subtype, d.masking,
       lineage.iso(d.first_seen), lineage.iso(d.last_seen)
FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[], %s::text[], %s::text[], %s::boolean[])
     AS e (source, target, job, type, subtype, masking)
JOIN lineage.declared_column d ON d.source = e.source AND d.target = e.target
 AND (d.type, d.subtype, d.masking) = (e.type, e.subtype, e.masking)
 AND coalesce(d.job, e.job) = e.job
LEFT JOIN lineage.job j ON j.id = d.job
JOIN lineage.field sf ON sf.id = d.source
JOIN lineage.dataset s ON s.id = sf.dataset
LEFT JOIN lineage.field tf ON tf.id = d.target
JOIN lineage.dataset t ON t.id = coalesce(tf.dataset, d.target)
ORDER BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
"""

_DESCRIBED = """
SELECT c.namespace, c.name, lineage.iso(max(n.last_seen)),
       lineage.plain_facets(lineage.merged_facets(n.facets)) -> 'schema'
FROM lineage.dataset n JOIN lineage.dataset c ON c.id = n.canonical
WHERE n.canonical = ANY (%s::bigint[])
GROUP BY c.namespace, c.name ORDER BY c.namespace, c.name
"""


@dataclass(frozen=True, slots=True)
class Stated:
    """What a run of a job stated of some datasets; of a run of several jobs there are several.

    ``streamed``: it is of a stream, and was running. An access is whether it wrote, namespace,
    name, first and last time, facets of the access, and what it derived: source namespace, name and
    field, target field, type, subtype, masking.
    """

    run_id: str
    state: str | None
    started_at: str | None
    ended_at: str | None
    streamed: bool
    run_facets: Mapping[str, Any]
    job: tuple[str, str]
    job_facets: Mapping[str, Any]
    first_seen: str
    last_seen: str
    accesses: tuple[tuple[bool, str, str, str, str, dict[str, Any], list[list[Any]] | None], ...]


class Design(NamedTuple):
    """A pair that a design of a job states, or a facet of the target where there is no job."""

    job_namespace: str | None
    job: str | None
    source_namespace: str
    source: str
    target_namespace: str
    target: str
    first_seen: str
    last_seen: str


class ColumnDesign(NamedTuple):
    """The same of columns; with no ``target_field`` it is all of the target."""

    job_namespace: str | None
    job: str | None
    source_namespace: str
    source: str
    source_field: str
    target_namespace: str
    target: str
    target_field: str
    type: str
    subtype: str
    masking: bool
    first_seen: str
    last_seen: str


class Facts(Names):
    """What is kept of runs and datasets."""

    def runs_of_edges(self, edges: Iterable[Edge]) -> set[str]:
        """Return ids of runs that say, together, when each edge was first and last seen."""
        keys = [
            (edge.source.id, edge.target.id, edge.job.id)
            for edge in edges
            if edge.job and edge.runs
        ]
        return {run for (run,) in self._rows(_RUNS_OF_EDGES, _arrays(keys, 3))}

    def runs_of_accesses(
        self, accesses: Iterable[tuple[int, int, bool]]
    ) -> tuple[set[str], set[int]]:
        """Return ids of the newest runs of jobs that read or wrote datasets, and passed them on.

        An access is a job, a dataset and whether it wrote it, by the ids of their vertices. With
        them come the datasets at the other end of what was passed on.
        """
        rows = self._rows(_RUNS_OF_ACCESSES, _arrays(sorted(set(accesses)), 3))
        passed = sorted({row[1:] for row in rows if row[3] is not None})
        runs = {run for (run,) in self._rows(_RUNS_OF_EDGES, _arrays(passed, 3))}
        return runs | {row[0] for row in rows if row[0]}, {id for row in passed for id in row[:2]}

    def last_run_of(self, job: int) -> set[str]:
        """Return the id of the newest run of a job, by the id of its vertex, if it has one."""
        return {run for (run,) in self._rows(_LAST_RUN, (job,))}

    def runs_seen_by(self, runs: Iterable[str], datasets: Iterable[int]) -> set[str]:
        """Return ids of the runs whose writes of datasets some runs saw when they read them."""
        return {run for (run,) in self._rows(_RUNS_SEEN, (list(runs), list(datasets)))}

    def runs_that_add(self, runs: Iterable[str], datasets: Iterable[int]) -> set[str]:
        """Return ids of runs that said that their jobs add to datasets that some runs wrote."""
        return {run for (run,) in self._rows(_RUNS_THAT_ADD, (list(datasets), list(runs)))}

    def runs_of_column_edges(self, edges: Iterable[ColumnEdge]) -> set[str]:
        """Return the same of edges between columns."""
        keys = [
            (e.source.id, e.target.id, e.job.id, e.type, e.subtype or "", e.masking)
            for e in edges
            if e.job and e.runs
        ]
        return {run for (run,) in self._rows(_RUNS_OF_COLUMN_EDGES, _arrays(keys, 6))}

    def stated(self, runs: Iterable[str], datasets: Iterable[int]) -> tuple[Stated, ...]:
        """Return what runs, by their ids, stated of datasets, by those of their vertices."""
        params = {"runs": sorted(runs), "datasets": list(datasets)}
        return tuple(_stated(*row) for row in self._rows(_STATED, params))

    def designs(self, edges: Iterable[Edge]) -> tuple[Design, ...]:
        """Return what designs state of edges that are declared, by the names of all."""
        keys = sorted({(e.source.id, e.target.id, e.job.id if e.job else 0) for e in edges
                       if e.declared})  # fmt: skip
        return tuple(Design(*row) for row in self._rows(_DESIGNS, _arrays(keys, 3)))

    def designs_of_jobs(self, jobs: Iterable[int]) -> tuple[Design, ...]:
        """Return the whole designs of jobs, by the names of all."""
        ids = sorted(set(jobs))
        return tuple(Design(*row) for row in self._rows(_DESIGNS_OF_JOBS, (ids,))) if ids else ()

    def column_designs(self, edges: Iterable[ColumnEdge]) -> tuple[ColumnDesign, ...]:
        """Return the same of edges between columns."""
        keys = sorted({(e.source.id, e.target.id, e.job.id if e.job else 0, e.type,
                        e.subtype or "", e.masking) for e in edges if e.declared})  # fmt: skip
        return tuple(ColumnDesign(*row) for row in self._rows(_COLUMN_DESIGNS, _arrays(keys, 6)))

    def described(self, datasets: Iterable[int]) -> dict[tuple[str, str], tuple[str, Any]]:
        """Return of each dataset its last time and its newest schema facet, by its name."""
        rows = self._rows(_DESCRIBED, (list(datasets),))
        return {(namespace, name): (seen, schema) for namespace, name, seen, schema in rows}


def _stated(*row: Any) -> Stated:
    run_id, state, started_at, ended_at, streamed, run_facets, namespace, job, facets, *rest = row
    first_seen, last_seen, accesses = rest
    return Stated(
        run_id,
        state,
        started_at,
        ended_at,
        streamed,
        run_facets,
        (namespace, job),
        facets,
        first_seen,
        last_seen,
        tuple(tuple(access) for access in accesses or ()),
    )


def _arrays(keys: Sequence[tuple[Any, ...]], width: int) -> tuple[list[Any], ...]:
    return tuple(list(column) for column in zip(*keys, strict=True)) or ([],) * width
