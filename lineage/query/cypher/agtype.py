"""Parse agtype values of AGE: JSON with a type suffix on entities and exact numbers."""

from __future__ import annotations

import json
import re
from secrets import token_hex
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    # Makes an object from its kind (vertex, edge or path) and a dict; for a path, a list.
    Make = Callable[[str, Any], Any]

# Strings are matched as a whole, so that a text like ::vertex inside them is retained.
_TYPED = re.compile(r'("(?:[^"\\]|\\.)*")|::(?:vertex|edge|path|numeric)\b')
_ENTITY = re.compile(r'("(?:[^"\\]|\\.)*")|([}\]])::(vertex|edge|path)\b|::numeric\b')


def parse_agtype(text: str) -> Any:
    """Return the value of ``text``. A vertex or an edge is a dict, a path a list of these."""
    return json.loads(_TYPED.sub(lambda match: match[1] or "", text))


def load_entities(text: str, make: Make) -> Any:
    """Return the value of ``text``, with vertices, edges and paths replaced by ``make``."""
    key = token_hex(16)  # random, so that no map of the query has this key

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
