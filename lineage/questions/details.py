"""All that is known of one dataset, job or run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from lineage.questions.answers import Dataset, Job, Run
from lineage.questions.portable import Tabular
from lineage.questions.quality import Check, Metrics, QualityChecks
from lineage.questions.runs import RUN, Access, row_of_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

T = TypeVar("T", Dataset, Job)

_SHOW_DATASET = """
SELECT array_agg(lineage.full_name(n.namespace, n.name) ORDER BY n.namespace, n.name)
           FILTER (WHERE n.id <> %(id)s),
       lineage.iso(min(n.first_seen)), lineage.iso(max(n.last_seen)),
       lineage.dataset_tags(lineage.merged_facets(n.facets)),
       lineage.plain_facets(lineage.merged_facets(n.facets)),
       (SELECT jsonb_agg(jsonb_build_array(j.id, j.namespace, j.name) ORDER BY j.namespace, j.name)
        FROM lineage.job j JOIN lineage.jobs_of(%(id)s, true) AS w (id) USING (id)
        WHERE lineage.is_writer(j.id, %(id)s)),
       (SELECT jsonb_agg(jsonb_build_array(j.id, j.namespace, j.name) ORDER BY j.namespace, j.name)
        FROM lineage.job j JOIN lineage.jobs_of(%(id)s, false) AS w (id) USING (id))
FROM lineage.dataset n WHERE n.canonical = %(id)s
"""

# What designs state of a dataset and no run showed: who is to write it or read it, and what it is
# to be made from and to feed. Where a facet of a dataset states it there is no job.
_DECLARED_OF_DATASET = """
SELECT d.target = %(id)s, d.source = %(id)s, s.id, s.namespace, s.name, t.id, t.namespace, t.name,
       j.id, j.namespace, j.name
FROM (SELECT * FROM lineage.declared WHERE target = %(id)s AND NOT observed
      UNION SELECT * FROM lineage.declared WHERE source = %(id)s AND NOT observed) AS d
JOIN lineage.dataset s ON s.id = d.source
JOIN lineage.dataset t ON t.id = d.target
LEFT JOIN lineage.job j ON j.id = d.job
"""

_SHOW_JOB = """
SELECT j.facets #>> '{jobType,1,jobType}', lineage.iso(j.first_seen), lineage.iso(j.last_seen),
       lineage.plain_facets(j.facets),
       (SELECT jsonb_agg(DISTINCT jsonb_build_array(d.id, d.namespace, d.name))
        FROM lineage.feeds f JOIN lineage.dataset d ON d.id = f.source WHERE f.job = j.id),
       (SELECT jsonb_agg(DISTINCT jsonb_build_array(d.id, d.namespace, d.name))
        FROM lineage.feeds f JOIN lineage.dataset d ON d.id = f.target WHERE f.job = j.id),
       (SELECT jsonb_agg(DISTINCT jsonb_build_array(d.id, d.namespace, d.name))
        FROM lineage.declared_by(ARRAY[j.id], 'upstream') AS b
        JOIN lineage.dataset d ON d.id = b.dataset),
       (SELECT jsonb_agg(DISTINCT jsonb_build_array(d.id, d.namespace, d.name))
        FROM lineage.declared_by(ARRAY[j.id], 'downstream') AS b
        JOIN lineage.dataset d ON d.id = b.dataset)
FROM lineage.job j WHERE j.id = %(id)s
"""

_RUN_SHOWN = """
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
                                           j.name, lineage.plain_facets(a.facets),
                                           a.output AND lineage.has_committed(r, a.job))
                         ORDER BY a.output, c.namespace, c.name)
        FROM lineage.access a JOIN lineage.dataset d ON d.id = a.dataset
        JOIN lineage.dataset c ON c.id = d.canonical JOIN lineage.job j ON j.id = a.job
        WHERE a.run = r.id), r.id
