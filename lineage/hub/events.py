"""The events of a Python program: its runs, and observations of them.

The classes depend on the standard library alone, and none of them checks its values: an event is
converted to OpenLineage, and checked, in the thread of a sink (``lineage.hub.documents``).
"""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from typing_extensions import Self

START, RUNNING, COMPLETE, FAIL, ABORT, OTHER = (
    "START",
    "RUNNING",
    "COMPLETE",
    "FAIL",
    "ABORT",
    "OTHER",
)


class Kind(str, Enum):
    """The kinds of ``LineageEvent``; each has a payload class."""

    RUN_LIFECYCLE = "RUN_LIFECYCLE"
    TRANSFORM_SCHEMA = "TRANSFORM_SCHEMA"
    FILE_IO = "FILE_IO"
    HTTP_IO = "HTTP_IO"
    RELATIONAL_IO = "RELATIONAL_IO"


class SubjectType(str, Enum):
    """The kinds of subjects that an event can be about."""

    PIPELINE = "PIPELINE"
    WORKFLOW = "WORKFLOW"
    TRANSFORM = "TRANSFORM"
    ACTION = "ACTION"
    SERVER = "SERVER"
    OTHER = "OTHER"


class Phase(str, Enum):
    """The phases of a run. FINISHING comes before its end, and may be absent."""

    STARTED = "STARTED"
    FINISHING = "FINISHING"
    FINISHED = "FINISHED"
    FAILED = "FAILED"


class FileOperation(str, Enum):
    """The operations on files. WRITE replaces the content, unless ``FileIo.append`` is set."""

    READ = "READ"
    WRITE = "WRITE"
    COPY = "COPY"
    MOVE = "MOVE"
    DELETE = "DELETE"


class Direction(str, Enum):
    """The side of an HTTP request that the program is on."""

    CLIENT = "CLIENT"
    SERVER = "SERVER"


class Side(str, Enum):
    """The side of a transform that a schema describes."""

    INPUT = "INPUT"
    OUTPUT = "OUTPUT"


class SchemaSource(str, Enum):
    """The origin of a schema: rows of a run, or the design of the transform."""

    OBSERVED = "OBSERVED"
    DESIGN_GRAPH = "DESIGN_GRAPH"


class RelationalOperation(str, Enum):
    """The operations on tables."""

    READ = "READ"
    WRITE = "WRITE"
    DELETE = "DELETE"
    EXEC = "EXEC"


@dataclass(frozen=True, slots=True)
class Column:
    """A column. ``path``: its place in nested content; ``syntax``: JSONPath, XPath, YAMLPath."""

    name: str
    type: str | None = None
    length: int | None = None
    precision: int | None = None
    path: str | None = None
    syntax: str | None = None


@dataclass(frozen=True, slots=True)
class StructureNode:
    """A node in the tree of nested content: an object, an array or a value."""

    name: str
    type: str | None = None
    children: tuple[StructureNode, ...] = ()


@dataclass(frozen=True, slots=True)
class ContentSchema:
    """The columns of a file, and the trees of its nested content."""

    columns: tuple[Column, ...] = ()
    roots: tuple[StructureNode, ...] = ()


@dataclass(frozen=True, slots=True)
class FileIo:
    """An operation on a file. ``source`` and ``target`` are paths or URLs; ``bytes`` is a count.

    READ and DELETE have a ``source``, WRITE a ``target``, COPY and MOVE both.
    """

    operation: FileOperation
    source: str | None = None
    target: str | None = None
    bytes: int | None = None
    success: bool = True
    message: str | None = None
    schema: ContentSchema | None = None
    append: bool = False


@dataclass(frozen=True, slots=True)
class HttpIo:
    """An HTTP request, with the status of its response, sizes in bytes and the duration in ms."""

    direction: Direction
    method: str
    url: str
    status: int | None = None
    request_bytes: int | None = None
    response_bytes: int | None = None
    duration_ms: float | None = None
    success: bool = True
    message: str | None = None


@dataclass(frozen=True, slots=True)
class RunLifecycle:
    """A phase of a run. ``detail``: of FAILED the error."""

    phase: Phase
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class TransformSchema:
    """The fields that a transform receives or emits. ``dataset``: their dataset, if it is known."""

    side: Side
    fields: tuple[Column, ...]
    source: SchemaSource = SchemaSource.OBSERVED
    dataset: Dataset | None = None


