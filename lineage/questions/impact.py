"""What breaks if a dataset or a column changes: what was made from it, by whom, for whom."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lineage.questions.answers import Column, ColumnEdge, Dataset, Edge, Job, Run
from lineage.questions.columns import Columns
from lineage.questions.portable import Portable
from lineage.questions.runs import LATEST_RUN
from lineage.questions.traces import Traces

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from lineage.questions.answers import ColumnTrace, Trace

DAYS = 30

_WINDOW = """
SELECT lineage.iso(lineage.newest_event() - make_interval(days => %s)),
       lineage.iso(lineage.newest_event())
"""

_DATASETS = """
SELECT u.id, lineage.owners_of(m.facets), lineage.tags_of(m.facets),
       lineage.iso(u.last_written), lineage.iso(u.last_read), u.writes, u.reads
FROM lineage.usage(%(ids)s::bigint[], coalesce(%(since)s::timestamptz, '-infinity')) AS u
CROSS JOIN LATERAL (SELECT lineage.merged_facets(n.facets) AS facets
                    FROM lineage.dataset n WHERE n.canonical = u.id) AS m
"""

_READERS = """
SELECT i.id, j.id, j.namespace, j.name
FROM unnest(%(ids)s::bigint[]) AS i (id)
CROSS JOIN LATERAL lineage.jobs_of(i.id, false) AS r (job)
JOIN lineage.job j ON j.id = r.job
"""

_JOBS_DETAILED = """
SELECT j.id, j.facets #>> '{jobType,1,jobType}', lineage.owners_of(j.facets),
       lineage.tags_of(j.facets), latest.run,
       (SELECT count(*) FROM lineage.execution x
        WHERE x.job = j.id AND x.last_seen >= coalesce(%(since)s::timestamptz, '-infinity'))