FROM lineage.run r WHERE r.run_id = %(run_id)s
"""
_SHOW_RUN = _RUN_SHOWN.replace("{run}", RUN)


@dataclass(frozen=True, slots=True, repr=False)
class DatasetDetails(Tabular):
    """All that is known of a dataset. ``facets`` are whole, as the newest event stated each.

    ``declared_…`` is what designs state and no run showed: ``declared_inputs`` feed it,
    ``declared_outputs`` are fed by it.
    """

    dataset: Dataset
    aliases: tuple[str, ...]
    first_seen: str | None
    last_seen: str | None
    tags: tuple[str, ...]
    facets: Mapping[str, Any]
    written_by: tuple[Job, ...]
    read_by: tuple[Job, ...]
    checks: tuple[Check, ...] = ()
    metrics: Metrics | None = None
    declared_written_by: tuple[Job, ...] = ()
    declared_read_by: tuple[Job, ...] = ()
    declared_inputs: tuple[Dataset, ...] = ()
    declared_outputs: tuple[Dataset, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class JobDetails(Tabular):
    """All that is known of a job; ``declared_…`` is what its design states and no run showed."""

    job: Job
    type: str | None
    first_seen: str | None
    last_seen: str | None
    facets: Mapping[str, Any]
    inputs: tuple[Dataset, ...]
    outputs: tuple[Dataset, ...]
    declared_inputs: tuple[Dataset, ...] = ()
    declared_outputs: tuple[Dataset, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class RunDetails(Tabular):
    """All that is known of a run; ``parents`` and ``children`` by run id."""

    run: Run
    jobs: tuple[Job, ...]
    parents: tuple[str, ...]
    children: tuple[str, ...]
    facets: Mapping[str, Any]
    accesses: tuple[Access, ...]
    checks: tuple[Check, ...] = ()


class Details(QualityChecks):
    """Details of one thing."""

    def show(self, name: str) -> DatasetDetails:
        """Return all that is known of a dataset."""
        dataset = self.resolve(name)
        [row] = self._rows(_SHOW_DATASET, {"id": dataset.id})
        aliases, first_seen, last_seen, tags, facets, written_by, read_by = row
        writers, readers = (
            tuple(Job(*job) for job in jobs or ()) for jobs in (written_by, read_by)
        )
        declared = [
            (is_target, is_source, Dataset(*ends[:3]), Dataset(*ends[3:6]), Job(*ends[6:9]))
            for is_target, is_source, *ends in self._rows(_DECLARED_OF_DATASET, {"id": dataset.id})
        ]
        return DatasetDetails(
            dataset, tuple(aliases or ()), first_seen, last_seen, tuple(tags or ()), facets,
            writers, readers, self.checks_of_dataset(dataset.id), self.metrics_of(dataset.id),
            _sorted(job for into, _, *_, job in declared if into and job.id and job not in writers),
            _sorted(job for _, of, *_, job in declared if of and job.id and job not in readers),
            _sorted(source for into, _, source, *_ in declared if into),
            _sorted(target for _, of, _, target, _ in declared if of),
        )  # fmt: skip

    def show_job(self, name: str) -> JobDetails:
        """Return all that is known of a job."""
        job = self.resolve_job(name)
        [row] = self._rows(_SHOW_JOB, {"id": job.id})
        kind, first_seen, last_seen, facets, *ends = row
        inputs, outputs, read, written = map(_datasets, ends)
        return JobDetails(
            job, kind, first_seen, last_seen, facets, inputs, outputs,
            tuple(each for each in read if each not in inputs),
            tuple(each for each in written if each not in outputs),
        )  # fmt: skip

    def show_run(self, run_id: str) -> RunDetails:
        """Return all that is known of a run, by its id or the beginning of it."""
        run_id = self.find_run(run_id)
        row = row_of_run(self._rows(_SHOW_RUN, {"run_id": run_id}), run_id)
        run, jobs, parents, children, facets, accesses, id = row
        own = Run(*run)
        return RunDetails(
            own, tuple(Job(*job) for job in jobs or ()), tuple(parents or ()),
            tuple(children or ()), facets,
            tuple(
                Access(own, Job(*entry[4:7]), Dataset(*entry[1:4]), entry[0], *entry[7:])
                for entry in accesses or ()
            ),
            self.checks_of_run(id),
        )  # fmt: skip


def _datasets(rows: list[list[Any]] | None) -> tuple[Dataset, ...]:
    return _sorted(Dataset(*row) for row in rows or ())


def _sorted(things: Iterable[T]) -> tuple[T, ...]:
    """Return each once, by name."""
    return tuple(sorted(set(things), key=lambda each: (each.namespace, each.name)))
