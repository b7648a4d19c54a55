"""Plan documents: one line of a spool, validated and read into frozen records."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import UUID

from lineage.errors import InvalidEvent
from lineage.spark.document.json_fields import Fields, invalid
from lineage.spark.document.parent_run import Parents, parents
from lineage.spark.document.plan import Plan, parse_plan

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    """The application that a document is of. ``run`` is the UUID of its run.

    ``settings`` are what was said of it in settings and variables that Spark does not read.
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
    """A root SQL execution. ``facts`` are the other things that Spark says of it.

    ``ml`` are the methods of Spark ML that began it, the innermost first.
    """

    id: int
    callsite: str | None
    facts: Mapping[str, Any] = field(default_factory=dict)
    ml: tuple[str, ...] = ()


@dataclass(frozen=True)
class SourceProgress:
    """What a source of a streaming query has read: rows, and the topics where it is Kafka."""

    rows: int
    topics: tuple[str, ...] = ()


@dataclass(frozen=True)
class StreamingQuery:
    """A run of a streaming query. ``options`` are its sink's, keys in lower case.

    ``batches`` counts the micro-batches that were done; ``rows_written`` is None where the sink
    does not count; ``facts`` are all that Spark says of it.
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
    """Why something failed."""

    cls: str
    message: str
    stack: str | None

    def __str__(self) -> str:
        return f"{self.cls}: {self.message}" if self.message else self.cls


@dataclass(frozen=True)
class DriverExit:
    """How the driver ended while the JVM went down: COMPLETE, FAIL, ABORT (a signal) or UNKNOWN."""

    outcome: str
    error: Failure | None = None


@dataclass(frozen=True)
class Metric:
    """The metrics of one physical operator; ``relation`` is the index of the node that it scans.

    ``read`` and ``written`` are the version of its table that it read or made; ``topics`` those of
    Kafka that it read.
    """

    node: str
    relation: int | None
    values: Mapping[str, int]
    read: str | None = None
    written: str | None = None
    topics: tuple[str, ...] = ()


@dataclass(frozen=True)
class Planned:
    """A plan with the metrics of its execution."""

    plan: Plan
    metrics: tuple[Metric, ...] = ()


@dataclass(frozen=True)
class Models:
    """What was read while models of Spark ML were fitted and loaded: methods and plan of each."""

    origins: tuple[tuple[tuple[str, ...], Plan], ...]
    is_complete: bool


@dataclass(frozen=True)
class Document:
    """A plan document. Times are milliseconds since the epoch.

    ``started`` is when the execution began. ``announced`` is false where no earlier document gave
    a START: of an execution that is known to who reads the documents before this one.
    ``attempted`` is the plan that was to be analyzed, where that failed: names, not tables.
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


def is_document(value: object) -> bool:
    """Is this parsed JSON a plan document, as against an OpenLineage event?"""
    return isinstance(value, dict) and "lineage" in value and "kind" in value


def parse(text: str | bytes) -> Document:
    """Read one line; raise InvalidEvent that says what is wrong with it."""
    try:
        raw = json.loads(text)
    except ValueError as error:
        raise InvalidEvent(f"This is no JSON: {error}.") from error
    return read(raw)


def read(raw: Any) -> Document:
    """Read a document that is parsed JSON; raise InvalidEvent that names the wrong field."""
    fields = Fields(raw, "")
    version = fields.need("lineage", int)
    if version != VERSION:
        raise InvalidEvent(
            f"This plan document has format {version}; this version reads format {VERSION}.",
            "Convert it with the version of lineage that its listener came with.",
        )
    kind = fields.need("kind", str)
    if kind not in KINDS:
        raise invalid("kind", "one of " + ", ".join(KINDS))
    time, app = fields.need("time", int), _application(fields.part("app"))
    if kind == APPLICATION_START:
        return Document(kind, time, app)
    if kind == APPLICATION_END:
        return _application_end(fields, time, app)
    if kind in QUERIES:
        return _query(fields, kind, time, app)
    return _execution(fields, kind, time, app)


def _application(app: Fields) -> Application:
    told = ("run", "name", "namespace", "parent", "settings", "conf")
    settings = app.strings("settings")
    return Application(
        run=_uuid(app, "run"),
        name=app.text("name") or "unknown",
        namespace=app.text("namespace") or "default",
        host=app.text("host"),
        spark=app.text("spark"),
        listener=app.text("listener"),
        facts={key: app.value[key] for key in app.value if key not in told},
        conf=app.strings("conf"),
        settings=settings,
        parents=parents(app.take("parent", dict) or {}, settings),
    )


def _uuid(part: Fields, key: str) -> str:
    try:
        return str(UUID(part.need(key, str)))
    except ValueError:
        raise invalid(part.at(key), "a UUID") from None


