"""Hints for unknown names: the most similar name, and all names."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """Return the most similar name, or the only one; None if none is similar."""
    by_lower = {each.lower(): each for each in known}
    if len(by_lower) == 1:
        return next(iter(by_lower.values()))
    near = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[near[0]] if near else None


def suggest_name(name: str, known: Iterable[str]) -> str:
    """Return a hint with the most similar name and all known names."""
    known = list(known)
    if not known:
        return "There are none."
    near = nearest_name(name, known)
    suggestion = f"Did you mean {near}? " if near else ""
    return f"{suggestion}There are: {', '.join(known)}."
