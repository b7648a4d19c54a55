"""Plan documents as frozen records: applications, executions, streaming queries."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lineage.spark.document.parent_run import Parents

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineage.spark.document.plan import Plan

VERSION = 1

APPLICATION_START = "application_start"
APPLICATION_END = "application_end"
EXECUTION_START = "execution_start"
EXECUTION_END = "execution_end"
QUERY_START = "query_start"
QUERY_PROGRESS = "query_progress"
QUERY_END = "query_end"
QUERIES = (QUERY_START, QUERY_PROGRESS, QUERY_END)
KINDS = (APPLICATION_START, EXECUTION_START, *QUERIES, EXECUTION_END, APPLICATION_END)


@dataclass(frozen=True)
class Application:
    """The application of a document. ``run`` is the UUID of its run.

    ``settings`` are the settings and environment variables that Spark itself does not read.
    """

    run: str
    name: str
    namespace: str
    host: str | None
    spark: str | None
    listener: str | None
    facts: Mapping[str, str | int]
    conf: Mapping[str, str]
    settings: Mapping[str, str] = field(default_factory=dict)
    parents: Parents = field(default_factory=Parents)


@dataclass(frozen=True)
class Execution:
    """A root SQL execution. ``facts`` are the other fields that Spark reports.

    ``ml`` are the methods of Spark ML that started it, the innermost first.
    """

    id: int
    callsite: str | None
    facts: Mapping[str, Any] = field(default_factory=dict)
    ml: tuple[str, ...] = ()


@dataclass(frozen=True)
class SourceProgress:
    """The rows read by a source of a streaming query, and its topics if it is Kafka."""

    rows: int
    topics: tuple[str, ...] = ()


@dataclass(frozen=True)
class StreamingQuery:
    """A run of a streaming query. ``options`` are those of its sink, with keys in lower case.

    ``batches`` is the number of completed micro-batches. ``rows_written`` is None if the sink does
    not count rows. ``facts`` are all fields that Spark reports.
    """

    run: str
    name: str | None
    options: Mapping[str, str] = field(default_factory=dict)
    batches: int = 0
    sources: tuple[SourceProgress, ...] = ()
    rows_written: int | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Failure:
    """Class, message and stack trace of an error."""

    cls: str
    message: str
    stack: str | None

    def __str__(self) -> str:
        return f"{self.cls}: {self.message}" if self.message else self.cls


@dataclass(frozen=True)
class DriverExit:
    """The end of the driver during JVM shutdown: COMPLETE, FAIL, ABORT (a signal) or UNKNOWN."""

    outcome: str
    error: Failure | None = None


@dataclass(frozen=True)
class Manifest:
    """The files that a scan selected: their number, size, newest modification and digest.

    ``newest`` is in milliseconds since the epoch; None without files. ``digest`` is that of the
    paths, sizes and times of the files, 16 hexadecimal digits. ``omitted`` is why the listener did
    not describe the files, which then have no digest.
    """

    files: int = 0
    bytes: int = 0
    newest: int | None = None
    digest: str | None = None
    omitted: str | None = None


@dataclass(frozen=True)
class Metric:
    """The metrics of a physical operator; ``relation`` is the index of the node that it scans.

    ``read`` and ``written`` are the versions of its table that it read or created; ``topics`` are
    the Kafka topics that it read, and ``manifest`` describes the files that it selected. If an
    earlier execution filled the cache that the operator reads, ``read_at`` is its start; 0 if it is
    not known which execution filled it.
    """

    node: str
    relation: int | None
    values: Mapping[str, int]
    read: str | None = None
    written: str | None = None
    topics: tuple[str, ...] = ()
    manifest: Manifest | None = None
    read_at: int | None = None


@dataclass(frozen=True)
class Planned:
    """A plan with the metrics of its execution."""

    plan: Plan
    metrics: tuple[Metric, ...] = ()


@dataclass(frozen=True)
class Models:
    """The plans of reads during fits and loads of Spark ML models, each with its methods."""

    origins: tuple[tuple[tuple[str, ...], Plan], ...]
    is_complete: bool


@dataclass(frozen=True)
class Document:
    """A plan document. Times are milliseconds since the epoch.

    ``started`` is the time at which the execution began. ``announced`` is false if no earlier
    document produced a START. For an execution, only the earlier documents determine this.
    ``attempted`` is the unresolved plan of a failed analysis: it has names instead of tables.
    """

    kind: str
    time: int
    app: Application
    execution: Execution | None = None
    query: StreamingQuery | None = None
    main: Planned | None = None
    attempted: Plan | None = None
    nested: tuple[Planned, ...] = ()
    nested_lost: int = 0
    hides_variables: bool = False
    variables_in_values: bool = False
    sql: str | None = None
    outcome: str | None = None
    started: int | None = None
    announced: bool = True
    error: Failure | None = None
    exit_code: int | None = None
    driver: DriverExit | None = None
    models: Models | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_end(self) -> bool:
        return self.kind in (EXECUTION_END, QUERY_END, APPLICATION_END)
