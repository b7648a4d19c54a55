"""From JSON text to a checked event.

What we read is checked strictly and named by its JSON path. What we do not read, the bodies of
nearly all facets, stays the text it is: it is most of an event, and nobody needs it taken apart.
And what many events say in the same words, their job and datasets, is read once.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Raw, Struct

from lineage.errors import InvalidEvent
from lineage.openlineage import times
from lineage.openlineage.events import (
    Dataset,
    DatasetEvent,
    Event,
    EventType,
    Facets,
    Job,
    JobEvent,
    Name,
    Parent,
    RunEvent,
)
from lineage.openlineage.repeated import Repeated
from lineage.openlineage.storable import storable

# Both parts of a key stand in one index entry of the database, which holds 2,704 bytes.
LONGEST_KEY = 2_400

_NOTHING: Facets = {}
_NULL = Raw(b"null")

_Text = Annotated[str, Meta(min_length=1)]
_Facets = dict[str, Raw] | None
_S = TypeVar("_S", bound=Struct)


class _Named(Struct):
    namespace: str
    name: _Text


class _Job(_Named):
    facets: _Facets = None


class _Dataset(_Job, rename="camel"):
    input_facets: _Facets = None
    output_facets: _Facets = None


class _Run(Struct, rename="camel"):
    run_id: _Text
    facets: _Facets = None


class _Event(Struct, rename="camel"):
    event_time: str
    event_type: EventType | None = None
    run: _Run | None = None
    job: Raw = _NULL
    dataset: Raw = _NULL
    inputs: list[Raw] | None = None
    outputs: list[Raw] | None = None


class _ParentFacet(Struct):
    run: _Run | None = None
    job: _Named | None = None
    deleted: Any = msgspec.field(default=None, name="_deleted")


class _SymlinksFacet(Struct):
    identifiers: list[_Named] | None = None


_EVENT = msgspec.json.Decoder(_Event)
_JOB = msgspec.json.Decoder(_Job)
_DATASET = msgspec.json.Decoder(_Dataset)
_PARENT = msgspec.json.Decoder(_ParentFacet)
_SYMLINKS = msgspec.json.Decoder(_SymlinksFacet)


def parse(text: str | bytes) -> Event:
    """Return the event that ``text``, one JSON object, states.

    Raises InvalidEvent, naming the JSON path, where a value that lineage depends on is missing or
    of the wrong kind. Facets that nothing here reads are kept whole.
    """
    event = _decoded(_EVENT, storable(utf_8(text)), "")
    time = _time(event.event_time)
    if event.run is not None:
        return _run_event(event, event.run, time)
    if event.job != _NULL:
        return JobEvent(time, _JOBS(event.job, "job"), _inputs(event), _outputs(event))
    if event.dataset != _NULL:
        return DatasetEvent(time, _stated(event.dataset, "dataset"))
    raise InvalidEvent(
        "The event has none of run, job and dataset.",
        "A RunEvent has run and job, a JobEvent has job, a DatasetEvent has dataset.",
    )


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


def _decoded(decoder: msgspec.json.Decoder[_S], text: bytes | Raw, path: str) -> _S:
    """Return what ``text``, found at ``path`` of an event, says."""
    try:
        return decoder.decode(text)
    except msgspec.ValidationError as error:
        what, _, place = str(error).partition(" - at `$")
        where = f"{path}{place.rstrip('`')}".removeprefix(".") or "The event"
        raise InvalidEvent(f"{where}: {what}.") from error
    except RecursionError as error:
        raise InvalidEvent("The event is nested too deeply.") from error
    except msgspec.DecodeError as error:
        raise InvalidEvent(f"The event is not JSON: {error}.") from error


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
        _short(run.run_id, "run.runId"),
        facets,
        _parent(facets),
        _JOBS(event.job, "job"),
        _inputs(event),
        _outputs(event),
    )


def _parent(facets: Facets) -> Parent | None:
    path = "run.facets.parent"
    body = facets.get("parent", _NULL)
    if body == _NULL:
        return None
    facet = _decoded(_PARENT, body, path)
    if facet.deleted is True:
        return None
    if facet.run is None:
        raise InvalidEvent(f"{path}.run is missing.")
    return Parent(
        _short(facet.run.run_id, f"{path}.run.runId"),
        None if facet.job is None else _key(facet.job, f"{path}.job"),
    )


def _inputs(event: _Event) -> tuple[Dataset, ...]:
    if not event.inputs:
        return ()
    return tuple([_INPUTS(text, f"inputs[{n}]") for n, text in enumerate(event.inputs)])


def _outputs(event: _Event) -> tuple[Dataset, ...]:
    if not event.outputs:
        return ()
    return tuple([_OUTPUTS(text, f"outputs[{n}]") for n, text in enumerate(event.outputs)])


def _job(text: bytes | Raw, path: str) -> Job:
    given = _decoded(_JOB, text, path)
    return Job(_key(given, path), given.facets or _NOTHING)


def _input(text: bytes | Raw, path: str) -> Dataset:
    given = _decoded(_DATASET, text, path)
    return _dataset(given, given.input_facets, path)


def _output(text: bytes | Raw, path: str) -> Dataset:
    given = _decoded(_DATASET, text, path)
    return _dataset(given, given.output_facets, path)


def _stated(text: bytes | Raw, path: str) -> Dataset:
    return _dataset(_decoded(_DATASET, text, path), None, path)


def _dataset(given: _Dataset, own: _Facets, path: str) -> Dataset:
    key = _key(given, path)
    facets = given.facets or _NOTHING
    aliases = _aliases(facets["symlinks"], key, path) if "symlinks" in facets else ()
    return Dataset(key, facets, own or _NOTHING, aliases)


_JOBS = Repeated(_job)
_INPUTS = Repeated(_input)
_OUTPUTS = Repeated(_output)


def _aliases(body: Raw, key: Name, path: str) -> tuple[Name, ...]:
    if body == _NULL:
        return ()
    path = f"{path}.facets.symlinks"
    stated = _decoded(_SYMLINKS, body, path).identifiers or ()
    keys = [_key(given, f"{path}.identifiers[{n}]") for n, given in enumerate(stated)]
    return tuple(dict.fromkeys(alias for alias in keys if alias != key))


def _key(given: _Named, path: str) -> Name:
    # A character takes at most four bytes: most names need no encoding to be known as short.
    if len(given.namespace) + len(given.name) > LONGEST_KEY // 4:
        _short(given.namespace + given.name, path)
    return given.namespace, given.name


def _short(text: str, path: str) -> str:
    if len(text.encode()) > LONGEST_KEY:
        raise InvalidEvent(f"The name at {path} is longer than {LONGEST_KEY} bytes.")
    return text