@dataclass(frozen=True, slots=True)
class RelationalIo:
    """An operation on tables of the database ``namespace``, such as ``postgres://host:5432``.

    ``inputs`` and ``outputs`` are names ``table``, ``schema.table`` or ``database.schema.table``,
    which ``catalog`` and ``schema`` complete. Literals of ``sql`` are replaced in the event.
    """

    operation: RelationalOperation
    namespace: str
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    sql: str | None = None
    catalog: str | None = None
    schema: str | None = None
    columns: tuple[Column, ...] = ()
    success: bool = True
    message: str | None = None


Payload = FileIo | HttpIo | RunLifecycle | TransformSchema | RelationalIo


@dataclass(frozen=True, slots=True)
class Context:
    """The subject of an event and its run.

    An event without ``run_id`` is a run of its own. ``portable_key`` is ``file`` relative to the
    project: see ``lineage.hub.portable_key``. Attributes whose names denote secrets are dropped.
    """

    subject_type: SubjectType = SubjectType.OTHER
    run_id: str | None = None
    parent_run_id: str | None = None
    pipeline: str | None = None
    workflow: str | None = None
    transform: str | None = None
    action: str | None = None
    copy: int | None = None
    file: str | None = None
    portable_key: str | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LineageEvent:
    """One observation. ``timestamp``: seconds since 1970."""

    id: str
    timestamp: float
    kind: Kind
    context: Context
    payload: Payload

    @classmethod
    def create_now(cls, kind: Kind, context: Context, payload: Payload) -> Self:
        """Return an event of this moment with a new id."""
        return cls(str(uuid.uuid4()), time.time(), kind, context, payload)


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset. ``rows`` and ``bytes``: numbers that the run read or wrote.

    ``facets``: facets of OpenLineage by name, without ``_producer`` and ``_schemaURL``.
    """

    namespace: str
    name: str
    facets: Mapping[str, Any] = field(default_factory=dict)
    rows: int | None = None
    bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """A job. ``facets``: as of ``Dataset``."""

    namespace: str
    name: str
    facets: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ParentRun:
    """The run that started a run, and the run at the beginning of that chain."""

    run_id: str
    job: Job
    root: ParentRun | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """A run. ``run_id`` that is no UUID is replaced by a UUIDv5 of it."""

    run_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    parent: ParentRun | None = None
    facets: Mapping[str, Any] = field(default_factory=dict)


class HasIdentity(Protocol):
    """An object that stands for a run, as ``lineage.run`` yields."""

    @property
    def identity(self) -> Run: ...


@dataclass(frozen=True, slots=True)
class RunEvent:
    """An event of a run. ``type``: an event type of OpenLineage. ``timestamp``: seconds since 1970.

    ``error``: the message of a run that failed.
    """

    type: str
    run: Run
    job: Job
    inputs: tuple[Dataset, ...] = ()
    outputs: tuple[Dataset, ...] = ()
    error: str | None = None
    timestamp: float = field(default_factory=time.time)

    @classmethod
    def create_now(
        cls,
        type: str,
        run: Run | HasIdentity,
        job: Job,
        *,
        inputs: Sequence[Dataset] = (),
        outputs: Sequence[Dataset] = (),
        error: str | None = None,
    ) -> Self:
        """Return an event of this moment."""
        identity = run if isinstance(run, Run) else run.identity
        return cls(type, identity, job, tuple(inputs), tuple(outputs), error)

    @classmethod
    def start(cls, run: Run | HasIdentity, job: Job, **content: Any) -> Self:
        """Return START. ``content`` of each event: ``inputs``, ``outputs``, ``error``."""
        return cls.create_now(START, run, job, **content)

    @classmethod
    def running(cls, run: Run | HasIdentity, job: Job, **content: Any) -> Self:
        """Return RUNNING."""
        return cls.create_now(RUNNING, run, job, **content)

    @classmethod
    def complete(cls, run: Run | HasIdentity, job: Job, **content: Any) -> Self:
        """Return COMPLETE."""
        return cls.create_now(COMPLETE, run, job, **content)

    @classmethod
    def fail(cls, run: Run | HasIdentity, job: Job, **content: Any) -> Self:
        """Return FAIL."""
        return cls.create_now(FAIL, run, job, **content)

    @classmethod
    def abort(cls, run: Run | HasIdentity, job: Job, **content: Any) -> Self:
        """Return ABORT."""
        return cls.create_now(ABORT, run, job, **content)