def _execution(fields: Fields, kind: str, time: int, app: Application) -> Document:
    duration = fields.take("durationMs", int)
    outcome = fields.text("outcome")
    if kind == EXECUTION_END and outcome not in ("COMPLETE", "FAIL"):
        raise invalid("outcome", "COMPLETE or FAIL")
    return Document(
        kind=kind,
        time=time,
        app=app,
        execution=_execution_facts(fields.part("execution")),
        main=_planned(fields) if fields.value.get("plan") else None,
        attempted=parse_plan(fields.part("attempted")) if fields.value.get("attempted") else None,
        nested=tuple(_planned(part) for part in fields.parts("nested") if part.value.get("plan")),
        sql=fields.text("sql"),
        outcome=outcome,
        started=time - (duration or 0),
        nested_lost=fields.take("nestedLost", int) or 0,
        error=_failure(fields),
        models=_models(fields.part("models")) if fields.value.get("models") else None,
    )


def _models(part: Fields) -> Models:
    origins = tuple((of.texts("ml"), parse_plan(of.part("plan"))) for of in part.parts("origins"))
    return Models(origins, part.value.get("complete") is True)


def _query(fields: Fields, kind: str, time: int, app: Application) -> Document:
    outcome, started = fields.text("outcome"), fields.part("started")
    if kind == QUERY_END and outcome not in ("COMPLETE", "FAIL", "ABORT"):
        raise invalid("outcome", "COMPLETE, FAIL or ABORT")
    query = _query_facts(fields.part("query"), fields.part("progress"))
    return Document(
        kind=kind,
        time=time,
        app=app,
        query=query,
        main=_planned(fields) if fields.value.get("plan") else None,
        nested=tuple(_planned(part) for part in fields.parts("nested") if part.value.get("plan")),
        outcome=outcome,
        started=started.need("time", int),
        announced=kind == QUERY_START or started.value.get("plan") is True or bool(query.name),
        nested_lost=fields.take("nestedLost", int) or 0,
        error=_failure(fields),
    )


def _query_facts(query: Fields, progress: Fields) -> StreamingQuery:
    told = ("id", "name", "checkpoint", "outputMode", "trigger")
    options = query.strings("options")
    return StreamingQuery(
        run=_uuid(query, "run"),
        name=query.text("name"),
        options={key.lower(): options[key] for key in options},
        batches=progress.take("batches", int) or 0,
        sources=tuple(
            SourceProgress(source.take("rows", int) or 0, source.texts("topics"))
            for source in progress.parts("sources")
        ),
        rows_written=progress.take("rowsWritten", int),
        facts={key: query.value[key] for key in told if query.value.get(key)} | progress.value,
    )


def _execution_facts(part: Fields) -> Execution:
    facts = {
        key: value
        for key, value in part.value.items()
        if key != "ml" and value not in (None, "", [])
    }
    return Execution(part.need("id", int), part.text("callsite"), facts, part.texts("ml"))


def _planned(part: Fields) -> Planned:
    metrics = tuple(
        Metric(
            of.text("node") or "",
            of.take("relation", int),
            _numbers(of, "values"),
            of.text("read"),
            of.text("written"),
            of.texts("topics"),
        )
        for of in part.parts("metrics")
    )
    return Planned(parse_plan(part.part("plan")), metrics)


def _numbers(part: Fields, key: str) -> dict[str, int]:
    found = part.take(key, dict) or {}
    return {name: number for name, number in found.items() if isinstance(number, int)}


def _failure(fields: Fields) -> Failure | None:
    if not fields.value.get("error"):
        return None
    error = fields.part("error")
    return Failure(
        error.text("class") or "unknown", error.text("message") or "", error.text("stack")
    )


def _application_end(fields: Fields, time: int, app: Application) -> Document:
    last = fields.part("last") if fields.value.get("last") else Fields({}, "last")
    return Document(
        kind=APPLICATION_END,
        time=time,
        app=app,
        outcome=last.text("outcome"),
        error=_failure(last),
        exit_code=fields.take("exitCode", int),
        driver=_driver_exit(fields),
        facts={
            key: fields.value[key]
            for key in ("executions", "dropped", "jobsUnseen")
            if fields.value.get(key)
        },
    )


def _driver_exit(fields: Fields) -> DriverExit | None:
    if not fields.value.get("driver"):
        return None
    driver = fields.part("driver")
    outcome = driver.need("outcome", str)
    if outcome not in ("COMPLETE", "FAIL", "ABORT", "UNKNOWN"):
        raise invalid("driver.outcome", "COMPLETE, FAIL, ABORT or UNKNOWN")
    return DriverExit(outcome, _failure(driver))
