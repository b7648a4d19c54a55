"""Records of the impact of a change: dependent datasets and jobs, and their owners."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lineage.query.display import Portable

if TYPE_CHECKING:
    from lineage.query.archive import RunArchive
    from lineage.query.records import (
        Column,
        ColumnEdge,
        Dataset,
        Edge,
        Job,
        NestedColumn,
        Run,
        UnreportedColumns,
    )


@dataclass(frozen=True, slots=True)
class AffectedDataset:
    """A dataset downstream of the root. ``distance``: minimum number of edges from the root.

    ``columns``: affected columns if the root is a column; ``*`` means all of them.
    ``last_written``: by a run that did not fail. ``last_read``: by any run but checks.
    ``writes``, ``reads``: numbers of such runs in the window of the result. ``last_fed``: last time
    that a run which did not fail made it from the root or from another of the datasets; None if
    only a design says so.
    ``stale``: true if each path from the root to it has a stale edge.
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
    last_fed: str | None
    stale: bool = False


@dataclass(frozen=True, slots=True)
class JobRead:
    """The last read of a dataset by a run of a job, in any state.

    ``stale``: true if the job has since written all that it had made from the dataset, and no run
    has read it; or if it made nothing and its last successful run did not read it. If the root is a
    column, both are those of the edges from columns of the dataset.
    """

    dataset: Dataset
    last_read: str | None
    stale: bool


@dataclass(frozen=True, slots=True)
class AffectedJob:
    """A job that reads the root or a dataset downstream of it, by its design, or that once did.

    ``distance``: number of the step that the job performs; 1 if it reads the root. ``inputs``:
    those datasets, with the last reads. ``runs``: number of its runs in the window of the result.
    ``reads``: number of those that read one of the inputs. ``declared``: only its design reports
    that it reads them.
    """

    job: Job
    distance: int
    type: str | None
    owners: tuple[str, ...]
    tags: tuple[str, ...]
    inputs: tuple[JobRead, ...]
    last_run: Run | None
    runs: int
    reads: int
    declared: bool

    @property
    def last_read(self) -> str | None:
        """The time of the last read of one of the inputs."""
        return max((each.last_read for each in self.inputs if each.last_read), default=None)

    @property
    def is_stale(self) -> bool:
        """Whether the reads of all inputs are stale."""
        return all(each.stale for each in self.inputs)


@dataclass(frozen=True, slots=True)
class Owner:
    """An owner with the numbers of affected datasets and jobs; ``name`` None for unowned ones."""

    name: str | None
    datasets: int
    jobs: int


@dataclass(frozen=True, slots=True, repr=False)
class Impact(Portable):
    """Datasets and jobs that depend on ``root``, nearest and most used first, and their owners.

    Runs are counted from ``since``, that is ``window_days`` before the newest event, to ``until``;
    both are None if there are no events. ``itself``: dataset of the root. ``…_omitted``: numbers
    of entries over the limit. ``owners`` and ``datasets_in_use`` (number of datasets that a run
    read in the window) ignore the limit. ``edges``: those between the returned datasets.
    ``nested``: pairs of their ends of which one contains the other. ``unreported``: steps without
    column lineage, if the root is a column. ``archive``: the archive of runs, which are not
    counted, if it has runs of the window.
    """

    root: Dataset | Column
    depth: int | None
    window_days: int
    since: str | None
    until: str | None
    itself: AffectedDataset
    datasets: tuple[AffectedDataset, ...]
    datasets_omitted: int
    datasets_in_use: int
    jobs: tuple[AffectedJob, ...]
    jobs_omitted: int
    owners: tuple[Owner, ...]
    unreported: tuple[UnreportedColumns, ...]
    unreported_omitted: int
    edges: tuple[Edge, ...] | tuple[ColumnEdge, ...]
    nested: tuple[NestedColumn, ...] = ()
    archive: RunArchive | None = None
