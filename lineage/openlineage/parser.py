"""Parse JSON text into a validated event.

The fields that are used are validated strictly, and errors name their JSON path. The other fields,
the bodies of nearly all facets, remain text: they are most of an event and are not needed in parsed
form. Jobs and datasets that many events contain in the same text are cached.
"""

from __future__ import annotations

from typing import Any, get_args

import msgspec
from msgspec import Raw, Struct

from lineage.errors import InvalidEvent
from lineage.openlineage import entities, timestamps
from lineage.openlineage.asset_facets import AssetFacets, asset_facets
from lineage.openlineage.events import (
    Dataset,
    DatasetEvent,
    Event,
    EventType,
    Facets,
    Job,
    JobEvent,
    Parent,
    RunEvent,
)
from lineage.openlineage.fragments import MARK, split_event
from lineage.openlineage.jsonb import find_lost, has_no_sign, parse_json, replace_unstorable
from lineage.openlineage.long_names import MAX_KEY_BYTES
from lineage.openlineage.validation import (
    NULL,
    Named,
    OddNamespace,
    Text,
    check_namespaces,
    decode_at,
    decode_members,
    report_shortened,
    shorten_text,
    validate_key,
)

__all__ = ["MAX_KEY_BYTES", "encode_utf_8", "parse_event"]

_NOTHING: Facets = {}
# Maximum number of reported paths of invalid numbers.
_MAX_REPORTED_PATHS = 20


class _Run(Struct, rename="camel"):
    run_id: Text
    facets: dict[str, Raw] | None = None


class _LooseRun(Struct, rename="camel"):
    run_id: Text
    facets: Raw = NULL


class _Event(Struct, rename="camel"):
    event_time: str
    event_type: Raw = NULL
    run: Raw = NULL
    job: Raw = NULL
    dataset: Raw = NULL
    inputs: Raw = NULL
    outputs: Raw = NULL


class _Left(Struct, rename="camel"):
    """The rest of a run event that was split into fragments."""

    event_time: str
    run: _Run
    job: str
    inputs: str
    outputs: str
    event_type: EventType | None = None


class _ParentFacet(Struct):
    run: _Run | None = None
    job: Raw = NULL
    deleted: Any = msgspec.field(default=None, name="_deleted")


_EVENT = msgspec.json.Decoder(_Event)
_LEFT = msgspec.json.Decoder(_Left)
_RUN = msgspec.json.Decoder(_LooseRun)
_PARENT = msgspec.json.Decoder(_ParentFacet)
_NAMED = msgspec.json.Decoder(Named)
_TYPE = msgspec.json.Decoder(str)
_LIST = msgspec.json.Decoder(list[Raw])
_TYPES: dict[str, EventType] = {each: each for each in get_args(EventType)}


def parse_event(text: str | bytes) -> Event:
    """Parse ``text``, one JSON object, into an event.

    Raises InvalidEvent with the JSON path if the time, the job, the run, or the dataset of a
    DatasetEvent cannot be read. Other unreadable parts are omitted, and their paths are added to
    ``omitted``. Facets that are not used here are stored unchanged.
    """
    text = encode_utf_8(text)
    try:
        event = in_pieces(text)
    except (InvalidEvent, ValueError, msgspec.DecodeError, RecursionError):
        event = None  # parsing the whole text reports the error
    return in_whole(text) if event is None else event


def encode_utf_8(text: str | bytes) -> bytes:
    """Encode a text in UTF-8. Raises InvalidEvent if it is not UTF-8."""
    try:
        if isinstance(text, str):
            return text.encode()
        if not text.isascii():
            text.decode()
    except (UnicodeEncodeError, UnicodeDecodeError) as error:
        raise InvalidEvent(f"The event is not UTF-8: {error.reason} at {error.start}.") from error
    return text


def in_pieces(text: bytes) -> RunEvent | None:
    """Parse a run event by cached fragments; return None if that is not possible."""
    fragments = split_event(text)
    if fragments is None:
        return None
    left, job, inputs, outputs = fragments
    event = _LEFT.decode(left)
    if not (event.job == event.inputs == event.outputs == MARK and has_no_sign(left)):
        return None
    run = event.run
    facets = run.facets or _NOTHING
    omitted: list[str] = []
    parent = _read_parent(facets, omitted)
    if omitted or len(run.run_id) > MAX_KEY_BYTES // 4:
        return None
    return RunEvent(
        timestamps.normalize_time(event.event_time),
        event.event_type,
        run.run_id,
        facets,
        parent,
        entities.PIECES_OF_JOBS[job],
        entities.PIECES_OF_INPUTS[inputs],
        entities.PIECES_OF_OUTPUTS[outputs],
    )


