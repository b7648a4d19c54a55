"""Lists of words in the files of this package; # begins a comment line."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def read_words(name: str) -> frozenset[str]:
    """Return the words of a file, by its path in this package."""
    lines = (files("lineage.sql") / name).read_text().splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())
