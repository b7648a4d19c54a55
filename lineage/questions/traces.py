"""What a dataset was made from, and what was made from it, over the summary of all runs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from lineage.questions.answers import Dataset, Direction, Edge, Job, Node, Run, Trace, Way
from lineage.questions.asked_times import time_of
from lineage.questions.names import Names
from lineage.questions.runs import RUN
from lineage.questions.shown import ALL, Filters, Step, Walk, shown

# One statement, so that all is of one moment: a row for each edge, dataset and job, each told once.
# Times are microseconds since 1970, of which an answer has few: a text is made of each once.
_TRACED = """
WITH passed AS MATERIALIZED (
    SELECT *, true AS upstream
    FROM lineage.trace_edges(ARRAY[%(root)s::bigint], 'upstream', %(depth)s,
        %(observed)s) WHERE %(upstream)s
    UNION ALL
    SELECT *, false
    FROM lineage.trace_edges(ARRAY[%(root)s::bigint], 'downstream', %(depth)s,
        %(observed)s) WHERE %(downstream)s
)
SELECT p.source, p.target, p.job, p.distance, p.upstream, p.runs,
       (extract(epoch FROM p.first_seen) * 1000000)::bigint,
       (extract(epoch FROM p.last_seen) * 1000000)::bigint, p.declared, NULL, NULL, NULL::jsonb
FROM passed p
UNION ALL
SELECT d.id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, d.namespace, d.name,
       CASE WHEN %(tags)s THEN (
           SELECT lineage.dataset_tags(lineage.merged_facets(n.facets))
           FROM lineage.dataset n WHERE n.canonical = d.id) END
FROM lineage.dataset d
WHERE d.id = ANY (ARRAY(SELECT source FROM passed UNION SELECT target FROM passed))
UNION ALL
SELECT NULL, NULL, j.id, NULL, NULL, NULL, NULL, NULL, NULL, j.namespace, j.name,
       jsonb_build_array(CASE WHEN r.id IS NOT NULL THEN {run} END,
                         j.facets #>> '{jobType,1,jobType}', lineage.iso(n.last_good))
FROM lineage.newest_runs(ARRAY(SELECT DISTINCT job FROM passed)) AS n
JOIN lineage.job j ON j.id = n.job
LEFT JOIN lineage.run r ON r.id = n.run
"""
_TRACE = _TRACED.replace("{run}", RUN)
_EPOCH = datetime(1970, 1, 1)  # times are UTC


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
            time_of(filters.since) if filters.since else "",
        )
        rows = self._rows(
            _TRACE,
            {
                "root": root.id,
                "depth": depth,
                "upstream": direction != "downstream",
                "downstream": direction != "upstream",
                "tags": bool(filters.tags),
                "observed": filters.observed,
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

    def job(self, id: int, type: str | None) -> bool:
        return (not self.jobs or id in self.jobs) and (
            not self.types or (type or "").lower() in self.types
        )


def _walk(
    root: Dataset, depth: int | None, rows: list[tuple[Any, ...]], wanted: _Wanted
) -> Walk[Dataset, Edge]:
    """Return the whole trace that ``rows`` of _TRACE give."""
    datasets = {root.id: root}
    jobs: dict[int | None, tuple[Job | None, Run | None, str, bool]] = {}
    # What no job declares fits no filter of jobs.
    jobs[None] = None, None, "", not wanted.jobs and not wanted.types
    fitting = set()
    for source, target, job, *_, namespace, name, more in rows:
        if source is None:
            last_run, type, good = more
            known = Run(*last_run) if last_run else None
            jobs[job] = Job(job, namespace, name), known, good or "", wanted.job(job, type)
        elif target is None:
            dataset = datasets[source] = Dataset(source, namespace, name)
            if wanted.dataset(dataset, more):
                fitting.add(source)
    steps, texts = [], _Texts()
    for source, target, job, distance, upstream, runs, first, last, declared, *_ in rows:
        if target is not None:
            by, last_run, good, fits = jobs[job]
            seen = texts[last]
            edge = Edge(
                datasets[source],
                datasets[target],
                by,
                runs,
                texts[first],
                seen,
                last_run,
                runs > 0 and seen < good,
                declared,
            )
            near, far = (target, source) if upstream else (source, target)
            steps.append(Step(near, far, distance, upstream, edge, fits and seen >= wanted.since))
    tied: dict[int, Dataset | Job] = {**datasets}
    tied.update((known[0].id, known[0]) for known in jobs.values() if known[0])
    return Walk(root, depth, steps, datasets, tied, frozenset(fitting))


class _Texts(dict[int, str]):
    """Times as answers have them, by their microseconds."""

    def __missing__(self, microseconds: int) -> str:
        time = _EPOCH + timedelta(microseconds=microseconds)
        text = self[microseconds] = f"{time.isoformat(timespec='microseconds')}Z"
        return text