def in_whole(text: bytes) -> Event:
    """Parse any event; raise InvalidEvent if it is invalid."""
    stored = replace_unstorable(text)
    if stored is not text and isinstance(loaded := parse_json(text), dict):
        check_namespaces(loaded)  # in ``stored``, NUL is already replaced
    event = decode_at(_EVENT, stored, "")
    omitted = [
        f"{path}: the number cannot be stored" for path in find_lost(text, _MAX_REPORTED_PATHS)
    ]
    time = _read_time(event.event_time, omitted)
    if event.run != NULL:
        return _run_event(event, time, omitted)
    if event.job != NULL:
        job, inputs, outputs = (
            _read_job(event),
            _read_inputs(event, omitted),
            _read_outputs(event, omitted),
        )
        assets = _read_assets(job.facets, "job.facets", omitted)
        return JobEvent(time, job, inputs, outputs, tuple(omitted), assets)
    if event.dataset != NULL:
        dataset = entities.read_dataset(event.dataset, "dataset")
        assets = _read_assets(dataset.facets, "dataset.facets", omitted)
        return DatasetEvent(time, dataset, tuple(omitted), assets)
    raise InvalidEvent(
        "The event has none of run, job and dataset.",
        "A RunEvent has run and job, a JobEvent has job, a DatasetEvent has dataset.",
    )


def _read_assets(facets: Facets, path: str, omitted: list[str]) -> AssetFacets | None:
    """Return the facets of graph models; add their unreadable parts to ``omitted``."""
    assets = asset_facets(facets)
    if assets:
        omitted += [f"{path}.{each}" for each in assets.omitted]
    return assets


def _read_time(text: str, omitted: list[str]) -> str:
    try:
        time = timestamps.of_event(text)
    except ValueError as error:
        raise InvalidEvent(f'eventTime "{text[:40]}" {error}.') from error
    if timestamps.is_date(text):
        omitted.append("eventTime: a date alone; 00:00 UTC is used")
    return time


def _run_event(event: _Event, time: str, omitted: list[str]) -> RunEvent:
    if event.job == NULL:
        raise InvalidEvent("job is missing: a RunEvent has run and job.")
    run = decode_at(_RUN, bytes(event.run), "run")  # a copy, because facets are views
    facets = decode_members(run.facets, "run.facets", omitted)
    run_id = _run_id(run.run_id, "run", omitted)
    return RunEvent(
        time,
        _read_event_type(event.event_type, omitted),
        run_id,
        facets,
        _read_parent(facets, omitted),
        _read_job(event),
        _read_inputs(event, omitted),
        _read_outputs(event, omitted),
        tuple(omitted),
    )


def _read_event_type(raw: Raw, omitted: list[str]) -> EventType | None:
    if raw == NULL:
        return None
    try:
        return _TYPES[_TYPE.decode(raw).upper()]
    except (KeyError, msgspec.MsgspecError):
        omitted.append(f"eventType: not one of {', '.join(_TYPES)}")
        return None


def _read_parent(facets: Facets, omitted: list[str]) -> Parent | None:
    """Return the parent in a facet. If its job is unreadable, the parent has its run alone."""
    path = "run.facets.parent"
    body = facets.get("parent")
    if body is None or body == NULL:
        return None
    try:
        facet = decode_at(_PARENT, body, path)
        if facet.deleted is True:
            return None
        if facet.run is None:
            raise InvalidEvent(f"{path}.run is missing.")
    except InvalidEvent as error:
        omitted.append(error.message)
        return None
    try:
        job = None if facet.job == NULL else decode_at(_NAMED, facet.job, f"{path}.job")
        key_of_job = None if job is None else validate_key(job, f"{path}.job")
        if job is not None and key_of_job is not None:
            omitted += [f"{path}.job: {each}" for each in report_shortened(job, key_of_job)]
    except OddNamespace:
        raise
    except InvalidEvent as error:
        omitted.append(error.message)
        key_of_job = None
    return Parent(_run_id(facet.run.run_id, f"{path}.run", omitted), key_of_job)


def _run_id(text: str, path: str, omitted: list[str]) -> str:
    run_id = shorten_text(text)
    if run_id != text:
        omitted.append(f"{path}.runId: of more than {MAX_KEY_BYTES} bytes; it is shortened")
    return run_id


def _read_job(event: _Event) -> Job:
    return entities.JOBS.parse_at(bytes(event.job), "job")


def _read_inputs(event: _Event, omitted: list[str]) -> tuple[Dataset, ...]:
    return entities.read_readable_datasets(
        entities.INPUTS, _read_list(event.inputs, "inputs", omitted), "inputs", omitted
    )


def _read_outputs(event: _Event, omitted: list[str]) -> tuple[Dataset, ...]:
    texts = _read_list(event.outputs, "outputs", omitted)
    return entities.read_readable_datasets(entities.OUTPUTS, texts, "outputs", omitted)


def _read_list(raw: Raw, path: str, omitted: list[str]) -> list[Raw]:
    if raw == NULL:
        return []
    try:
        return _LIST.decode(raw)
    except msgspec.MsgspecError:
        omitted.append(f"{path}: Expected `array`.")
        return []
