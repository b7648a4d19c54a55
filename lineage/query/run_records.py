"""Records of run lineage: runs that read data of other runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec import Struct

from lineage.query.display import Portable

if TYPE_CHECKING:
    from lineage.query.archive import RunArchive
    from lineage.query.records import Dataset, Job, OneWay, Run


class RunDependency(Struct, frozen=True, gc=False):
    """A read of a dataset and a run whose write was visible to it.

    ``reader``: None for lineage as of a time. ``writer``: None for an external source, which no run
    is known to have written. ``job``: of the writer upstream, of the reader downstream. ``exact``:
    true if both report the same dataset version, false if the match is by time.
    """

    distance: int
    reader: Run | None
    dataset: Dataset
    version: str | None
    writer: Run | None
    job: Job | None
    written: str | None
    exact: bool | None

    @property
    def matched_by(self) -> str | None:
        """Either "by version" or "by time"; None if there is no writer."""
        return matched_by(exact=bool(self.exact)) if self.writer else None


def matched_by(*, exact: bool) -> str:
    """Return "by version" if a read and a visible write match exactly, else "by time"."""
    return "by version" if exact else "by time"


class RunVolume(Struct, frozen=True, gc=False):
    """How much a run read and wrote. ``job``: None if no event names it.

    ``rows_read``, ``rows_written``: sums over its inputs and outputs; None if it reports none,
    or if the sum is not a bigint.
    """

    run_id: str
    job: Job | None
    rows_read: int | None
    rows_written: int | None


@dataclass(frozen=True, slots=True, repr=False)
class RunLineage(Portable):
    """Runs upstream or downstream of a run, or writes visible in a dataset ``at`` a time.

    ``dependencies``: nearest first. Downstream, each has a reader and a writer, and its ``job`` is
    that of the reader. ``volumes``: of each of their runs, the root first. ``perhaps``: whether
    writes are included that a newer write of the same job may have replaced. ``omitted``: number of
    dependencies over the limit. ``archive``: the archived runs, at which a trace ends.
    """

    root: Run | Dataset
    at: str | None
    depth: int | None
    dependencies: tuple[RunDependency, ...]
    volumes: tuple[RunVolume, ...]
    direction: OneWay = "upstream"
    perhaps: bool = False
    omitted: int = 0
    archive: RunArchive | None = None
