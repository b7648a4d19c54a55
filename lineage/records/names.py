"""Names of the sources of a query."""

from __future__ import annotations

import re

from lineage import naming
from lineage.errors import Ambiguous, NotFound
from lineage.suggestions import suggest_name

_LOCATION = re.compile(r"[A-Za-z][\w+.-]*:/")
_STORE = re.compile(r"^[A-Za-z][\w+.-]*://[^/]*")


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


def numbers_of_source(name: str, sources: list[str]) -> list[int]:
    """Return the numbers of the sources of this name, several if it is read with other columns."""
    source = match_source(name, sources)
    return [number for number, each in enumerate(sources) if each == source]


def match_end(full_name: str, name: str) -> bool:
    """Return whether a name is the full name of a dataset, or an end of it.

    A location without a scheme is local: ``/data/x`` is ``file:/data/x``. A path is also the end of
    the location of its store: ``/data/x`` of ``hdfs://host:8020/data/x``.
    """
    if full_name == name:
        return True
    if _LOCATION.match(name):
        return _plain_location(full_name) == _plain_location(name)
    path = _STORE.sub("", full_name)
    return path == name or full_name.endswith((f"/{name}", f".{name}", f":{name}"))


def _plain_location(name: str) -> str:
    """Return a location as the sources of queries are named: local paths have no scheme."""
    return naming.of_path(name).full_name.removeprefix("file:")
