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
    matches = sorted({each for each in sources if match_end(each, name)})
    if not matches:
        raise NotFound(f"The query has no source {name}.", suggest_name(name, sources))
    if len(matches) > 1:
        raise Ambiguous(f"Several sources of the query end with {name}:", matches)
    return matches[0]


def match_end(full_name: str, name: str) -> bool:
    """Return whether a name is the full name of a dataset, or an end of it."""
    return full_name == name or full_name.endswith((f"/{name}", f".{name}", f":{name}"))
