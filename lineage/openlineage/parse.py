"""From JSON text to a checked event.

What we read is checked strictly and named by its JSON path; what we do not read is kept as it is.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NoReturn, cast, get_args

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
    Parent,
    RunEvent,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineage.openlineage.events import Name

# Both parts of a key stand in one index entry of the database, which holds 2,704 bytes.
LONGEST_KEY = 2_400

_EVENT_TYPES = frozenset(get_args(EventType))
_NOTHING: Facets = {}

# Text that a database cannot store: U+0000, and halves of surrogate pairs.
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
_SUSPECT = re.compile(r"\\u(?:0000|[dD][89abAB])")


def parse(text: str | bytes) -> Event:
    """Return the event that ``text``, one JSON object, states.

    Raises InvalidEvent, naming the JSON path, where a value that lineage depends on is missing or
    of the wrong kind. Facets that nothing here reads are kept whole.
    """
    event = _loaded(text)
    time = _time(event)
    if event.get("run") is not None:
        return _run_event(event, time)
    if event.get("job") is not None:
        return JobEvent(
            time, _job(event, "job"), _datasets(event, "inputs"), _datasets(event, "outputs")
        )
    if event.get("dataset") is not None:
        return DatasetEvent(time, _dataset(event["dataset"], "dataset"))
    raise InvalidEvent(
        "The event has none of run, job and dataset.",
        "A RunEvent has run and job, a JobEvent has job, a DatasetEvent has dataset.",
    )


def _loaded(text: str | bytes) -> Mapping[str, Any]:
    try:
        decoded = text.decode() if isinstance(text, bytes) else text
        event = _DECODER.decode(decoded.strip())
    except UnicodeDecodeError as error:
        raise InvalidEvent(
            f"The event is not UTF-8: {error.reason} at byte {error.start}."
        ) from error
    except json.JSONDecodeError as error:
        raise InvalidEvent(
            f"The event is not JSON: {error.msg} at line {error.lineno} column {error.colno}."
        ) from error
    except RecursionError as error:
        raise InvalidEvent("The event is nested too deeply.") from error
    except ValueError as error:
        raise InvalidEvent(f"The event is not JSON: {error}.") from error
    if not isinstance(event, dict):
        raise InvalidEvent("The event is not a JSON object.")
    if _SUSPECT.search(decoded):
        return cast("Mapping[str, Any]", _storable(event))
    return event


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"the number {text[:20]} is too large")
    return number


_DECODER = json.JSONDecoder(parse_constant=_no_constant, parse_float=_finite)


def _storable(value: object) -> object:
    """Return ``value`` with U+FFFD in place of characters that PostgreSQL cannot store."""
    if isinstance(value, str):
        return _UNSTORABLE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_storable(item) for item in value]
    if isinstance(value, dict):
        return {_storable(key): _storable(item) for key, item in value.items()}
    return value


def _time(event: Mapping[str, Any]) -> str:
    given = event.get("eventTime")
    if not isinstance(given, str):
        raise InvalidEvent(f"eventTime is {_what(given)}; it must be an ISO 8601 date and time.")
    try:
        return times.normal(given)
    except ValueError as error:
        raise InvalidEvent(f'eventTime "{given[:40]}" {_reason(error)}.') from error


def _reason(error: ValueError) -> str:
    text = str(error)
    return text if text.startswith(("is ", "has ")) else f"is no time: {text}"


def _run_event(event: Mapping[str, Any], time: str) -> RunEvent:
    run = _object(event["run"], "run")
    facets = _facets(run, "facets", "run")
    kind = event.get("eventType")
    if kind is not None and (not isinstance(kind, str) or kind not in _EVENT_TYPES):
        raise InvalidEvent(
            f"eventType is {_what(kind)}; it must be one of {', '.join(get_args(EventType))}."
        )
    return RunEvent(
        time,
        cast("EventType | None", kind),
        _text(run, "runId", "run"),
        facets,
        _parent(facets.get("parent")),
        _job(event, "job"),
        _datasets(event, "inputs"),
        _datasets(event, "outputs"),
    )


def _parent(facet: object) -> Parent | None:
    if facet is None:
        return None
    path = "run.facets.parent"
    facet = _object(facet, path)
    if facet.get("_deleted") is True:
        return None
    run = _object(facet.get("run"), f"{path}.run")
    job = facet.get("job")
    return Parent(
        _text(run, "runId", f"{path}.run"),
        None if job is None else _key(_object(job, f"{path}.job"), f"{path}.job"),
    )


def _job(event: Mapping[str, Any], path: str) -> Job:
    job = _object(event.get(path), path)
    return Job(_key(job, path), _facets(job, "facets", path))


def _datasets(event: Mapping[str, Any], path: str) -> tuple[Dataset, ...]:
    given = event.get(path)
    if not given and given in (None, []):
        return ()
    if not isinstance(given, list):
        raise InvalidEvent(f"{path} is {_what(given)}; it must be a list of datasets.")
    own = "inputFacets" if path == "inputs" else "outputFacets"
    return tuple([_dataset(item, f"{path}[{i}]", own) for i, item in enumerate(given)])


def _dataset(given: object, path: str, own: str | None = None) -> Dataset:
    dataset = _object(given, path)
    key = _key(dataset, path)
    facets = _facets(dataset, "facets", path)
    symlinks = facets.get("symlinks")
    return Dataset(
        key,
        facets,
        _facets(dataset, own, path) if own else _NOTHING,
        _aliases(symlinks, key, f"{path}.facets.symlinks") if symlinks else (),
    )


def _aliases(facet: object, key: Name, path: str) -> tuple[Name, ...]:
    facet = _object(facet, path)
    given = facet.get("identifiers") or []
    if not isinstance(given, list):
        raise InvalidEvent(f"{path}.identifiers is {_what(given)}; it must be a list.")
    keys = [
        _key(_object(item, f"{path}.identifiers[{i}]"), f"{path}.identifiers[{i}]")
        for i, item in enumerate(given)
    ]
    return tuple(dict.fromkeys(alias for alias in keys if alias != key))


def _key(given: Mapping[str, Any], path: str) -> Name:
    namespace = given.get("namespace")
    name = given.get("name")
    if not (isinstance(namespace, str) and isinstance(name, str) and name):
        field = "name" if isinstance(namespace, str) else "namespace"
        raise InvalidEvent(f"{path}.{field} is {_what(given.get(field))}; it must be text.")
    # A character takes at most four bytes: most names need no encoding to be known as short.
    if len(namespace) + len(name) > LONGEST_KEY // 4:
        _check_length(namespace + name, path)
    return namespace, name


def _text(given: Mapping[str, Any], field: str, path: str) -> str:
    value = given.get(field)
    if not isinstance(value, str) or not value:
        raise InvalidEvent(f"{path}.{field} is {_what(value)}; it must be text.")
    _check_length(value, f"{path}.{field}")
    return value


def _check_length(text: str, path: str) -> None:
    if len(text.encode(errors="replace")) > LONGEST_KEY:
        raise InvalidEvent(f"The name at {path} is longer than {LONGEST_KEY} bytes.")


def _facets(holder: Mapping[str, Any], field: str, path: str) -> Facets:
    facets = holder.get(field)
    if facets is None:
        return _NOTHING
    if not isinstance(facets, dict):
        raise InvalidEvent(f"{path}.{field} is {_what(facets)}; it must be an object.")
    return facets


def _object(given: object, path: str) -> Mapping[str, Any]:
    if isinstance(given, dict):
        return given
    raise InvalidEvent(f"{path} is {_what(given)}; it must be an object.")


def _what(value: object) -> str:
    if value is None:
        return "missing"
    if isinstance(value, (bool, int, float)):
        return json.dumps(value)
    if isinstance(value, str):
        return f'"{value[:40]}"' if value else "empty"
    return "a list" if isinstance(value, list) else "an object"
