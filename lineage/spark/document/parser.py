"""The parser of plan documents: from a line of a spool to validated, frozen records."""

from __future__ import annotations

import json
import re
from typing import Any
from uuid import UUID

from lineage.errors import InvalidEvent
from lineage.spark.document.document import (
    APPLICATION_END,
    APPLICATION_START,
    EXECUTION_END,
    KINDS,
    QUERIES,
    QUERY_END,
    QUERY_START,
    VERSION,
    Application,
    Document,
    DriverExit,
    Execution,
    Failure,
    Manifest,
    Metric,
    Models,
    Planned,
    SourceProgress,
    StreamingQuery,
)
from lineage.spark.document.json_fields import Fields, invalid_field
from lineage.spark.document.parent_run import read_parents
from lineage.spark.document.plan import parse_plan

# The beginning of a plan document; no event begins like this.
_BEGINNING = re.compile(rb"""\s*\{\s*"lineage"\s*:""")


def is_plan_document(beginning: bytes) -> bool:
    """Return whether a line or a file with this beginning is a plan document, of a spool."""
    return _BEGINNING.match(beginning) is not None


def parse_document(text: str | bytes) -> Document:
    """Parse one line; raise InvalidEvent if it is not JSON or not a plan document."""
    try:
        raw = json.loads(text)
    except ValueError as error:
        raise InvalidEvent(f"The plan document is not JSON: {error}.") from error
    return read_document(raw)


def read_document(raw: Any) -> Document:
    """Build a document from parsed JSON; raise InvalidEvent with the name of an invalid field."""
    fields = Fields(raw, "")
    version = fields.require("lineage", int)
    if version != VERSION:
        raise InvalidEvent(
            f"This plan document has format {version}; this version reads format {VERSION}.",
            "Convert it with the version of Lineage that contains its listener.",
        )
    kind = fields.require("kind", str)
    if kind not in KINDS:
        raise invalid_field("kind", "one of " + ", ".join(KINDS))
    time, app = fields.require("time", int), _read_application(fields.get_part("app"))
    if kind == APPLICATION_START:
        return Document(kind, time, app)
    if kind == APPLICATION_END:
        return _application_end(fields, time, app)
    if kind in QUERIES:
        return _read_query(fields, kind, time, app)
    return _read_execution(fields, kind, time, app)


def _read_application(app: Fields) -> Application:
    keys = ("run", "name", "namespace", "parent", "settings", "conf")
    settings = app.get_strings("settings")
    return Application(
        run=_read_uuid(app, "run"),
        name=app.get_text("name") or "unknown",
        namespace=app.get_text("namespace") or "default",
        host=app.get_text("host"),
        spark=app.get_text("spark"),
        listener=app.get_text("listener"),
        facts={key: app.value[key] for key in app.value if key not in keys},
        conf=app.get_strings("conf"),
        settings=settings,
        parents=read_parents(app.get_optional("parent", dict) or {}, settings),
    )


def _read_uuid(part: Fields, key: str) -> str:
    try:
        return str(UUID(part.require(key, str)))
    except ValueError:
        raise invalid_field(part.path_of(key), "a UUID") from None


def _read_execution(fields: Fields, kind: str, time: int, app: Application) -> Document:
    duration = fields.get_optional("durationMs", int)
    outcome = fields.get_text("outcome")
    if kind == EXECUTION_END and outcome not in ("COMPLETE", "FAIL"):
        raise invalid_field("outcome", "COMPLETE or FAIL")
    return Document(
        kind=kind,
        time=time,
        app=app,
        execution=_execution_facts(fields.get_part("execution")),
        main=_read_plan(fields) if fields.value.get("plan") else None,
        attempted=parse_plan(fields.get_part("attempted"))
        if fields.value.get("attempted")
        else None,
        nested=tuple(
            _read_plan(part) for part in fields.get_parts("nested") if part.value.get("plan")
        ),
        sql=fields.get_text("sql"),
        outcome=outcome,
        started=time - (duration or 0),
        nested_lost=fields.get_optional("nestedLost", int) or 0,
        hides_variables=fields.get_optional("hidesVariables", bool) or False,
        variables_in_values=fields.get_optional("variablesInValues", bool) or False,
        error=_read_failure(fields),
        models=_read_models(fields.get_part("models")) if fields.value.get("models") else None,
    )


