"""Facets in the format of the fact tables: JSON text of ``{name: [revision, body]}``."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lineage.events.states import EntityState

_MAX_STORED = 1_000


def as_json(seen: EntityState) -> str:
    """Encode the facets of a merged state."""
    if not seen.facets:
        return "{}"
    entries = [
        f'{_quote_name(name)}:["{revision}",{str(body, "utf-8")}]'  # no escaping needed
        for name, (revision, body) in seen.facets.items()
    ]
    return f"{{{','.join(entries)}}}"


def _quote_name(name: str) -> str:
    return json.dumps(name) if len(name) > _MAX_STORED else _quoted_before(name)


_quoted_before = lru_cache(json.dumps)
