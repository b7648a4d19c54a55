"""Records of the comparison of a dataset at two times."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from lineage.query.display import Tabular
from lineage.query.limits import no_more
from lineage.query.run_records import matched_by

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineage.query.archive import RunArchive
    from lineage.query.records import Dataset, Job, Run
    from lineage.query.schema_diff import Change, ColumnChange

# An entity of one of the times may have been there at the other one, if its runs are archived.
EntityChange: TypeAlias = Literal["added", "removed", "unknown"]


@dataclass(frozen=True, slots=True)
class DatasetChange:
    """A dataset that was added or removed; ``distance`` is 1 for the root.

    ``change``: "unknown" if archived runs may have shown the dataset at the other time.
    """

    change: EntityChange
    dataset: Dataset
    distance: int


@dataclass(frozen=True, slots=True)
class JobChange:
    """A job that was added or removed; "unknown" as for a dataset."""

    change: EntityChange
    job: Job
    distance: int


@dataclass(frozen=True, slots=True)
class Write:
    """A write of a dataset by a run; version, mode, rows and bytes if reported.

    ``exact``: true if the reader reports the same version, false if the match is by time.
    """

    dataset: Dataset
    run: Run
    job: Job
    written: str
    version: str | None
    mode: str | None
    rows: int | None
    bytes: int | None
    exact: bool

    @property
    def matched_by(self) -> str:
        """Either "by version" or "by time": the match of the write with its reader."""
        return matched_by(exact=self.exact)


@dataclass(frozen=True, slots=True)
class WriteChange:
    """A write that was added or removed."""

    change: Change
    write: Write
    distance: int


@dataclass(frozen=True, slots=True)
class SchemaChange:
    """Changed columns of a dataset. ``before_known``, ``after_known``: whether a schema is known.

    Unless both are known, they cannot be compared, and ``columns`` is empty. Neither is known if
    the events that reported them are not in the log.
    """

    dataset: Dataset
    distance: int
    before_known: bool
    after_known: bool
    columns: tuple[ColumnChange, ...]


@dataclass(frozen=True, slots=True)
class RowsChange:
    """The latest writes of a dataset at the two times, whose numbers of rows differ."""

    dataset: Dataset
    distance: int
    before: Write
    after: Write


@dataclass(frozen=True, slots=True, repr=False)
class Diff(Tabular):
    """Changes from ``start`` to ``end`` in the writes visible in ``root``, nearest first.

    ``unchanged``: number of writes visible at both times. ``unknown_modes``: jobs that neither
    report nor have a write mode; their removed writes may still be visible, with what is upstream
    of them. ``log_from``: time from which the log has all events, None if it has all; earlier
    schemas may be unknown. The limit applies to each list. ``omitted``: number of omitted entries
    by the name of the list. ``archive``: None unless the trace of one of the times ends at
    archived runs, or archived appends may be visible at one of them.
    """

    root: Dataset
    start: str
    end: str
    depth: int | None
    datasets: tuple[DatasetChange, ...]
    jobs: tuple[JobChange, ...]
    writes: tuple[WriteChange, ...]
    schemas: tuple[SchemaChange, ...]
    rows: tuple[RowsChange, ...]
    unchanged: int
    unknown_modes: tuple[Job, ...]
    log_from: str | None
    omitted: Mapping[str, int] = field(default_factory=no_more)
    archive: RunArchive | None = None
