"""Result records, all frozen. Times are UTC, ISO 8601 with microseconds, or None if unknown.

Records that occur by the thousand are msgspec Structs: creating one takes a tenth of the time of a
frozen dataclass. They hold no cycles, so that the garbage collector need not track them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, Literal, TypeAlias, TypeVar

from msgspec import Struct

from lineage.naming import DatasetName
from lineage.query.display import Portable, Rows
from lineage.query.limits import no_more

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
        """Namespace and name as one string, for ``resolve``; same as lineage.full_name() in SQL."""
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
        """Namespace and name, separated by ``/``."""
        return f"{self.namespace}/{self.name}"

    def __str__(self) -> str:
        return self.full_name


def dataset_of(id: int | None, namespace: str | None, name: str | None) -> Dataset | None:
    """Build a dataset from three columns of a row; None if ``id`` is null."""
    return None if id is None else Dataset(id, namespace or "", name or "")


def job_of(id: int | None, namespace: str | None, name: str | None) -> Job | None:
    """Build a job from three columns of a row; None if ``id`` is null."""
    return None if id is None else Job(id, namespace or "", name or "")


class Run(Struct, frozen=True, gc=False):
    """A run. ``state``: the deciding eventType of its events; None if no event has one."""

    run_id: str
    state: str | None
    event_time: str | None
    started_at: str | None
    ended_at: str | None
    error: str | None


T = TypeVar("T", Dataset, Job | Dataset)


class Node(Struct, frozen=True, gc=False):
    """A dataset of a trace. ``distance``: minimum number of edges from the root.

    ``omitted_neighbours``: number of datasets next in the trace that the limit omitted.
    """

    dataset: Dataset
    distance: int
    omitted_neighbours: int = 0


class Edge(Struct, frozen=True, gc=False):
    """An edge of FEEDS: ``job`` reads ``source`` and writes ``target``.

    ``runs``: number of runs that produced it, between ``first_seen`` and ``last_seen``. ``stale``:
    true if a later successful run of the job wrote ``target`` and did not produce the edge.
    ``declared``: true if a design reports the edge. With ``runs`` 0 the times are those of the
    design, and ``confidence`` is below 1 if the design was inferred. ``job`` is None if a facet of
    the target declares the edge. ``last_run``: latest run of the job.
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
    confidence: float = 1.0

    @property
    def is_observed(self) -> bool:
        """Whether at least one run produced the edge."""
        return self.runs > 0


@dataclass(frozen=True, slots=True)
class CollapsedPath(Generic[T]):
    """A path from ``near``, the end closer to the root, to ``far`` through filtered entities.

    ``filtered_out``: number of filtered entities on the path; 0 if only the edge is filtered.
    """

    near: T
    far: T
    filtered_out: int


@dataclass(frozen=True, slots=True, repr=False)
class Trace(Portable):
    """Datasets upstream or downstream of ``root``, or both.

    ``nodes``: nearest first; the root has distance 0. ``collapsed_paths``: paths through filtered
    datasets to datasets that no returned edge reaches. ``filtered_out``: number of datasets that do
    not match the filters. ``omitted``: number of matching datasets over the limit.
    ``omitted_adjacent``: number of these that follow a returned dataset in the trace.
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
    """A job of a trace, or the root. ``distance``: minimum number of edges from the root.

    ``omitted_neighbours``: number of jobs next in the trace that the limit omitted.
    """

    job: Job | Dataset
    distance: int
    omitted_neighbours: int = 0


class JobEdge(Struct, frozen=True, gc=False):
    """An edge between jobs: ``source`` wrote ``dataset`` and ``target`` read it.

    Runs that failed or were aborted do not count. ``source`` or ``target`` is None if the root of
    the trace is a dataset and the edge ends at it. ``written``, ``read``: times of the last event
    of the latest run that wrote or read. ``stale``: true if ``target`` has since written all
    datasets that it had made from ``dataset``, and did not read it. If ``dataset`` is None, the
    jobs share no data: runs reported that ``target`` runs after ``source``, last at ``depended``.
    ``declared``: true if no run of one of the two jobs did so, but its design reports it; its time
    is then that of the design.
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
    def last_seen(self) -> str:
        """The latest of ``written``, ``read`` and ``depended``."""
        return max(self.written or "", self.read or "", self.depended or "")


