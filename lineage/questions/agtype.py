"""AGE's values as Python's: JSON with a type written behind entities and exact numbers."""

from __future__ import annotations

import json
import re
from typing import Any

# A string is passed over whole, so that what looks like a type inside it stays.
_TYPED = re.compile(r'("(?:[^"\\]|\\.)*")|::(?:vertex|edge|path|numeric)\b')


def loads(text: str) -> Any:
    """Return the value of ``text``; a vertex or an edge is a dict, a path a list of them."""
    return json.loads(_TYPED.sub(lambda match: match[1] or "", text))
