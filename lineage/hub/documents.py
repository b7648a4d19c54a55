"""Convert events to documents of OpenLineage, in the thread of a sink."""

from __future__ import annotations

import json
import uuid
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Literal

from lineage.hub.events import LineageEvent, RunEvent
from lineage.hub.observations import describe_observation
from lineage.hub.output_facets import WRITE_MODE
from lineage.hub.report import Rejected
from lineage.openlineage.timestamps import of_datetime
from lineage.openlineage.written_events import build_event, complete_facets
from lineage.redaction import redact_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lineage.hub.events import Dataset, Job, ParentRun

Document = dict[str, Any]


def to_openlineage(events: Iterable[LineageEvent | RunEvent | Document]) -> list[Document]:
    """Convert events to documents of OpenLineage. Raises Rejected for the first that is invalid."""
    return list(map(to_document, events))


def to_document(event: LineageEvent | RunEvent | Document) -> Document:
    """Convert one event; a document is returned as it is. Raises Rejected."""
    if isinstance(event, dict):
        return event
    try:
        if isinstance(event, RunEvent):
            return _run_document(event)
        return _observed_document(event)
    except (AttributeError, TypeError, ValueError, OverflowError, OSError) as error:
        raise Rejected(event, f"the event cannot be converted: {error}") from error


def prepare_event(event: Any) -> LineageEvent | RunEvent | Document:
    """Convert an emitted event for sinks: JSON and foreign events become documents.

    Raises Rejected.
    """
    if isinstance(event, LineageEvent | RunEvent | dict):
        return event
    try:
        if isinstance(event, str | bytes):
            document = json.loads(event)
        else:
            from openlineage.client.serde import Serde

            document = Serde.to_dict(event)
    except (ValueError, RecursionError, TypeError, AttributeError) as error:
        raise Rejected(event, f"the event is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise Rejected(event, "the event is not a JSON object")
    return document


def encode_document(event: LineageEvent | RunEvent | Document) -> bytes:
    """Return the event as one line of JSON, without a line end. Raises Rejected."""
    try:
        return json.dumps(to_document(event), separators=(",", ":"), allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise Rejected(event, f"the event cannot be written as JSON: {error}") from error


def run_uuid(run_id: str) -> str:
    """Return ``run_id`` if it is a UUID, else a UUIDv5 of it."""
    try:
        return str(uuid.UUID(run_id))
    except ValueError:
        return str(uuid.uuid5(uuid.NAMESPACE_URL, f"urn:lineage-age:run:{run_id}"))


def _run_document(event: RunEvent) -> Document:
    run = event.run
    facets = dict(run.facets)
    if run.parent:
        facets["parent"] = _parent_facet(run.parent)
    if event.error is not None:
        message = {"message": redact_text(event.error), "programmingLanguage": "PYTHON"}
        facets["errorMessage"] = message
    return _build_document(
        event.type,
        event.timestamp,
        {"runId": run_uuid(run.run_id), "facets": complete_facets(facets, "run")},
        event.job,
        inputs=[_input_dataset(each) for each in event.inputs],
        outputs=[_output_dataset(each) for each in event.outputs],
    )


def _observed_document(event: LineageEvent) -> Document:
    observation = describe_observation(event)
    facets = dict(observation.run_facets)
    if observation.parent:
        facets["parent"] = _parent_facet(observation.parent)
    run_id = run_uuid(event.context.run_id or event.id)
    return _build_document(
        observation.type,
        event.timestamp,
        {"runId": run_id, "facets": complete_facets(facets, "run")},
        observation.job,
        inputs=[_input_dataset(each) for each in observation.inputs],
        outputs=[_output_dataset(each) for each in observation.outputs],
    )


def _build_document(
    type: str, timestamp: float, run: Mapping[str, Any], job: Job, **datasets: list[Document]
) -> Document:
    described = {
        "namespace": _require_text(job.namespace, "the namespace of the job"),
        "name": _require_text(job.name, "the name of the job"),
        "facets": complete_facets(job.facets, "job"),
    }
    time = of_datetime(datetime.fromtimestamp(timestamp, timezone.utc))
    parts: Document = {"eventType": type, "run": run, "job": described, **datasets}
    return build_event("RunEvent", time, **parts)


def _require_text(text: str, subject: str) -> str:
    if not isinstance(text, str) or not text:
        raise ValueError(f"{subject} is {text!r}")
    return text


def _plain_dataset(dataset: Dataset) -> Document:
    return {
        "namespace": _require_text(dataset.namespace, "the namespace of a dataset"),
        "name": _require_text(dataset.name, "the name of a dataset"),
        "facets": complete_facets(dataset.facets, "dataset"),
    }


def _input_dataset(dataset: Dataset) -> Document:
    counts = {"rowCount": dataset.rows, "size": dataset.bytes}
    return _plain_dataset(dataset) | _statistics_facet("input", counts)


def _output_dataset(dataset: Dataset) -> Document:
    counts = {"rowCount": dataset.rows, "size": dataset.bytes}
    document = _plain_dataset(dataset) | _statistics_facet("output", counts)
    if WRITE_MODE in dataset.facets:  # it is of this write, and not of the dataset
        mode = {WRITE_MODE: document["facets"].pop(WRITE_MODE)}
        document["outputFacets"] = {**document.get("outputFacets", {}), **mode}
    return document


def _statistics_facet(
    side: Literal["input", "output"], counts: Mapping[str, int | None]
) -> Document:
    known = {name: int(count) for name, count in counts.items() if count is not None}
    if not known:
        return {}
    return {f"{side}Facets": complete_facets({f"{side}Statistics": known}, side)}


def _parent_facet(parent: ParentRun) -> Document:
    root = parent.root or parent
    return {**_job_run(parent), "root": _job_run(root)}


def _job_run(run: ParentRun) -> Document:
    return {
        "run": {"runId": run_uuid(run.run_id)},
        "job": {"namespace": run.job.namespace, "name": run.job.name},
    }