def _read_models(part: Fields) -> Models:
    origins = tuple(
        (of.get_texts("ml"), parse_plan(of.get_part("plan"))) for of in part.get_parts("origins")
    )
    return Models(origins, part.value.get("complete") is True)


def _read_query(fields: Fields, kind: str, time: int, app: Application) -> Document:
    outcome, started = fields.get_text("outcome"), fields.get_part("started")
    if kind == QUERY_END and outcome not in ("COMPLETE", "FAIL", "ABORT"):
        raise invalid_field("outcome", "COMPLETE, FAIL or ABORT")
    query = _query_facts(fields.get_part("query"), fields.get_part("progress"))
    return Document(
        kind=kind,
        time=time,
        app=app,
        query=query,
        main=_read_plan(fields) if fields.value.get("plan") else None,
        nested=tuple(
            _read_plan(part) for part in fields.get_parts("nested") if part.value.get("plan")
        ),
        outcome=outcome,
        started=started.require("time", int),
        announced=kind == QUERY_START or started.value.get("plan") is True or bool(query.name),
        nested_lost=fields.get_optional("nestedLost", int) or 0,
        error=_read_failure(fields),
    )


def _query_facts(query: Fields, progress: Fields) -> StreamingQuery:
    keys = ("id", "name", "checkpoint", "outputMode", "trigger")
    options = query.get_strings("options")
    return StreamingQuery(
        run=_read_uuid(query, "run"),
        name=query.get_text("name"),
        options={key.lower(): options[key] for key in options},
        batches=progress.get_optional("batches", int) or 0,
        sources=tuple(
            SourceProgress(source.get_optional("rows", int) or 0, source.get_texts("topics"))
            for source in progress.get_parts("sources")
        ),
        rows_written=progress.get_optional("rowsWritten", int),
        facts={key: query.value[key] for key in keys if query.value.get(key)} | progress.value,
    )


def _execution_facts(part: Fields) -> Execution:
    facts = {
        key: value
        for key, value in part.value.items()
        if key != "ml" and value not in (None, "", [])
    }
    return Execution(
        part.require("id", int), part.get_text("callsite"), facts, part.get_texts("ml")
    )


def _read_plan(part: Fields) -> Planned:
    metrics = tuple(
        Metric(
            of.get_text("node") or "",
            of.get_optional("relation", int),
            _read_numbers(of, "values"),
            of.get_text("read"),
            of.get_text("written"),
            of.get_texts("topics"),
            _read_manifest(of.get_part("manifest")) if of.value.get("manifest") else None,
            of.get_optional("readAt", int),
        )
        for of in part.get_parts("metrics")
    )
    return Planned(parse_plan(part.get_part("plan")), metrics)


def _read_manifest(part: Fields) -> Manifest:
    if omitted := part.get_text("omitted"):
        return Manifest(omitted=omitted)
    return Manifest(
        files=part.require("files", int),
        bytes=part.require("bytes", int),
        newest=part.get_optional("newest", int),
        digest=part.require("digest", str),
    )


def _read_numbers(part: Fields, key: str) -> dict[str, int]:
    numbers = part.get_optional(key, dict) or {}
    return {name: number for name, number in numbers.items() if isinstance(number, int)}


def _read_failure(fields: Fields) -> Failure | None:
    if not fields.value.get("error"):
        return None
    error = fields.get_part("error")
    return Failure(
        error.get_text("class") or "unknown",
        error.get_text("message") or "",
        error.get_text("stack"),
    )


def _application_end(fields: Fields, time: int, app: Application) -> Document:
    last = fields.get_part("last") if fields.value.get("last") else Fields({}, "last")
    return Document(
        kind=APPLICATION_END,
        time=time,
        app=app,
        outcome=last.get_text("outcome"),
        error=_read_failure(last),
        exit_code=fields.get_optional("exitCode", int),
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
    driver = fields.get_part("driver")
    outcome = driver.require("outcome", str)
    if outcome not in ("COMPLETE", "FAIL", "ABORT", "UNKNOWN"):
        raise invalid_field("driver.outcome", "COMPLETE, FAIL, ABORT or UNKNOWN")
    return DriverExit(outcome, _read_failure(driver))
