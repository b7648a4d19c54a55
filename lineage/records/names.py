"""Names of the sources of a query."""

from __future__ import annotations

from lineage.errors import Ambiguous, NotFound
from lineage.suggestions import suggest_name


def match_source(name: str, sources: list[str]) -> str:
    """Return the source of this name, or the only one that ends with it.

    Raises ``NotFound`` and ``Ambiguous``.
    """
    if name in sources:
        return name
    matches = sorted({each for each in sources if each.endswith((f"/{name}", f".{name}"))})
    if not matches:
        raise NotFound(f"The query has no source {name}.", suggest_name(name, sources))
    if len(matches) > 1:
        raise Ambiguous(f"Several sources of the query end with {name}:", matches)
    return matches[0]
