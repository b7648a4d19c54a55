"""Conversion of observations: datasets of the run, and facets for all else.

Each observation is converted by itself, because the graph is a function of the set of events; only
a text of SQL is read after those of its run. It is an OTHER event of its run, which changes no
state; a lifecycle is the event of its phase.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from lineage.hub import configuration
from lineage.hub.events import (
    COMPLETE,
    FAIL,
    OTHER,
    RUNNING,
    START,
    Dataset,
    Direction,
    FileIo,
    FileOperation,
    HttpIo,
    Job,
    ParentRun,
    Phase,
    RelationalIo,
    RelationalOperation,
    RunLifecycle,
    Side,
    TransformSchema,
)
from lineage.hub.locations import dataset_at
from lineage.hub.output_facets import (
    LIFECYCLE,
    SOURCES,
    TYPE,
    mode_facets,
    removal_facets,
    source_facet,
)
from lineage.hub.program_names import program_name
from lineage.hub.replaced_outputs import complete_modes
from lineage.hub.sql_sessions import ClientSessions, read_event_tables
from lineage.redaction import is_secret_name, redact_sql, redact_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lineage.hub.events import Column, ContentSchema, Context, LineageEvent, Payload
    from lineage.hub.sql_tables import SqlTables

_EVENT_TYPES = {
    Phase.STARTED: START,
    Phase.FINISHING: RUNNING,
    Phase.FINISHED: COMPLETE,
    Phase.FAILED: FAIL,
}


@dataclass
class Observation:
    """The content of an event of OpenLineage. ``read_tables`` reads its text of SQL.

    ``not_received``: the inputs whose content did not come to the program. ``moved``: files.
    """

    type: str
    job: Job
    parent: ParentRun | None
    run_facets: dict[str, Any]
    inputs: list[Dataset] = field(default_factory=list)
    outputs: list[Dataset] = field(default_factory=list)
    not_received: set[tuple[str, str]] = field(default_factory=set)
    moved: set[tuple[str, str]] = field(default_factory=set)
    read_tables: Callable[[RelationalIo], SqlTables] = field(
        default_factory=lambda: ClientSessions().read_tables
    )


def describe_observation(event: LineageEvent) -> Observation:
    """Return the content of an event. Raises TypeError for a payload of another kind."""
    context = event.context
    described = Observation(
        OTHER, _job_of(context), _parent_of(context), {"lineage_context": _context_facet(context)}
    )
    if context.run_id:
        described.read_tables = partial(read_event_tables, event.id, context.run_id)
    add_payload(described, event.payload)
    if context.run_id:
        described.outputs = complete_modes(context.run_id, described.outputs)
    return described


def add_payload(described: Observation, payload: Payload) -> None:
    """Add the content of a payload. Raises TypeError for a payload of another kind."""
    if isinstance(payload, RunLifecycle):
        _add_lifecycle(described, payload)
    elif isinstance(payload, FileIo):
        _add_file(described, payload)
    elif isinstance(payload, HttpIo):
        _add_request(described, payload)
    elif isinstance(payload, RelationalIo):
        _add_tables(described, payload)
    elif isinstance(payload, TransformSchema):
        _add_schema(described, payload)
    else:
        raise TypeError(f"its payload is {type(payload).__name__}")


def _job_of(context: Context) -> Job:
    names = (context.pipeline, context.workflow, context.transform, context.action)
    name = next(filter(None, names), None) or program_name()
    kind = {
        "processingType": "BATCH",
        "integration": "PYTHON",
        "jobType": context.subject_type.value,
    }
    return Job(configuration.default_namespace(), name, {"jobType": kind})


def _parent_of(context: Context) -> ParentRun | None:
    """Return the workflow that runs the pipeline; the job of any other parent is not known."""
    if context.parent_run_id and context.workflow and context.pipeline:
        job = Job(configuration.default_namespace(), context.workflow)
        return ParentRun(context.parent_run_id, job)
    return None


def _context_facet(context: Context) -> dict[str, Any]:
    facet = {name: value for name, value in asdict(context).items() if value not in (None, {})}
    facet["subject_type"] = context.subject_type.value
    facet["attributes"] = {
        name: redact_text(value) if isinstance(value, str) else value
        for name, value in context.attributes.items()
        if not is_secret_name(name)
    }
    return facet


def _add_lifecycle(described: Observation, payload: RunLifecycle) -> None:
    described.type = _EVENT_TYPES[payload.phase]
    if payload.phase is Phase.FAILED:
        message = redact_text(payload.detail or "The run failed; no message was recorded.")
        described.run_facets["errorMessage"] = {
            "message": message,
            "programmingLanguage": "PYTHON",
        }


def _add_file(described: Observation, payload: FileIo) -> None:
    if not payload.success:
        observed = {"operation": payload.operation.value}
        paths = {"source": payload.source, "target": payload.target}
        observed |= {side: dataset_at(path).name for side, path in paths.items() if path}
        _add_observed(described, "FILE_IO", payload, observed)
        return
    facets = {"schema": _content_facet(payload.schema)} if payload.schema else {}
    source = dataset_at(payload.source) if payload.source else None
    target = dataset_at(payload.target) if payload.target else None
    operation = payload.operation
    if operation in (FileOperation.READ, FileOperation.COPY, FileOperation.MOVE):
        read = replace(_require_dataset(source, "source"), facets=facets, bytes=payload.bytes)
        described.inputs.append(read)
        if operation is FileOperation.MOVE:
            described.moved.add((read.namespace, read.name))
    if operation is FileOperation.DELETE:
        removed = replace(_require_dataset(source, "source"), facets=removal_facets())
        described.outputs.append(removed)
    elif operation is not FileOperation.READ:
        state = _write_facets(payload, source)
        written = replace(
            _require_dataset(target, "target"), facets=facets | state, bytes=payload.bytes
        )
        described.outputs.append(written)


def _require_dataset(dataset: Dataset | None, side: str) -> Dataset:
    if dataset is None:
        raise ValueError(f"its payload has no {side}")
    return dataset


def _write_facets(payload: FileIo, source: Dataset | None) -> dict[str, Any]:
    """Return the kind of the write; a copy and a move have no other source."""
    facets: dict[str, Any] = {LIFECYCLE: {LIFECYCLE: "OVERWRITE"}}
    if payload.append:
        facets = {} if payload.operation is FileOperation.MOVE else mode_facets("append")
    if source and payload.operation in (FileOperation.COPY, FileOperation.MOVE):
        facets[SOURCES] = source_facet((source.namespace, source.name))
    if source and payload.operation is FileOperation.MOVE:
        facets |= _rename_facets(source)
    return facets


def _rename_facets(source: Dataset) -> dict[str, Any]:
    previous = {"namespace": source.namespace, "name": source.name}
    return {
        LIFECYCLE: {LIFECYCLE: "RENAME", "previousIdentifier": previous},
        SOURCES: source_facet((source.namespace, source.name)),
    }


def _content_facet(schema: ContentSchema) -> dict[str, Any]:
    facet: dict[str, Any] = {"fields": _fields_of(schema.columns)}
    if schema.roots:
        facet["roots"] = [asdict(root) for root in schema.roots]
    return facet


def _fields_of(columns: Iterable[Column]) -> list[dict[str, Any]]:
    return [
        {name: value for name, value in asdict(column).items() if value is not None}
        for column in columns
    ]


def _add_request(described: Observation, payload: HttpIo) -> None:
    """Add an input for a request that only reads. A POST may read or write: the run states it."""
    is_read = payload.direction is Direction.CLIENT and payload.method.upper() in ("GET", "HEAD")
    answered = payload.status is not None and 200 <= payload.status < 400
    resource = dataset_at(payload.url)
    if is_read and answered and payload.success:
        described.inputs.append(replace(resource, bytes=payload.response_bytes))
    observed = {
        "direction": payload.direction.value,
        "method": payload.method.upper(),
        "url": f"{resource.namespace}{resource.name}",
        "status": payload.status,
        "request_bytes": payload.request_bytes,
        "response_bytes": payload.response_bytes,
        "duration_ms": payload.duration_ms,
    }
    _add_observed(described, "HTTP_IO", payload, observed)


def _add_tables(described: Observation, payload: RelationalIo) -> None:
    payload = _with_plain_values(payload)
    if payload.sql:
        facets = {**described.job.facets, "sql": {"query": redact_sql(payload.sql)}}
        described.job = replace(described.job, facets=facets)
    observed: dict[str, Any] = {
        "operation": payload.operation.value,
        "namespace": payload.namespace,
    }
    if payload.sql and payload.success and not (payload.inputs or payload.outputs):
        _add_tables_of_sql(described, payload, observed)
        return
    if not payload.success or not (payload.inputs or payload.outputs):
        _add_observed(described, "RELATIONAL_IO", payload, observed)
    if payload.success:
        schema = {"schema": {"fields": _fields_of(payload.columns)}} if payload.columns else {}
        is_read = payload.operation is RelationalOperation.READ
        inputs, outputs = (schema, {}) if is_read else ({}, schema)
        described.inputs += [_name_table(payload, name, inputs) for name in payload.inputs]
        described.outputs += [_name_table(payload, name, outputs) for name in payload.outputs]


def _with_plain_values(payload: RelationalIo) -> RelationalIo:
    """Return a payload whose SQL is a text: that of psycopg2 is bytes, of SQLAlchemy an object."""
    for names in (payload.inputs, payload.outputs):
        if isinstance(names, str | bytes):
            text = names.decode(errors="replace") if isinstance(names, bytes) else names
            raise TypeError(f'"{redact_sql(text)}" is one name, and should be a tuple of names')
    sql: object = payload.sql
    if sql is None or isinstance(sql, str):
        return payload
    return replace(
        payload, sql=sql.decode(errors="replace") if isinstance(sql, bytes) else str(sql)
    )


def _add_tables_of_sql(
    described: Observation, payload: RelationalIo, observed: dict[str, Any]
) -> None:
    """Add the tables of the text. Each output has the sources of its own statements."""
    tables = described.read_tables(payload)
    for name in tables.inputs:
        read = _name_table(payload, name, {})
        described.inputs.append(read)
        if name not in tables.received:
            described.not_received.add((read.namespace, read.name))
    for name, sources in tables.outputs.items():
        of_output = [_name_table(payload, source, {}) for source in sources]
        only = source_facet(
            *((each.namespace, each.name) for each in of_output),
            with_inputs=name in tables.from_client,
        )
        kind = mode_facets(tables.modes.get(name, ""))
        if name in tables.views:
            kind[TYPE] = {"datasetType": "VIEW"}
        described.outputs.append(_name_table(payload, name, {SOURCES: only, **kind}))
    for name in tables.drops:
        described.outputs.append(_name_table(payload, name, removal_facets()))
    for old, new in tables.renames:
        source = _name_table(payload, old, {})
        described.inputs.append(source)
        if old not in tables.received:
            described.not_received.add((source.namespace, source.name))
        described.outputs.append(_name_table(payload, new, _rename_facets(source)))
    if tables.unresolved or not (described.inputs or described.outputs):
        if tables.unresolved:
            observed["unresolved"] = tables.unresolved
        _add_observed(described, "RELATIONAL_IO", payload, observed)


def _name_table(payload: RelationalIo, name: str, facets: dict[str, Any]) -> Dataset:
    """Return a table, whose name is completed by the default schema and catalog."""
    if payload.schema and "." not in name:
        name = f"{payload.schema}.{name}"
    if payload.catalog and name.count(".") == 1:
        name = f"{payload.catalog}.{name}"
    return Dataset(payload.namespace, name, facets)


def _add_schema(described: Observation, payload: TransformSchema) -> None:
    fields = _fields_of(payload.fields)
    if payload.dataset is None:
        schema = {"side": payload.side.value, "source": payload.source.value, "fields": fields}
        described.run_facets["lineage_transform_schema"] = schema
        return
    side = described.inputs if payload.side is Side.INPUT else described.outputs
    facets = {**payload.dataset.facets, "schema": {"fields": fields}}
    side.append(replace(payload.dataset, facets=facets))


def _add_observed(
    described: Observation,
    kind: str,
    payload: FileIo | HttpIo | RelationalIo,
    observed: dict[str, Any],
) -> None:
    """Add an item that is not a dataset of the run."""
    known = {name: value for name, value in observed.items() if value is not None}
    message = {"message": redact_text(payload.message)} if payload.message else {}
    described.run_facets["lineage_observed"] = {
        "items": [{"kind": kind, "success": payload.success, **known, **message}]
    }
