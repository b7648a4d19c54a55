"""The timeline of some datasets: writes and failures over time, and changes of their edges."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from lineage.database.statements import StatementFile
from lineage.errors import UsageError
from lineage.query.archive import read_archive_since
from lineage.query.arguments import need_in_range
from lineage.query.names import match_datasets
from lineage.query.time_arguments import time_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lineage.query.archive import RunArchive
    from lineage.query.session import Session
    from lineage.query.time_arguments import TimeArgument

BINS = 120
MAX_BINS = 500


class BinRow(NamedTuple):
    """A bin, and the end of the last one."""

    start: str
    writes: int
    failed: int
    last: str


class EdgeChange(NamedTuple):
    """A time at which edges were added or removed, and how many."""

    time: str
    added: int
    removed: int


_SQL = StatementFile(__file__)
_SELECT_BINS = _SQL.statement("select_bins", BinRow)
_SELECT_EDGE_CHANGES = _SQL.statement("select_edge_changes", EdgeChange)


class Bin(NamedTuple):
    """A part of a timeline from ``start`` to the start of the next one.

    ``writes``: runs that completed and had written one of the datasets. ``failed``: runs that
    failed or were aborted, and had one of them as an input or an output. A run counts when it
    ended. ``changes``: times at which edges changed.
    """

    start: str
    writes: int
    failed: int
    changes: int


@dataclass(frozen=True, slots=True)
class Timeline:
    """Accesses to some datasets, and changes of their edges, from ``start`` to ``end``.

    ``bins``: parts of equal length; empty if no time is known. ``changes``: the times at which the
    edges between the datasets changed, newest first; ``omitted`` has the number of those over the
    limit. ``missing``: names that match no dataset, and full names that several datasets have.
    ``archive``: the archive of runs, which the bins do not count, if the timeline begins before its
    time.
    """

    start: str | None
    end: str | None
    bins: tuple[Bin, ...]
    changes: tuple[EdgeChange, ...]
    missing: tuple[str, ...]
    omitted: Mapping[str, int]
    archive: RunArchive | None = None


def find_timeline(
    session: Session,
    names: Sequence[str],
    start: TimeArgument | None = None,
    end: TimeArgument | None = None,
    *,
    bins: int = BINS,
    observed: bool = False,
    limit: int | None = None,
) -> Timeline:
    """Count the runs at some datasets over time, and find the changes of the edges between them.

    ``start``, ``end``: ISO 8601; by default the first and the last access of the datasets, end of
    one of these runs or change of an edge. ``bins``: number of parts. ``observed``: omit edges that
    only a design reports. ``limit``: maximum number of changes. Raises UsageError if a time is
    invalid, if ``start`` is after ``end``, or if ``bins`` is out of range; Ambiguous if a name
    matches several datasets.
    """
    if not 1 <= bins <= MAX_BINS:
        raise UsageError(f"bins is {bins}.", f"It is a number from 1 to {MAX_BINS}.")
    need_in_range(limit=limit)
    start = None if start is None else time_of(start)
    end = None if end is None else time_of(end)
    if start and end and start > end:
        raise UsageError(f"start is {start}, which is after end, {end}.", "Exchange them.")
    with session.snapshot():
        datasets, missing, _ = match_datasets(session, names)
        ids = list(datasets)
        changes = session.fetch(_SELECT_EDGE_CHANGES, ids=ids, observed=observed)
        rows = session.fetch(
            _SELECT_BINS, ids=ids, start=start, end=end, bins=bins,
            first_change=changes[-1].time if changes else None,
            last_change=changes[0].time if changes else None,
        )  # fmt: skip
        archive = read_archive_since(session, rows[0].start if rows else None)
    if not rows:
        return Timeline(None, None, (), (), missing, {})
    start, end = rows[0].start, rows[0].last
    changes = [each for each in changes if start <= each.time <= end]
    more = 0 if limit is None else max(len(changes) - limit, 0)
    return Timeline(
        start,
        end,
        tuple(_count_changes(rows, changes)),
        tuple(changes[:limit]),
        missing,
        {"changes": more} if more else {},
        archive,
    )


def _count_changes(rows: Sequence[BinRow], changes: Sequence[EdgeChange]) -> Iterable[Bin]:
    """Return the bins with their numbers of changes, which are given newest first."""
    starts = [row.start for row in rows]
    # As in the statement, a change at the start of several bins is in the last of them.
    numbers = Counter(bisect_right(starts, change.time) - 1 for change in changes)
    for at, row in enumerate(rows):
        yield Bin(row.start, row.writes, row.failed, numbers[at])