@dataclass(frozen=True, slots=True, repr=False)
class JobTrace(Portable):
    """Jobs upstream or downstream of a job or a dataset.

    ``nodes``: nearest first; the root has distance 0. ``collapsed_paths`` and the counts are as in
    ``Trace``, with jobs in place of datasets.
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
    """A column of a dataset; all its columns if ``name`` is None. ``id``: id of the vertex."""

    id: int
    dataset: Dataset
    name: str | None

    @property
    def full_name(self) -> str:
        """The full name of the dataset, a dot, and the name of the column or ``*``."""
        return f"{self.dataset.full_name}.{self.name or '*'}"

    def __str__(self) -> str:
        return self.full_name


class ColumnNode(Struct, frozen=True, gc=False):
    """A column of a trace. ``distance``: minimum number of edges from the root.

    ``direct``: true if at least one path to the root consists of DIRECT edges only.
    """

    column: Column
    distance: int
    direct: bool


class ColumnEdge(Struct, frozen=True, gc=False):
    """An edge of DERIVES: ``job`` derives ``target`` from ``source``.

    ``type``: DIRECT if the value is computed from ``source``, INDIRECT if ``source`` determines
    rows, groups or order. ``subtype``: None if unreported. ``distance``: step that follows it.
    Others as in ``Edge``; as of a time, ``runs``, ``last_seen`` and ``stale`` are None if shown
    later too.
    """

    source: Column
    target: Column
    job: Job | None
    distance: int
    type: str
    subtype: str | None
    masking: bool
    runs: int | None
    first_seen: str
    last_seen: str | None
    declared: bool = False
    stale: bool | None = None


class NestedColumn(Struct, frozen=True, gc=False):
    """A column nested in the struct, array or map ``within``; the trace contains both.

    If the names differ only by case, they mean the same column of the newest schema.
    """

    column: Column
    within: Column

    @property
    def is_spelling(self) -> bool:
        """Whether the names differ only by case."""
        return (self.column.name or "").lower() == (self.within.name or "").lower()


@dataclass(frozen=True, slots=True)
class UnreportedColumns:
    """``job`` wrote ``target`` from ``source``, and its columns were not reported.

    ``job``: None if a design declares the step without a job. ``target``: None if the job read
    ``source`` and is not known to have written anything from it. ``declared``: only a design
    reports the step.
    """

    source: Dataset
    job: Job | None
    target: Dataset | None
    declared: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class ColumnTrace(Portable):
    """Columns upstream or downstream of a column.

    ``nodes``: nearest first; the root has distance 0. An edge to a whole dataset counts as an edge
    to each of its columns. The trace also follows the edges of columns that contain a nested
    column, or are nested in a column, but not those of its siblings. It also follows those of names
    in another case that mean the same column. ``nested``: such pairs among the ends of the edges
    and the root. ``unreported``: steps from or to datasets of the trace without reported columns;
    the trace ends there. The limit applies to edges and to these steps. ``omitted``: numbers of
    omitted edges, nodes and such steps, by the name of the list.
    """

    root: Column
    direction: Direction
    depth: int | None
    nodes: tuple[ColumnNode, ...]
    edges: tuple[ColumnEdge, ...]
    nested: tuple[NestedColumn, ...] = ()
    unreported: tuple[UnreportedColumns, ...] = ()
    omitted: Mapping[str, int] = field(default_factory=no_more)

    @property
    def columns(self) -> Rows[Column]:
        """All columns but the root, nearest first."""
        return Rows(node.column for node in self.nodes if node.distance)
