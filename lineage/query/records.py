"""Answers as frozen records. Times are UTC, ISO 8601 with microseconds, or None where unknown.

Those of which an answer has thousands are Structs of msgspec, made in a tenth of the time that a
frozen dataclass takes; as they hold no cycles, the garbage collector need not look at them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, Literal, TypeAlias, TypeVar

from msgspec import Struct

from lineage.naming import DatasetName
from lineage.query.limits import no_more
from lineage.query.portable import Portable, Rows

if TYPE_CHECKING:
    from collections.abc import Mapping

Direction: TypeAlias = Literal["upstream", "downstream", "both"]
OneWay: TypeAlias = Literal["upstream", "downstream"]


class Dataset(Struct, frozen=True, gc=False):
    """A dataset by its canonical name; ``id`` is the id of its vertex."""

    id: int
    namespace: str
    name: str

    @property
    def full_name(self) -> str:
        """Namespace and name in one, as ``resolve`` takes it; as lineage.full_name() in SQL."""
        return DatasetName(self.namespace, self.name).full_name

    def __str__(self) -> str:
        return self.full_name


class Job(Struct, frozen=True, gc=False):
    """A job; ``id`` is the id of its vertex."""

    id: int
    namespace: str
    name: str

    @property
    def full_name(self) -> str:
        """Namespace and name in one."""
        return f"{self.namespace}/{self.name}"

    def __str__(self) -> str:
        return self.full_name


def dataset_of(id: int | None, namespace: str | None, name: str | None) -> Dataset | None:
    """Return the dataset that a row has in three columns, None if they are null."""
    return None if id is None else Dataset(id, namespace or "", name or "")


def job_of(id: int | None, namespace: str | None, name: str | None) -> Job | None:
    """Return the job that a row has in three columns, None if they are null."""
    return None if id is None else Job(id, namespace or "", name or "")


class Run(Struct, frozen=True, gc=False):
    """A run. ``state`` is the eventType that counts, None where no event gave one."""

    run_id: str
    state: str | None
    event_time: str | None
    started_at: str | None
    ended_at: str | None
    error: str | None


T = TypeVar("T", Dataset, Job | Dataset)


class Node(Struct, frozen=True, gc=False):
    """A dataset of a trace and its least number of steps from the root.

    ``omitted_neighbours`` is how many datasets right behind it a limit has left out.
    """

    dataset: Dataset
    distance: int
    omitted_neighbours: int = 0


class Edge(Struct, frozen=True, gc=False):
    """``source`` feeds ``target`` by ``job``: in how many runs, when; the newest run of the job.

    ``stale`` is true where the last good run of the job, the newest that completed and wrote
    something, did not make it and is newer than all that did. Only traces tell it. ``declared`` is
    true where a design states the edge; with no runs that is all, and the times are those of the
    design. Where no job but a facet of the target declares it there is no ``job``.
    """

    source: Dataset
    target: Dataset
    job: Job | None
    runs: int
    first_seen: str
    last_seen: str
    last_run: Run | None
    stale: bool = False
    declared: bool = False

    @property
    def is_observed(self) -> bool:
        """Whether a run showed it."""
        return self.runs > 0

    @property
    def entities(self) -> tuple[Dataset, Dataset, Job | None]:
        """What it ties, in the order in which edges are sorted."""
        return self.source, self.target, self.job


@dataclass(frozen=True, slots=True)
class CollapsedPath(Generic[T]):
    """How a trace gets from ``near``, the end at the root, to ``far`` by what filters hide.

    ``filtered_out`` is how many lie between; 0 where the step alone is hidden.
    """

    near: T
    far: T
    filtered_out: int


@dataclass(frozen=True, slots=True, repr=False)
class Trace(Portable):
    """What a dataset was made from, or what was made from it; nodes nearest first, root at 0.

    ``filtered_out`` datasets do not fit the filters; ``collapsed_paths`` lead through them to what
    no shown edge reaches. A limit has ``omitted`` so many that fit, ``omitted_adjacent`` of them
    right behind what is shown.
    """

    root: Dataset
    direction: Direction
    depth: int | None
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    collapsed_paths: tuple[CollapsedPath[Dataset], ...] = ()
    filtered_out: int = 0
    omitted: int = 0
    omitted_adjacent: int = 0

    @property
    def datasets(self) -> Rows[Dataset]:
        """All datasets but the root, nearest first."""
        return Rows(node.dataset for node in self.nodes if node.distance)


class JobNode(Struct, frozen=True, gc=False):
    """A job of a trace and its least number of steps from the root; the root may be a dataset.

    ``omitted_neighbours`` is how many jobs right behind it a limit has left out.
    """

    job: Job | Dataset
    distance: int
    omitted_neighbours: int = 0


class JobEdge(Struct, frozen=True, gc=False):
    """``source`` feeds ``target``: it wrote ``dataset``, which the other read, and none failed.

    ``written`` and ``read`` are when the newest runs that did so last told of themselves. Where the
    root of the trace is a dataset, the end at it is None. ``stale`` is true where the last good run
    of one of the two no longer did so. Without a ``dataset`` it is no data that ties them: runs
    stated, at ``depended`` last, that ``target`` runs after ``source``. ``declared`` is true where
    no run of one of the two does so, but its design states it; then its time is that of the design.
    """

    source: Job | None
    target: Job | None
    dataset: Dataset | None
    written: str | None
    read: str | None
    stale: bool
    depended: str | None = None
    declared: bool = False

    @property
    def entities(self) -> tuple[Job | None, Job | None, Dataset | None]:
        """What it ties, in the order in which edges are sorted."""
        return self.source, self.target, self.dataset

    @property
    def last_seen(self) -> str:
        """When the later of the two was last done, or the dependency last stated."""
        return max(self.written or "", self.read or "", self.depended or "")


@dataclass(frozen=True, slots=True, repr=False)
class JobTrace(Portable):
    """Which jobs fed a job or made a dataset, or what they feed; nodes nearest first, root at 0.

    What is not shown is told as a Trace does, of jobs in place of datasets.
    """

    root: Job | Dataset
    direction: OneWay
    depth: int | None
    nodes: tuple[JobNode, ...]
    edges: tuple[JobEdge, ...]
    collapsed_paths: tuple[CollapsedPath[Job | Dataset], ...] = ()
    filtered_out: int = 0
    omitted: int = 0
    omitted_adjacent: int = 0

    @property
    def jobs(self) -> Rows[Job | Dataset]:
        """All jobs but the root, nearest first."""
        return Rows(node.job for node in self.nodes if node.distance)


class Column(Struct, frozen=True, gc=False):
    """A column of a dataset; with no ``name`` all columns of it. ``id`` is that of the vertex."""

    id: int
    dataset: Dataset
    name: str | None

    @property
    def full_name(self) -> str:
        """The full name of the dataset, and behind a dot the column."""
        return f"{self.dataset.full_name}.{self.name or '*'}"

    def __str__(self) -> str:
        return self.full_name


class ColumnNode(Struct, frozen=True, gc=False):
    """A column of a trace, its least number of steps from the root, and what kind of steps.

    ``direct`` is true where a way leads there on which every step makes the value.
    """

    column: Column
    distance: int
    direct: bool


class ColumnEdge(Struct, frozen=True, gc=False):
    """``target`` derives from ``source`` by ``job``: in which way, in how many runs, when.

    ``type`` is DIRECT where the value is made from it, INDIRECT where it decides on rows or order;
    ``subtype`` is AGGREGATION, FILTER and the like, None where it was not stated. ``distance`` is
    the number of the step that passes the edge. ``declared`` is as of ``Edge``.
    """

    source: Column
    target: Column
    job: Job | None
    distance: int
    type: str
    subtype: str | None
    masking: bool
    runs: int
    first_seen: str
    last_seen: str
    declared: bool = False


class NestedColumn(Struct, frozen=True, gc=False):
    """``column`` is a part of the struct, array or map ``within``; both are in one trace."""

    column: Column
    within: Column


@dataclass(frozen=True, slots=True, repr=False)
class ColumnTrace(Portable):
    """What a column was made from, or what was made from it; nodes nearest first, root at 0.

    A column depends on the edges to its whole dataset too; on a whole dataset depend its columns.
    So it is with a nested column and the columns that it is in: ``nested`` has such pairs among
    the ends of the edges and the root. From a part the trace does not go to the parts beside it.
    A limit is of edges; ``omitted`` counts the edges and nodes that are not there.
    """

    root: Column
    direction: Direction
    depth: int | None
    nodes: tuple[ColumnNode, ...]
    edges: tuple[ColumnEdge, ...]
    nested: tuple[NestedColumn, ...] = ()
    omitted: Mapping[str, int] = field(default_factory=no_more)

    @property
    def columns(self) -> Rows[Column]:
        """All columns but the root, nearest first."""
        return Rows(node.column for node in self.nodes if node.distance)


class RunDependency(Struct, frozen=True, gc=False):
    """A read of a dataset, and one of the runs whose writes were there when it was read.

    ``reader`` is None where the question is what somebody would have read. Without a ``writer``
    no run is known to have written it: a source. ``job`` is that of the end far from the root: of
    the writer upstream, of the reader downstream. ``exact`` is true where both state the same
    version, false where the link is by time.
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
        """How reader and writer are tied, None where there is no writer."""
        return matched_by(exact=bool(self.exact)) if self.writer else None


def matched_by(*, exact: bool) -> str:
    """Return how a read is tied to the write that was there: by its version, or by time alone."""
    return "by version" if exact else "by time"


@dataclass(frozen=True, slots=True, repr=False)
class RunLineage(Portable):
    """What a run read, or a dataset was made of ``at`` a time; nearest links first.

    Downstream it is who read what the run wrote; then each link has a reader and a writer, and
    ``job`` is that of the reader. With ``perhaps`` there are links to writes too that a newer one
    of the same job may have replaced. A limit has ``omitted`` so many links.
    """

    root: Run | Dataset
    at: str | None
    depth: int | None
    dependencies: tuple[RunDependency, ...]
    direction: OneWay = "upstream"
    perhaps: bool = False
    omitted: int = 0
