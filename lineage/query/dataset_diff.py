"""Compare the writes visible in a dataset and upstream of it at two times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from lineage.database.statements import StatementFile
from lineage.errors import UsageError
from lineage.query import logged_facets
from lineage.query.archive import RunArchive, need_time_in_graph, read_archive
from lineage.query.dataset_diff_records import (
    DatasetChange,
    Diff,
    EntityChange,
    JobChange,
    RowsChange,
    SchemaChange,
    Write,
    WriteChange,
)
from lineage.query.limits import limit_lists
from lineage.query.names import resolve_dataset
from lineage.query.records import Dataset, Job, Run
from lineage.query.schema_diff import diff_schemas
from lineage.query.time_arguments import time_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence, Set

    from lineage.query.session import Session
    from lineage.query.time_arguments import TimeArgument


class ComparedRow(NamedTuple):
    """A write, or a dataset or a job alone, with its distances; none of them if nothing differs.

    ``unchanged``: number of writes visible at both times. ``ends_at_archive``: whether archived
    runs may have written what runs of one of the times read, or appended what is visible at one.
    Both are the same in each row. ``is_possible``: whether the dataset or job is upstream
    of such a dataset of the time at which it is absent.
    """

    unchanged: int
    ends_at_archive: bool
    is_possible: bool
    dataset: int | None
    namespace: str
    name: str
    run: str | None
    state: str | None
    last_seen: str | None
    started_at: str | None
    ended_at: str | None
    error: str | None
    job: int | None
    job_namespace: str
    job_name: str
    written: str
    exact: bool
    before: int | None
    after: int | None
    version: str | None
    mode: str | None
    unknown_mode: bool
    rows: int | None
    bytes: int | None


_SQL = StatementFile(__file__)
_COMPARE_WRITES = _SQL.statement("compare_visible_writes", ComparedRow)
_SELECT_SEEN_BEFORE = _SQL.statement("select_seen_before", int)


class _VisibleWrite(NamedTuple):
    """A write with its distances at the two times; None if it is not visible."""

    write: Write
    before: int | None
    after: int | None
    unknown_mode: bool


def diff_dataset(
    session: Session,
    name: str,
    start: TimeArgument,
    end: TimeArgument,
    depth: int | None = None,
    *,
    limit: int | None = None,
) -> Diff:
    """Compare the writes visible in a dataset, and transitively in its inputs, at two times.

    ``start``, ``end``: ISO 8601; without an offset, in the time zone of this machine. Schemas are
    those of the latest event by then. ``limit``: maximum length of each list. Raises UsageError if
    a text is not a time, or if ``start`` is later than ``end``.
    """
    start, end = time_of(start), time_of(end)
    if start > end:
        raise UsageError(f"The start {start} is later than the end {end}.", "Exchange the times.")
    need_time_in_graph(session, start)
    root = resolve_dataset(session, name)
    rows = session.fetch(
        _COMPARE_WRITES,
        dataset=root.id, start=start, end=end, since=start, depth=depth,
    )  # fmt: skip
    writes = [_read_write(row) for row in rows if row.run is not None]
    datasets = [
        (Dataset(row.dataset, row.namespace, row.name), row)
        for row in rows
        if row.dataset is not None and row.run is None
    ]
    jobs = [
        (Job(row.job, row.job_namespace, row.job_name), row)
        for row in rows
        if row.job is not None and row.run is None
    ]
    archive, seen = _read_archive(session, rows)
    diff = Diff(
        root, start, end, depth,
        tuple(DatasetChange(*each) for each in _sort_changes(datasets, seen)),
        tuple(JobChange(*each) for each in _sort_changes(jobs, seen)),
        tuple(
            WriteChange(change, write, after or before or 0)
            for write, before, after, _ in writes
            if (change := _change_of(before, after))
        ),
        _diff_schemas_of(session, root, _dataset_distances(root, datasets), start, end),
        tuple(_rows_changes(writes, (start, end))),
        rows[0].unchanged,
        _find_unknown_modes(writes),
        logged_facets.log_complete_from(session),
        archive=archive,
    )  # fmt: skip
    return limit_lists(diff, limit)


def _read_archive(
    session: Session, rows: Sequence[ComparedRow]
) -> tuple[RunArchive | None, Set[int]]:
    """Return the archive if a trace ends at it, and the datasets and jobs of unknown change.

    A run that showed them at the other time may be archived: the trace of that time ends at a
    dataset that they feed, or lacks appends to it, and an event before the archive's time names
    them.
    """
    archive = read_archive(session) if rows[0].ends_at_archive else None
    ids = [
        row.dataset if row.job is None else row.job
        for row in rows
        if row.run is None and row.is_possible
    ]
    if archive is None or not ids:
        return archive, set()
    return archive, set(session.fetch(_SELECT_SEEN_BEFORE, ids=ids, time=archive.before))


def _diff_schemas_of(
    session: Session, root: Dataset, distances: Mapping[Dataset, int], start: str, end: str
) -> tuple[SchemaChange, ...]:
    ids = [dataset.id for dataset in distances]
    newest = logged_facets.newest_schemas(session, ids, start)
    distances = _sort_by_distance(distances, {row.dataset for row in newest})
    before = logged_facets.schemas_at(session, newest, start)
    after = logged_facets.schemas_at(session, newest, end)
    unknown = before.unknown | after.unknown
    both = [d for d in distances if d.id in before.reported and d.id in after.reported]
    changes = diff_schemas(session, [(before.reported[d.id], after.reported[d.id]) for d in both])
    columns = {d: changes.get(place, ()) for place, d in enumerate(both, start=1)}
    schemas = [
        SchemaChange(
            d, distance, d.id in before.reported, d.id in after.reported, columns.get(d, ())
        )
        for d, distance in distances.items()
    ]
    return tuple(
        each
        for each in schemas
        if each.columns or each.before_known != each.after_known or each.dataset.id in unknown
    )


def _read_write(row: ComparedRow) -> _VisibleWrite:
    write = Write(
        Dataset(row.dataset, row.namespace, row.name),  # type: ignore[arg-type]
        Run(row.run, row.state, row.last_seen, row.started_at, row.ended_at, row.error),  # type: ignore[arg-type]
        Job(row.job, row.job_namespace, row.job_name),  # type: ignore[arg-type]
        row.written, row.version, row.mode, row.rows, row.bytes, row.exact,
    )  # fmt: skip
    return _VisibleWrite(write, row.before, row.after, row.unknown_mode)


def _find_unknown_modes(writes: Sequence[_VisibleWrite]) -> tuple[Job, ...]:
    """Return the jobs of which a later write, without a mode, hides writes of the earlier time."""
    hidden = {(each.dataset, each.job) for each, _, after, _ in writes if after is None}
    jobs = {
        each.job
        for each, _, after, unknown_mode in writes
        if after is not None and unknown_mode and (each.dataset, each.job) in hidden
    }
    return tuple(sorted(jobs, key=lambda job: job.full_name))


def _change_of(before: int | None, after: int | None) -> Literal["added", "removed"] | None:
    if (before is None) == (after is None):
        return None
    return "added" if before is None else "removed"


def _sort_changes(
    rows: Iterable[tuple[Any, ComparedRow]], seen_before: Set[int]
) -> list[tuple[EntityChange, Any, int]]:
    """Return (change, entity, distance) for entities present at only one time, nearest first."""
    changes: list[tuple[EntityChange, Any, int]] = [
        ("unknown" if entity.id in seen_before else change, entity, row.after or row.before or 0)
        for entity, row in rows
        if (change := _change_of(row.before, row.after))
    ]
    return sorted(changes, key=lambda each: (each[2], each[1].namespace, each[1].name))


def _dataset_distances(
    root: Dataset, datasets: Iterable[tuple[Dataset, ComparedRow]]
) -> dict[Dataset, int]:
    """Return the distances of the root and of the given datasets present at both times."""
    both = {
        dataset: row.after
        for dataset, row in datasets
        if row.before is not None and row.after is not None
    }
    return both | {root: 1}


def _sort_by_distance(distances: Mapping[Dataset, int], ids: Set[int]) -> dict[Dataset, int]:
    """Return the distances of the datasets with these ids, nearest first."""
    some = [(distance, dataset) for dataset, distance in distances.items() if dataset.id in ids]
    return {d: distance for distance, d in sorted(some, key=lambda f: (f[0], f[1].full_name))}


def _rows_changes(writes: Sequence[_VisibleWrite], times: tuple[str, str]) -> Iterable[RowsChange]:
    before, after = (_newest_writes(writes, times, side) for side in (0, 1))
    for dataset, (now, distance) in after.items():
        if dataset in before:
            then = before[dataset][0]
            if None not in (then.rows, now.rows) and then.rows != now.rows:
                yield RowsChange(dataset, distance, then, now)


def _newest_writes(
    writes: Sequence[_VisibleWrite], times: tuple[str, str], side: int
) -> dict[Dataset, tuple[Write, int]]:
    """Return the latest write of each dataset at one of the times, and its distance."""

    def sort_key(write: Write) -> tuple[str, ...]:
        # The last write of a running stream may be later than the requested time.
        written = min(write.written, times[side])
        return written, write.run.run_id, write.job.namespace, write.job.name

    newest: dict[Dataset, tuple[Write, int]] = {}
    for write, before, after, _ in writes:
        distance = (before, after)[side]
        if distance is not None:
            known = newest.get(write.dataset)
            if known is None or sort_key(known[0]) < sort_key(write):
                newest[write.dataset] = write, distance
    return newest
