"""Facets as the facts have them: JSON text of ``{name: [stamp, body]}``."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lineage.graph.states import Seen


def as_json(seen: Seen) -> str:
    """Return the facets of a thing."""
    if not seen.facets:
        return "{}"
    entries = [
        f'{_quoted(name)}:["{stamp}",{str(body, "utf-8")}]'  # a stamp needs no escaping
        for name, (stamp, body) in seen.facets.items()
    ]
    return f"{{{','.join(entries)}}}"


_quoted = lru_cache(json.dumps)
