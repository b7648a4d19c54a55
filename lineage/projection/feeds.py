"""The FEEDS summary: edges between datasets, by job.

A run contributes to each pair of an input and an output that it reports in one execution. If
lineage facets report the inputs of an output, it contributes only to the pairs of these inputs.
Without such a facet, a change of an output that writes no rows, such as DROP, is no contribution.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby, product
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.binary_arrays import (
    bigint_array,
    define_columns,
    execute_rows,
    timestamptz_array,
)
from lineage.database.statements import StatementFile
from lineage.projection import declared
from lineage.projection.contributions import (
    add_contribution,
    merge_contributions,
    read_contributions,
)
from lineage.projection.rows import EdgePair
from lineage.projection.summary import (
    NOTHING_COUNTED,
    Summary,
    difference_of,
    job_of,
    list_jobs,
    select_jobs,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence, Set

    import psycopg

    from lineage.events.merge import Batch
    from lineage.projection.contributions import Contribution, Pair
    from lineage.projection.rows import (
        AccessKey,
        Ids,
        Periods,
        Reassignment,
        RunChanges,
        WrittenAccesses,
    )
    from lineage.projection.summary import Before

    Connection = psycopg.Connection[Any]


class FeedsPairRow(NamedTuple):
    """A pair of datasets, and the contribution of runs to it."""

    source: int
    target: int
    job: int
    runs: int
    first: str
    last: str


class FeedsEdgeRow(NamedTuple):
    """A pair of datasets, and its edge."""

    source: int
    target: int
    job: int
    edge: int


class ExistingAccessRow(NamedTuple):
    """An existing access of a run. ``explicit``: a lineage facet, or a change without rows."""

    run: int
    job: int
    dataset: int
    canonical: int
    output: bool
    explicit: bool


_SQL = StatementFile(__file__)
_SELECT_ACCESSES = _SQL.tuples("select_accesses", ExistingAccessRow)
_DEFER = _SQL.statement("defer_pairs")
_DEQUEUE_DEFERRED = _SQL.tuples("dequeue_deferred", FeedsPairRow)
_SELECT_ARCHIVED = _SQL.tuples("select_archived_pairs", FeedsPairRow)
_DELTA = define_columns(
    sources=bigint_array,
    targets=bigint_array,
    jobs=bigint_array,
    runs=bigint_array,
    first=timestamptz_array,
    last=timestamptz_array,
)
FEEDS = Summary(
    _SQL.tuples("select_pairs", FeedsPairRow),
    _SQL.tuples("add_pairs", FeedsEdgeRow),
    _DELTA,
    _SQL.statement("recompute_bounds"),
    _SQL.statement("delete_unreferenced", EdgePair),
    _SQL.statement("write_edges"),
    declared.restore_declared,
)


@dataclass(frozen=True, slots=True)
class FeedsBefore:
    """Contributions to FEEDS before a batch, and the runs that need not be read back after it.

    ``complete``: runs without counted contributions, whose accesses are all in the batch.
    ``unchanged``: accesses by run, of runs of which the batch reports nothing new except times.
    ``explicit``: runs of the batch with lineage facets, or with changes that write no rows. All
    other runs are read back, and so are archived runs that use names in ``moved``.
    """

    counted: Before
    complete: Set[int]
    unchanged: Mapping[int, Sequence[tuple[int, int, int, bool]]]
    explicit: Set[int]
    moved: Reassignment


def read_before(
    conn: Connection, batch: Batch, ids: Ids, changes: RunChanges, moved: Reassignment
) -> FeedsBefore:
    """Read the counted contributions of runs before the batch changes the facts."""
    explicit = {ids.runs.ids[run_id] for run_id in batch.explicit}
    existing = _read_accesses(conn, changes.existing & changes.contributing - changes.reassigned)
    reported = _reported_accesses(batch, ids)
    updated = changes.updated_runs & existing.keys()
    unchanged = {
        run: [(run, job, canonical, output) for _, job, _, canonical, output, _ in existing[run]]
        for run in updated - explicit
        if _reports_nothing_new(reported.get(run, set()), existing[run])
    }
    updated -= unchanged.keys()
    # A newer facet may report fewer inputs than were counted, or no rows; handle as removed.
    shrinking = updated & explicit
    counted = FEEDS.read_before(conn, updated - shrinking, changes.removed_runs | shrinking)
    counted = counted.with_removed(_read_archived(conn, moved))
    complete = changes.contributing - existing.keys() - changes.reassigned - explicit
    return FeedsBefore(counted, complete, unchanged, explicit, moved)


def read_after(
    conn: Connection,
    before: FeedsBefore,
    accesses: WrittenAccesses,
    periods: Periods,
    changes: RunChanges,
) -> Mapping[Pair, Contribution]:
    """Compute the contributions of runs after the facts have changed."""
    complete = before.complete
    reported = merge_contributions(
        _contributions_of((key for key in accesses.keys if _run_of(key) in complete), periods),
        _contributions_of(
            sorted(key for keys in before.unchanged.values() for key in keys), periods, runs=0
        ),
    )
    others = changes.contributing_after | changes.contributing & before.explicit
    others = others - before.unchanged.keys() - complete
    archived = _read_archived(conn, before.moved)
    return merge_contributions(
        merge_contributions(FEEDS.read_after(conn, others), archived), reported
    )


def apply_difference(
    conn: Connection,
    before: FeedsBefore,
    after: Mapping[Pair, Contribution],
    *,
    deferred: bool,
) -> None:
    """Add the difference to the summary and write its edges; if ``deferred``, store it for later.

    Jobs whose contributions may have shrunk are not deferred. Deferred contributions of the jobs
    that the summary is changed for are added first, so that no sum is below its true value.
    """
    counted = before.counted
    pairs = {*counted.updated, *counted.removed, *after}
    jobs = list_jobs(counted.removed if deferred else pairs)
    if deferred:
        later = sorted(pair for pair in pairs if job_of(pair) not in jobs)
        rows = [difference_of(pair, counted, after.get(pair)) for pair in later]
        execute_rows(conn, _DEFER, _DELTA, rows)
        counted, after = counted.of_jobs(jobs), select_jobs(after, jobs)
    FEEDS.apply_changes(conn, counted, after, _dequeue_deferred(conn, jobs))


def add_deferred(conn: Connection, jobs: Collection[int]) -> None:
    """Add the deferred contributions of jobs to the summary and write its edges."""
    FEEDS.apply_changes(conn, NOTHING_COUNTED, {}, _dequeue_deferred(conn, jobs))


def _dequeue_deferred(conn: Connection, jobs: Collection[int]) -> Mapping[Pair, Contribution]:
    """Delete the deferred contributions of jobs, and return them."""
    if not jobs:
        return {}
    return read_contributions(conn, _DEQUEUE_DEFERRED, {"jobs": bigint_array(sorted(jobs))})


def _read_archived(conn: Connection, moved: Reassignment) -> Mapping[Pair, Contribution]:
    """Read the contributions of archived runs that use reassigned names."""
    if not moved.new:
        return {}
    return read_contributions(conn, _SELECT_ARCHIVED, {"names": bigint_array(sorted(moved.new))})


_run_of = itemgetter(0)


def _read_accesses(
    conn: Connection, runs: Collection[int]
) -> dict[int, list[tuple[int, int, int, int, bool, bool]]]:
    """Read the accesses of runs as tuples of ``ExistingAccessRow``, by run."""
    accesses: dict[int, list[tuple[int, int, int, int, bool, bool]]] = {}
    if runs:
        for access in _SELECT_ACCESSES.execute(conn, runs=bigint_array(sorted(runs))):
            run, *_ = access
            accesses.setdefault(run, []).append(access)
    return accesses


def _reported_accesses(batch: Batch, ids: Ids) -> dict[int, set[tuple[int, int, bool]]]:
    """Return (job, dataset, is_output) of each access in the batch, by existing run."""
    jobs, datasets = ids.entities.jobs, ids.entities.datasets
    reported: dict[int, set[tuple[int, int, bool]]] = {}
    for (run_id, job), work in batch.executions.items():
        if (run := ids.runs.ids[run_id]) in ids.runs.existing:
            reported.setdefault(run, set()).update(
                (jobs[job], datasets[dataset], output) for dataset, output in work.accesses
            )
    return reported


def _reports_nothing_new(
    reported: set[tuple[int, int, bool]], existing: list[tuple[int, int, int, int, bool, bool]]
) -> bool:
    """Return whether all accesses exist already and none of them is explicit."""
    return not any(explicit for _, _, _, _, _, explicit in existing) and reported.issubset(
        (job, dataset, output) for _, job, dataset, _, output, _ in existing
    )


def _contributions_of(
    accesses: Iterable[AccessKey], periods: Periods, runs: int = 1
) -> Mapping[Pair, Contribution]:
    """Compute the contributions of runs whose accesses are all in ``accesses``.

    ``accesses`` are sorted; executions without a period contribute nothing. Each run counts as
    ``runs``.
    """
    groups: dict[tuple[int, frozenset[int], frozenset[int]], Contribution] = {}
    for execution, group in groupby(accesses, key=itemgetter(0, 1)):
        if execution not in periods:
            continue
        sides: tuple[set[int], set[int]] = set(), set()
        for _, _, dataset, output in group:
            sides[output].add(dataset)
        key = (execution[1], frozenset(sides[False]), frozenset(sides[True]))
        add_contribution(groups, key, runs, *periods[execution])
    pairs: dict[Pair, Contribution] = {}
    for (job, inputs, outputs), each in groups.items():
        for source, target in product(inputs, outputs):
            add_contribution(pairs, (source, target, job), each.runs, each.first, each.last)
    return pairs
