"""Checks of what is read from JSON text; each tells the JSON path of what is wrong."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Raw, Struct

from lineage.errors import InvalidEvent

if TYPE_CHECKING:
    from lineage.openlineage.events import Name

# Both parts of a key stand in one index entry of the database, which holds 2,704 bytes.
LONGEST_KEY = 2_400

_NOT_IN_NAMESPACES = re.compile("[\0\n\r]")

Text = Annotated[str, Meta(min_length=1)]
T = TypeVar("T")


class Named(Struct):
    """What has a key."""

    namespace: str
    name: Text


def decoded(decoder: msgspec.json.Decoder[T], text: bytes | Raw, path: str) -> T:
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


def key(given: Named, path: str) -> Name:
    """Return a key, which is not too long, and whose namespace is one line."""
    check_namespace(given.namespace, path)
    # A character takes at most four bytes: most names need no encoding to be known as short.
    if len(given.namespace) + len(given.name) > LONGEST_KEY // 4:
        short(given.namespace + given.name, path)
    return given.namespace, given.name


def check_namespace(namespace: str, path: str) -> None:
    """Raise InvalidEvent for a namespace that would break the line that it stands in."""
    if odd := _NOT_IN_NAMESPACES.search(namespace):
        raise InvalidEvent(
            f"{path}.namespace has the character U+{ord(odd[0]):04X}.",
            "A namespace has no line break and no NUL.",
        )


def check_namespaces(event: Any) -> None:
    """Check the namespaces of an event before characters are replaced that cannot be stored."""
    places = [("job", event.get("job")), ("dataset", event.get("dataset"))]
    for side in ("inputs", "outputs"):
        items = event.get(side)
        places += [(f"{side}[{n}]", item) for n, item in enumerate(_list(items))]
    for path, place in places[:]:
        identifiers = _at(place, "facets", "symlinks", "identifiers")
        where = f"{path}.facets.symlinks.identifiers"
        places += [(f"{where}[{n}]", alias) for n, alias in enumerate(_list(identifiers))]
    parent = "run.facets.parent.job"
    for path, place in [*places, (parent, _at(event, *parent.split(".")))]:
        if isinstance(namespace := _at(place, "namespace"), str):
            check_namespace(namespace, path)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _at(value: Any, *keys: str) -> Any:
    for each in keys:
        value = value.get(each) if isinstance(value, dict) else None
    return value


def short(text: str, path: str) -> str:
    """Return a name, which is not too long."""
    if len(text) > LONGEST_KEY // 4 and len(text.encode()) > LONGEST_KEY:
        raise InvalidEvent(f"The name at {path} is longer than {LONGEST_KEY} bytes.")
    return text
