"""Parse agtype values of AGE: JSON with a type suffix on entities and exact numbers."""

from __future__ import annotations

import json
import re
from secrets import token_hex
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    # Makes an object of a kind (vertex, edge or path) from a dict, of a path from a list.
    Make = Callable[[str, Any], Any]

# A string is passed over whole, so that what looks like a type inside it stays.
_TYPED = re.compile(r'("(?:[^"\\]|\\.)*")|::(?:vertex|edge|path|numeric)\b')
_ENTITY = re.compile(r'("(?:[^"\\]|\\.)*")|([}\]])::(vertex|edge|path)\b|::numeric\b')


def parse_agtype(text: str) -> Any:
    """Return the value of ``text``; a vertex or an edge is a dict, a path a list of them."""
    return json.loads(_TYPED.sub(lambda match: match[1] or "", text))


def load_entities(text: str, make: Make) -> Any:
    """Return the value of ``text`` with what ``make`` makes of vertices, edges and paths."""
    key = token_hex(16)  # a map of the query cannot have it

    def mark(match: re.Match[str]) -> str:
        if match[2] == "}":
            return f', "{key}": "{match[3]}"}}'
        return f', {{"{key}": "path"}}]' if match[2] else match[1] or ""

    return _make_entity(json.loads(_ENTITY.sub(mark, text)), key, make)


def _make_entity(value: Any, key: str, make: Make) -> Any:
    if isinstance(value, list):
        items = [_make_entity(each, key, make) for each in value]
        marked = bool(value) and isinstance(value[-1], dict) and value[-1] == {key: "path"}
        return make("path", items[:-1]) if marked else items
    if isinstance(value, dict) and value != {key: "path"}:
        kind = value.pop(key, None)
        entries = {name: _make_entity(each, key, make) for name, each in value.items()}
        return entries if kind is None else make(kind, entries)
    return value
