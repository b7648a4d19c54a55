"""From JSON text to a checked event.

What we read is checked strictly and named by its JSON path. What we do not read, the bodies of
nearly all facets, stays the text it is: it is most of an event, and nobody needs it taken apart.
And what many events say in the same words, their job and datasets, is looked up.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec
from msgspec import Raw, Struct

from lineage.errors import InvalidEvent
from lineage.openlineage import stated, times
from lineage.openlineage.checked import (
    LONGEST_KEY,
    Named,
    Text,
    check_namespaces,
    decoded,
    key,
    short,
)
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
from lineage.openlineage.pieces import MARK, pieces
from lineage.openlineage.storable import has_no_sign, storable

__all__ = ["LONGEST_KEY", "parse", "utf_8"]

_NOTHING: Facets = {}
_NULL = Raw(b"null")


class _Run(Struct, rename="camel"):
    run_id: Text
    facets: dict[str, Raw] | None = None


class _Event(Struct, rename="camel"):
    event_time: str
    event_type: EventType | None = None
    run: _Run | None = None
    job: Raw = _NULL
    dataset: Raw = _NULL
    inputs: list[Raw] | None = None
    outputs: list[Raw] | None = None


class _Left(Struct, rename="camel"):
    """What is left of a run event that was cut into pieces."""

    event_time: str
    run: _Run
    job: str
    inputs: str
    outputs: str
    event_type: EventType | None = None


class _ParentFacet(Struct):
    run: _Run | None = None
    job: Named | None = None
    deleted: Any = msgspec.field(default=None, name="_deleted")


_EVENT = msgspec.json.Decoder(_Event)
_LEFT = msgspec.json.Decoder(_Left)
_PARENT = msgspec.json.Decoder(_ParentFacet)


def parse(text: str | bytes) -> Event:
    """Return the event that ``text``, one JSON object, states.

    Raises InvalidEvent, naming the JSON path, where a value that lineage depends on is missing or
    of the wrong kind. Facets that nothing here reads are kept whole.
    """
    text = utf_8(text)
    try:
        event = in_pieces(text)
    except (InvalidEvent, ValueError, msgspec.DecodeError, RecursionError):
        event = None  # read in whole it tells what is wrong
    return in_whole(text) if event is None else event


def utf_8(text: str | bytes) -> bytes:
    """Return a text in UTF-8. Raises InvalidEvent where it is none."""
    try:
        if isinstance(text, str):
            return text.encode()
        if not text.isascii():
            text.decode()
    except (UnicodeEncodeError, UnicodeDecodeError) as error:
        raise InvalidEvent(f"The event is not UTF-8: {error.reason} at {error.start}.") from error
    return text


def in_pieces(text: bytes) -> RunEvent | None:
    """Return a run event, if it can be read by looking up what others said in the same words."""
    found = pieces(text)
    if found is None:
        return None
    left, job, inputs, outputs = found
    event = _LEFT.decode(left)
    if not (event.job == event.inputs == event.outputs == MARK and has_no_sign(left)):
        return None
    run = event.run
    facets = run.facets or _NOTHING
    return RunEvent(
        times.normal(event.event_time),
        event.event_type,
        short(run.run_id, "run.runId"),
        facets,
        _parent(facets),
        stated.PIECES_OF_JOBS[job],
        stated.PIECES_OF_INPUTS[inputs],
        stated.PIECES_OF_OUTPUTS[outputs],
    )


def in_whole(text: bytes) -> Event:
    """Return any event, or tell what is wrong with it."""
    stored = storable(text)
    if stored is not text and isinstance(loaded := json.loads(text), dict):
        check_namespaces(loaded)  # a NUL is no NUL any more in what is stored
    event = decoded(_EVENT, stored, "")
    time = _time(event.event_time)
    if event.run is not None:
        return _run_event(event, event.run, time)
    if event.job != _NULL:
        return JobEvent(time, _job(event), _inputs(event), _outputs(event))
    if event.dataset != _NULL:
        return DatasetEvent(time, stated.dataset(event.dataset, "dataset"))
    raise InvalidEvent(
        "The event has none of run, job and dataset.",
        "A RunEvent has run and job, a JobEvent has job, a DatasetEvent has dataset.",
    )


def _time(given: str) -> str:
    try:
        return times.normal(given)
    except ValueError as error:
        raise InvalidEvent(f'eventTime "{given[:40]}" {_reason(error)}.') from error


def _reason(error: ValueError) -> str:
    text = str(error)
    return text if text.startswith(("is ", "has ")) else f"is no time: {text}"


def _run_event(event: _Event, run: _Run, time: str) -> RunEvent:
    if event.job == _NULL:
        raise InvalidEvent("job is missing: a RunEvent has run and job.")
    facets = run.facets or _NOTHING
    return RunEvent(
        time,
        event.event_type,
        short(run.run_id, "run.runId"),
        facets,
        _parent(facets),
        _job(event),
        _inputs(event),
        _outputs(event),
    )


def _parent(facets: Facets) -> Parent | None:
    path = "run.facets.parent"
    body = facets.get("parent")
    if body is None or body == _NULL:
        return None
    facet = decoded(_PARENT, body, path)
    if facet.deleted is True:
        return None
    if facet.run is None:
        raise InvalidEvent(f"{path}.run is missing.")
    return Parent(
        short(facet.run.run_id, f"{path}.run.runId"),
        None if facet.job is None else key(facet.job, f"{path}.job"),
    )


def _job(event: _Event) -> Job:
    return stated.JOBS.at(bytes(event.job), "job")


def _inputs(event: _Event) -> tuple[Dataset, ...]:
    return stated.datasets(stated.INPUTS, event.inputs or [], "inputs")


def _outputs(event: _Event) -> tuple[Dataset, ...]:
    return stated.datasets(stated.OUTPUTS, event.outputs or [], "outputs")
