"""Checks of what is read from JSON text; each tells the JSON path of what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeVar

import msgspec
from msgspec import Meta, Raw, Struct

from lineage.errors import InvalidEvent

if TYPE_CHECKING:
    from lineage.openlineage.events import Name

# Both parts of a key stand in one index entry of the database, which holds 2,704 bytes.
LONGEST_KEY = 2_400

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
    """Return a key, which is not too long."""
    # A character takes at most four bytes: most names need no encoding to be known as short.
    if len(given.namespace) + len(given.name) > LONGEST_KEY // 4:
        short(given.namespace + given.name, path)
    return given.namespace, given.name


def short(text: str, path: str) -> str:
    """Return a name, which is not too long."""
    if len(text) > LONGEST_KEY // 4 and len(text.encode()) > LONGEST_KEY:
        raise InvalidEvent(f"The name at {path} is longer than {LONGEST_KEY} bytes.")
    return text
