"""What a dataset was made from, and what was made from it, over the summary of all runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lineage.questions.answers import Dataset, Direction, Edge, Job, Node, Run, Trace, Way
from lineage.questions.moments import moment_of
from lineage.questions.names import Names
from lineage.questions.runs import LATEST_RUN
from lineage.questions.shown import ALL, Filters, Step, Walk, shown

# One statement, so that all is of one moment: a row for each edge, dataset and job, each told once.
_TRACED = """
WITH passed AS MATERIALIZED (
    SELECT *, true AS upstream
    FROM lineage.trace_edges(ARRAY[%(root)s::bigint], 'upstream', %(depth)s) WHERE %(upstream)s
    UNION ALL
    SELECT *, false
    FROM lineage.trace_edges(ARRAY[%(root)s::bigint], 'downstream', %(depth)s) WHERE %(downstream)s
)
SELECT 'edge', p.source, p.target, p.job, p.distance, p.upstream, p.runs,
       lineage.iso(p.first_seen), lineage.iso(p.last_seen), NULL::jsonb
FROM passed p
UNION ALL
SELECT 'dataset', d.id, NULL, NULL, NULL, NULL, NULL, d.namespace, d.name,
       CASE WHEN %(tags)s THEN (
           SELECT lineage.dataset_tags(lineage.merged_facets(n.facets))
           FROM lineage.dataset n WHERE n.canonical = d.id) END
FROM lineage.dataset d
WHERE d.id = ANY (ARRAY(SELECT source FROM passed UNION SELECT target FROM passed))
UNION ALL
SELECT 'job', j.id, NULL, NULL, NULL, NULL, NULL, j.namespace, j.name,
       jsonb_build_array(latest.run, j.facets #>> '{jobType,1,jobType}',
                         lineage.iso(lineage.last_good(j.id)))
FROM lineage.job j
CROSS JOIN LATERAL {latest}
WHERE j.id = ANY (ARRAY(SELECT DISTINCT job FROM passed))
"""
_TRACE = _TRACED.replace("{latest}", LATEST_RUN)


class Traces(Names):
    """Traces from dataset to dataset."""

    def upstream(self, name: str, depth: int | None = None, filters: Filters = ALL) -> Trace:
        """Return what the dataset was made from, ``depth`` steps back or all the way."""
        return self.trace(name, "upstream", depth, filters)

    def downstream(self, name: str, depth: int | None = None, filters: Filters = ALL) -> Trace:
        """Return what was made from the dataset, ``depth`` steps on or all the way."""
        return self.trace(name, "downstream", depth, filters)

    def trace(
        self,
        name: str,
        direction: Direction = "both",
        depth: int | None = None,
        filters: Filters = ALL,
    ) -> Trace:
        """Return the trace of a dataset; ``both`` is upstream and downstream together.

        Raises UsageError where ``filters.since`` is no time, NotFound where it has no such job.
        """
        root = self.resolve(name)
        wanted = _Wanted(
            filters,
            frozenset(self.resolve_job(job).id for job in filters.jobs),
            frozenset(type.lower() for type in filters.types),
            moment_of(filters.since) if filters.since else "",
        )
        rows = self._rows(
            _TRACE,
            {
                "root": root.id,
                "depth": depth,
                "upstream": direction != "downstream",
                "downstream": direction != "upstream",
                "tags": bool(filters.tags),
            },
        )
        found = shown(_walk(root, depth, rows, wanted), filters)
        return Trace(
            root, direction, depth,
            tuple(Node(*node) for node in found.nodes), found.edges,
            tuple(Way(*way) for way in found.ways),
            found.hidden, found.left_out, found.next_left_out,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Filters, with what they name found."""

    filters: Filters
    jobs: frozenset[int]
    types: frozenset[str]
    since: str

    def dataset(self, dataset: Dataset, tags: list[str] | None) -> bool:
        filters = self.filters
        return (not filters.namespaces or dataset.namespace in filters.namespaces) and (
            not filters.tags or not set(filters.tags).isdisjoint(tags or ())
        )

    def edge(self, edge: Edge, type: str | None) -> bool:
        return (
            (not self.jobs or edge.job.id in self.jobs)
            and (not self.types or (type or "").lower() in self.types)
            and edge.last_seen >= self.since
        )


def _walk(
    root: Dataset, depth: int | None, rows: list[tuple[Any, ...]], wanted: _Wanted
) -> Walk[Dataset, Edge]:
    """Return the whole trace that ``rows`` of _TRACE give."""
    datasets, jobs, fitting = {root.id: root}, {}, set()
    for kind, id, *said in rows:
        namespace, name, more = said[5:8]
        if kind == "dataset":
            dataset = datasets[id] = Dataset(id, namespace, name)
            if wanted.dataset(dataset, more):
                fitting.add(id)
        elif kind == "job":
            last_run, type, good = more
            jobs[id] = Job(id, namespace, name), Run(*last_run), type, good or ""
    steps = []
    for kind, source, target, job, distance, upstream, runs, first, last, _ in rows:
        if kind == "edge":
            by, last_run, type, good = jobs[job]
            ends = datasets[source], datasets[target]
            edge = Edge(*ends, by, runs, first, last, last_run, stale=last < good)
            near, far = (target, source) if upstream else (source, target)
            steps.append(Step(near, far, distance, upstream, edge, wanted.edge(edge, type)))
    return Walk(root, depth, steps, datasets, frozenset(fitting))
