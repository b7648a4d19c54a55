"""Validate parts of JSON text; errors name the JSON path."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Raw, Struct

from lineage.errors import InvalidEvent
from lineage.openlineage.long_names import MAX_KEY_BYTES, shorten_key, shorten_name

if TYPE_CHECKING:
    from lineage.openlineage.events import Name

_NOT_IN_NAMESPACES = re.compile("[\0\n\r]")

Text = Annotated[str, Meta(min_length=1)]
T = TypeVar("T")
NULL = Raw(b"null")
_OBJECT = msgspec.json.Decoder(dict[str, Raw])


class OddNamespace(InvalidEvent):
    """The namespace contains a line break or NUL; the whole event is rejected."""


class Named(Struct):
    """An object with a namespace and a name."""

    namespace: str
    name: Text


def decode_at(decoder: msgspec.json.Decoder[T], text: bytes | Raw, path: str) -> T:
    """Decode ``text``, which is at ``path`` of an event. Raises InvalidEvent with the path."""
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


def validate_key(named: Named, path: str) -> Name:
    """Return the key, shortened if it is too long. Raises OddNamespace as check_namespace."""
    check_namespace(named.namespace, path)
    # A character has at most four bytes: most names are short enough without being encoded.
    if len(named.namespace) + len(named.name) > MAX_KEY_BYTES // 4:
        return shorten_key(named.namespace, named.name)
    return named.namespace, named.name


def report_shortened(named: Named, name: Name) -> tuple[str, ...]:
    """Return a message if the key was shortened to ``name``."""
    if name == (named.namespace, named.name):
        return ()
    return (f"a name of more than {MAX_KEY_BYTES} bytes is shortened: it ends in {name[1][-33:]}",)


def decode_members(body: Raw, path: str, omitted: list[str]) -> dict[str, Raw]:
    """Return the members of an object; if it is not an object, add an error to ``omitted``."""
    if body == NULL:
        return {}
    try:
        return _OBJECT.decode(body)
    except msgspec.MsgspecError:
        omitted.append(f"{path}: Expected `object`.")
        return {}


def check_namespace(namespace: str, path: str) -> None:
    """Raise OddNamespace if the namespace contains a line break or NUL."""
    if odd := _NOT_IN_NAMESPACES.search(namespace):
        raise OddNamespace(
            f"{path}.namespace has the character U+{ord(odd[0]):04X}.",
            "A namespace has no line break and no NUL.",
        )


def check_namespaces(event: Any) -> None:
    """Check the namespaces of an event before unstorable characters in it are replaced."""
    places = [("job", event.get("job")), ("dataset", event.get("dataset"))]
    for side in ("inputs", "outputs"):
        items = event.get(side)
        places += [(f"{side}[{n}]", item) for n, item in enumerate(_as_list(items))]
    for path, place in places[:]:
        identifiers = _location_of(place, "facets", "symlinks", "identifiers")
        where = f"{path}.facets.symlinks.identifiers"
        places += [(f"{where}[{n}]", alias) for n, alias in enumerate(_as_list(identifiers))]
    parent = "run.facets.parent.job"
    for path, place in [*places, (parent, _location_of(event, *parent.split(".")))]:
        if isinstance(namespace := _location_of(place, "namespace"), str):
            check_namespace(namespace, path)


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _location_of(value: Any, *keys: str) -> Any:
    for each in keys:
        value = value.get(each) if isinstance(value, dict) else None
    return value


def shorten_text(text: str) -> str:
    """Return a name, shortened if it is too long."""
    return shorten_name(text, MAX_KEY_BYTES) if len(text) > MAX_KEY_BYTES // 4 else text
