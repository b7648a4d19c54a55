"""Facets as the facts have them: JSON text of ``{name: [stamp, body]}``."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lineage.events.states import EntityState

_MAX_STORED = 1_000


def as_json(seen: EntityState) -> str:
    """Return the facets of a thing."""
    if not seen.facets:
        return "{}"
    entries = [
        f'{_quote_name(name)}:["{revision}",{str(body, "utf-8")}]'  # a stamp needs no escaping
        for name, (revision, body) in seen.facets.items()
    ]
    return f"{{{','.join(entries)}}}"


def _quote_name(name: str) -> str:
    return json.dumps(name) if len(name) > _MAX_STORED else _quoted_before(name)


_quoted_before = lru_cache(json.dumps)