FROM unnest(%(ids)s::bigint[]) AS i (id)
JOIN lineage.job j ON j.id = i.id
LEFT JOIN LATERAL {latest} ON true
"""
_JOBS = _JOBS_DETAILED.replace("{latest}", LATEST_RUN)

# What reads these datasets and never said from which columns it makes something of them, and what
# reads them and makes nothing.
_UNSAID = """
SELECT s.id, s.namespace, s.name, j.id, j.namespace, j.name, t.id, t.namespace, t.name
FROM (
    SELECT f.source, f.job, f.target
    FROM unnest(%(ids)s::bigint[]) AS i (id) JOIN lineage.feeds f ON f.source = i.id
    WHERE NOT EXISTS (SELECT FROM lineage.derives d WHERE d.target = f.target AND d.job = f.job)
      AND NOT EXISTS (SELECT FROM lineage.field x JOIN lineage.derives d ON d.target = x.id
                      WHERE x.dataset = f.target AND d.job = f.job)
    UNION ALL
    SELECT i.id, r.job, NULL
    FROM unnest(%(ids)s::bigint[]) AS i (id)
    CROSS JOIN LATERAL lineage.jobs_of(i.id, false) AS r (job)
    WHERE NOT EXISTS (SELECT FROM lineage.feeds f WHERE f.source = i.id AND f.job = r.job)
) AS u
JOIN lineage.dataset s ON s.id = u.source
JOIN lineage.job j ON j.id = u.job
LEFT JOIN lineage.dataset t ON t.id = u.target
ORDER BY s.namespace, s.name, t.namespace, t.name, j.namespace, j.name
"""


@dataclass(frozen=True, slots=True)
class AffectedDataset:
    """A dataset made from the root, ``distance`` steps away; of a column with the ``columns`` hit.

    ``last_written`` is by a run that did not fail, ``last_read`` by any; ``writes`` and ``reads``
    are how many runs did so in the window of the answer. A ``*`` among columns is all of them.
    """

    dataset: Dataset
    distance: int
    columns: tuple[str, ...]
    owners: tuple[str, ...]
    tags: tuple[str, ...]
    last_written: str | None
    last_read: str | None
    writes: int
    reads: int


@dataclass(frozen=True, slots=True)
class AffectedJob:
    """A job that reads ``inputs``, the root or what was made from it; its ``runs`` in the window.

    ``distance`` is the number of the step that it makes: 1 where it reads the root.
    """

    job: Job
    distance: int
    type: str | None
    owners: tuple[str, ...]
    tags: tuple[str, ...]
    inputs: tuple[Dataset, ...]
    last_run: Run | None
    runs: int


@dataclass(frozen=True, slots=True)
class Owner:
    """Whom to tell, and how much it is; with no ``name`` what nobody is said to own."""

    name: str | None
    datasets: int
    jobs: int


@dataclass(frozen=True, slots=True)
class Unsaid:
    """``job`` made ``target`` from ``source`` and never said from which columns.

    Without a ``target`` it read the source, and nothing is known to be made of that.
    """

    source: Dataset
    job: Job
    target: Dataset | None


@dataclass(frozen=True, slots=True)
class Impact(Portable):
    """What depends on ``root``: datasets and jobs, nearest and most used first, and their owners.

    Runs are counted from ``since``, that is ``days`` before the newest event, to ``until``; both
    are None where there are no events. ``itself`` is the dataset of the root. Where there was a
    limit, ``…_left_out`` say how many are not told. ``owners`` and
    ``datasets_in_use``, those that a run read in the window, are of all.
    ``edges`` lie between the datasets that are told. ``unsaid`` are steps that the answer about a
    column knows nothing of.
    """

    root: Dataset | Column
    depth: int | None
    days: int
    since: str | None
    until: str | None
    itself: AffectedDataset
    datasets: tuple[AffectedDataset, ...]
    datasets_left_out: int
    datasets_in_use: int
    jobs: tuple[AffectedJob, ...]
    jobs_left_out: int
    owners: tuple[Owner, ...]
    unsaid: tuple[Unsaid, ...]
    unsaid_left_out: int
    edges: tuple[Edge, ...] | tuple[ColumnEdge, ...]


class Impacts(Traces, Columns):
    """What depends on a dataset or a column."""

    def impact(
        self,
        name: str,
        column: str | None = None,
        depth: int | None = None,
        *,
        days: int = DAYS,
        limit: int | None = None,
    ) -> Impact:
        """Return what depends on a dataset, or on one column of it; so many datasets and jobs."""
        with self._snapshot():
            reach = self._reach(name, column, depth)
            [(since, until)] = self._rows(_WINDOW, (days,))
            datasets = self._affected(reach, since)
            jobs = self._jobs_of(reach, since)
            unsaid = self._unsaid(reach) if column is not None else ()
        itself, *others = datasets
        shown_datasets, shown_jobs = others[:limit], jobs[:limit]
        return Impact(
            root=reach.root,
            depth=depth,
            days=days,
            since=since,
            until=until,
            itself=itself,
            datasets=tuple(shown_datasets),
            datasets_left_out=len(others) - len(shown_datasets),
            datasets_in_use=sum(1 for each in others if each.reads),
            jobs=tuple(shown_jobs),
            jobs_left_out=len(jobs) - len(shown_jobs),
            owners=_owners(others, jobs),
            unsaid=unsaid[:limit],
            unsaid_left_out=len(unsaid[limit:]) if limit is not None else 0,
            edges=reach.within({each.dataset.id for each in (itself, *shown_datasets)}),
        )

    def _reach(self, name: str, column: str | None, depth: int | None) -> _Reach:
        if column is None:
            return _of_dataset(self.downstream(name, depth))
        return _of_column(self.downstream_columns(name, column, depth))

    def _affected(self, reach: _Reach, since: str | None) -> list[AffectedDataset]:
        """Return the datasets within reach, that of the root first."""
        params = {"ids": [dataset.id for dataset in reach.distances], "since": since}
        said = {row[0]: row[1:] for row in self._rows(_DATASETS, params)}
        found = []
        for dataset, distance in reach.distances.items():
            owners, tags, *used = said[dataset.id]
            columns = tuple(sorted(reach.columns.get(dataset, ())))
            found.append(
                AffectedDataset(dataset, distance, columns, tuple(owners), tuple(tags or ()), *used)
            )
        return sorted(
            found, key=lambda d: (d.distance, -d.reads, d.dataset.namespace, d.dataset.name)
        )

    def _jobs_of(self, reach: _Reach, since: str | None) -> list[AffectedJob]:
        """Return the jobs that read what is within reach."""
        read = self._read(reach)
        params = {"ids": [job.id for job in read], "since": since}
        said = {row[0]: row[1:] for row in self._rows(_JOBS, params)}
        found = []
        for job, (distance, datasets) in read.items():
            kind, owners, tags, run, runs = said[job.id]
            found.append(
                AffectedJob(
                    job,
                    distance,
                    kind,
                    tuple(owners),
                    tuple(tags or ()),
                    tuple(sorted(datasets, key=str)),
                    Run(*run) if run else None,
                    runs,
                )
            )
        return sorted(found, key=lambda j: (j.distance, -j.runs, j.job.namespace, j.job.name))

    def _read(self, reach: _Reach) -> Mapping[Job, tuple[int, set[Dataset]]]:
        """Return each job that reads within reach: of which step, and what."""
        reads: Iterable[tuple[Job, int, Dataset]]
        if isinstance(reach.root, Column):
            reads = [(e.job, e.distance, e.source.dataset) for e in reach.column_edges]
        else:
            near = {d.id: d for d, distance in reach.distances.items() if distance != reach.depth}
            rows = self._rows(_READERS, {"ids": list(near)})
            reads = [(Job(*job), reach.distances[near[id]] + 1, near[id]) for id, *job in rows]
        found: dict[Job, tuple[int, set[Dataset]]] = {}
        for job, distance, dataset in reads:
            least, datasets = found.get(job, (distance, set()))
            found[job] = min(least, distance), datasets | {dataset}
        return found

    def _unsaid(self, reach: _Reach) -> tuple[Unsaid, ...]:
        rows = self._rows(
            _UNSAID, {"ids": [d.id for d, n in reach.distances.items() if n != reach.depth]}
        )
        return tuple(
            Unsaid(Dataset(*row[0:3]), Job(*row[3:6]), Dataset(*row[6:9]) if row[6] else None)
            for row in rows
        )


@dataclass(frozen=True, slots=True)
class _Reach:
    """What a trace downstream reached: datasets with their distance, the columns hit, the edges."""

    root: Dataset | Column
    depth: int | None
    distances: Mapping[Dataset, int]
    columns: Mapping[Dataset, set[str]]
    edges: tuple[Edge, ...]
    column_edges: tuple[ColumnEdge, ...]

    def within(self, shown: Collection[int]) -> tuple[Edge, ...] | tuple[ColumnEdge, ...]:
        """Return the edges between datasets that are ``shown``."""
        if isinstance(self.root, Column):
            return tuple(
                edge
                for edge in self.column_edges
                if edge.source.dataset.id in shown and edge.target.dataset.id in shown
            )
        return tuple(e for e in self.edges if e.source.id in shown and e.target.id in shown)


def _of_dataset(trace: Trace) -> _Reach:
    distances = {node.dataset: node.distance for node in trace.nodes}
    return _Reach(trace.root, trace.depth, distances, {}, trace.edges, ())


def _of_column(trace: ColumnTrace) -> _Reach:
    """Return it dataset by dataset; the one of the root is at 0 whatever else of it is hit."""
    distances: dict[Dataset, int] = {}
    columns: dict[Dataset, set[str]] = defaultdict(set)
    for node in trace.nodes:
        dataset = node.column.dataset
        distances[dataset] = min(node.distance, distances.get(dataset, node.distance))
        columns[dataset].add(node.column.name or "*")
    return _Reach(trace.root, trace.depth, distances, columns, (), trace.edges)


def _owners(datasets: Sequence[AffectedDataset], jobs: Sequence[AffectedJob]) -> tuple[Owner, ...]:
    """Return who owns how much, those with the most first, and at the end what nobody owns."""
    counts: dict[str | None, list[int]] = defaultdict(lambda: [0, 0])
    owned = [(0, each.owners) for each in datasets] + [(1, each.owners) for each in jobs]
    for kind, owners in owned:
        for name in owners or (None,):
            counts[name][kind] += 1
    found = [Owner(name, *numbers) for name, numbers in counts.items()]
    return tuple(sorted(found, key=lambda o: (o.name is None, -o.datasets - o.jobs, o.name or "")))
