"""A graph of jobs as the records of a plan, with or without an order."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

from lineage.garbage import pause_collection
from lineage.orchestration.accesses import job_of_kind
from lineage.orchestration.cycles import find_shortest_cycle
from lineage.orchestration.evidence import Step
from lineage.orchestration.order import (
    MAX_REDUCED_JOBS,
    Order,
    Timing,
    reduce_edges,
    schedule_jobs,
    sort_jobs,
    time_jobs,
)
from lineage.orchestration.records import (
    CycleStep,
    JobCycle,
    PlannedJob,
    Precedence,
    Reason,
    SharedOutput,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from lineage.orchestration.accesses import Access, DurationRow, JobAccesses
    from lineage.orchestration.job_graph import JobEdge, JobGraph
    from lineage.query.records import Dataset, Job


@dataclass
class Arrangement:
    """The content of a plan: the selected jobs, and the facts about them.

    ``successes``: when the last successful run of each job began.
    """

    graph: JobGraph
    accesses: JobAccesses
    durations: Mapping[int, DurationRow]
    datasets: Mapping[int, Dataset]
    successes: Mapping[int, str | None]

    @cached_property
    def named_jobs(self) -> dict[int, Job]:
        """The jobs of the graph by id, in the order of their names."""
        jobs = [job_of_kind(self.accesses.kinds[id]) for id in self.graph.jobs]
        return {job.id: job for job in sorted(jobs, key=lambda job: job.full_name)}

    @cached_property
    def name_rank(self) -> dict[int, int]:
        """The place of each job in the order of names."""
        return {id: place for place, id in enumerate(self.named_jobs)}

    @cached_property
    def next_jobs(self) -> dict[int, list[int]]:
        """The jobs directly after each job."""
        return self.graph.next_jobs()

    def find_cycles(
        self,
        components: Sequence[Sequence[int]],
        read_evidence: Callable[[Sequence[Step]], Mapping[Step, tuple[int, int]]],
    ) -> tuple[JobCycle, ...]:
        """Describe each component by a shortest way round it, the largest first."""
        if not components:
            return ()
        successors = self.next_jobs
        rank = self.name_rank.__getitem__
        shortest = [find_shortest_cycle(part, successors, rank) for part in components]
        steps = [self._cycle_steps(cycle) for cycle in shortest]
        evidence = read_evidence([step for each in steps for step in each])
        cycles = [
            JobCycle(
                tuple(self.named_jobs[id] for id in sorted(part, key=rank)),
                tuple(self._describe_step(step, evidence[step]) for step in each),
                self._feedback_of(each, evidence),
            )
            for part, each in zip(components, steps, strict=True)
        ]
        return tuple(sorted(cycles, key=lambda each: (-len(each.jobs), each.jobs[0].full_name)))

    def _cycle_steps(self, way: Sequence[int]) -> list[Step]:
        return [
            Step(before, self._edges_by_name((before, after))[0].dataset, after)
            for before, after in zip(way, [*way[1:], way[0]], strict=True)
        ]

    def _describe_step(self, step: Step, days: tuple[int, int]) -> CycleStep:
        edges = self._edges_by_name((step.before, step.after))
        return CycleStep(
            self.named_jobs[step.before],
            self.named_jobs[step.after],
            tuple(self.datasets[edge.dataset] for edge in edges),
            *days,
        )

    def _feedback_of(
        self, steps: Sequence[Step], evidence: Mapping[Step, tuple[int, int]]
    ) -> Dataset | None:
        """Return the dataset that was most often read before it was written on that day."""
        alone = [step for step in steps if len(self.graph.edges[step.before, step.after]) == 1]
        late = {step: days - after for step in alone for days, after in (evidence[step],)}
        best = max(late, key=lambda step: (late[step], -steps.index(step)), default=None)
        return self.datasets[best.dataset] if best and late[best] else None

    @pause_collection()
    def describe_order(
        self, stale: Mapping[int, str], workers: int | None, *, is_ordered: bool
    ) -> dict[str, Any]:
        """Return the fields of a plan that depend on the order; without one, those that do not."""
        successors = self.next_jobs
        seconds = {id: row.median for id, row in self.durations.items() if row.median is not None}
        order, timing, reduced = Order(list(self.named_jobs), {}), None, None
        linked = set(chain.from_iterable(self.graph.edges))
        starts: Mapping[int, float] = {}
        end = None
        if is_ordered:
            order = sort_jobs(successors, key=self.name_rank.__getitem__)
            timing = time_jobs(order.jobs, successors, seconds)
            if len(order.jobs) <= MAX_REDUCED_JOBS:
                reduced = reduce_edges(order.jobs, successors)
            if workers is not None:
                starts, end = schedule_jobs(
                    order.jobs, successors, seconds, timing.remaining, workers
                )
        return {
            "jobs": tuple(
                self._describe_job(id, order, timing, starts.get(id), stale.get(id))
                for id in order.jobs
            ),
            "edges": self._describe_edges(reduced),
            "critical_path": tuple(self.named_jobs[id] for id in timing.path) if timing else (),
            "critical_seconds": timing.seconds if timing else 0.0,
            "work": sum(seconds.get(id, 0.0) for id in self.named_jobs),
            "seconds": end,
            "width": max(Counter(order.level.values()).values(), default=0),
            "isolated": tuple(job for id, job in self.named_jobs.items() if id not in linked),
            "shared_outputs": self._shared_outputs(),
        }

    def _describe_job(
        self,
        id: int,
        order: Order,
        timing: Timing | None,
        starts: float | None,
        stale: str | None,
    ) -> PlannedJob:
        row = self.durations.get(id)
        reads, writes = self.accesses.reads.get(id, {}), self.accesses.writes.get(id, {})
        kind = self.accesses.kinds[id]
        return PlannedJob(
            self.named_jobs[id],
            kind.type,
            order.level.get(id),
            row.median if row else None,
            row.p90 if row else None,
            row.runs if row else 0,
            self.successes.get(id),
            timing.slack[id] if timing else None,
            starts,
            self._name_datasets(writes),
            self._name_datasets(self.graph.own.get(id, ())),
            self._name_datasets(reads if kind.is_check else ()),
            self.accesses.tests.get(id, ()),
            bool(reads or writes) and _are_declared(reads) and _are_declared(writes),
            stale,
        )

    def _name_datasets(self, ids: Collection[int]) -> tuple[Dataset, ...]:
        if not ids:
            return ()
        if len(ids) == 1:
            [id] = ids
            return (self.datasets[id],)
        return tuple(sorted((self.datasets[id] for id in ids), key=lambda each: each.full_name))

    def _describe_edges(
        self, reduced: Mapping[int, Sequence[int]] | None
    ) -> tuple[Precedence, ...]:
        """Return the edges by the names of both jobs."""
        named, rank = self.named_jobs, self.name_rank.__getitem__
        edges: list[Precedence] = []
        for before, targets in self._targets_by_name(rank):
            written = self.accesses.writes.get(before, {})
            needed = None if reduced is None else reduced[before]
            edges += [
                Precedence(
                    named[before],
                    named[after],
                    self._describe_reasons(written, before, after),
                    None if needed is None else after not in needed,
                )
                for after in targets
            ]
        return tuple(edges)

    def _targets_by_name(self, rank: Callable[[int], int]) -> Iterator[tuple[int, Sequence[int]]]:
        successors = self.next_jobs
        for before in self.named_jobs:
            targets = successors[before]
            yield before, sorted(targets, key=rank) if len(targets) > 1 else targets

    def _describe_reasons(
        self, writes: Mapping[int, Access], before: int, after: int
    ) -> tuple[Reason, ...]:
        reads = self.accesses.reads[after]
        edges = self.graph.edges[before, after]
        if len(edges) == 1:
            dataset, view = edges[0]
            if view is None:  # most edges: a call for each of them would take longer than the rest
                written, read = writes[dataset], reads[dataset]
                first, second = written.first_seen, read.first_seen
                return (
                    Reason(
                        self.datasets[dataset],
                        first if first > second else second,
                        written.last_seen,
                        read.last_seen,
                        written.declared or read.declared,
                        None,
                    ),
                )
            return (self._describe_reason(edges[0], writes, reads),)
        by_name = self._edges_by_name((before, after))
        return tuple(self._describe_reason(edge, writes, reads) for edge in by_name)

    def _describe_reason(
        self, edge: JobEdge, writes: Mapping[int, Access], reads: Mapping[int, Access]
    ) -> Reason:
        dataset, view = edge
        written, read = writes[dataset], reads[dataset if view is None else view]
        return Reason(
            self.datasets[dataset],
            max(written.first_seen, read.first_seen),
            written.last_seen,
            read.last_seen,
            written.declared or read.declared,
            None if view is None else self.datasets[view],
        )

    def _edges_by_name(self, pair: tuple[int, int]) -> Sequence[JobEdge]:
        edges = self.graph.edges[pair]
        if len(edges) == 1:
            return edges
        return sorted(edges, key=lambda edge: self.datasets[edge.dataset].full_name)

    def _shared_outputs(self) -> tuple[SharedOutput, ...]:
        """Return the writers of each dataset with several, by dataset and the last write."""
        shared = []
        for dataset, writers in self.graph.writers.items():
            jobs = [job for job in writers if job in self.named_jobs]
            for job in jobs if len(jobs) > 1 else ():
                access = self.accesses.writes[job][dataset]
                shared.append(
                    SharedOutput(
                        self.datasets[dataset], self.named_jobs[job], access.last_seen, access.modes
                    )
                )
        return tuple(sorted(shared, key=lambda each: (
            each.dataset.full_name, each.last_written, each.job.full_name)))  # fmt: skip


def _are_declared(accesses: Mapping[int, Access]) -> bool:
    for access in accesses.values():  # noqa: SIM110 - a generator for each job takes longer
        if not access.declared:
            return False
    return True
