"""Checks of the arguments of queries, and lists of texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

_ONE_WAY = ("upstream", "downstream")
_COUNTS = ("depth", "limit", "offset")


def need_direction(direction: str, *, both: bool = False) -> None:
    """Raise UsageError if there is no such direction. ``both``: whether that is one, too."""
    known = (*_ONE_WAY, "both") if both else _ONE_WAY
    need_known([direction], known, "direction")


def need_known(values: Iterable[str], known: Collection[str], what: str) -> None:
    """Raise UsageError if one of the values is not known."""
    if unknown := [each for each in values if each not in known]:
        raise UsageError(f'There is no {what} "{unknown[0]}".', f"Known: {', '.join(known)}.")


def need_in_range(**values: object) -> None:
    """Raise UsageError if ``depth``, ``limit``, ``offset`` or ``min_confidence`` is out of range.

    Other values are not checked.
    """
    for name in _COUNTS:
        value = values.get(name)
        if isinstance(value, int) and value < 0:
            raise UsageError(f"{name} is {value}.", "It is a number from 0.")
    confidence = values.get("min_confidence")
    if isinstance(confidence, (int, float)) and not 0 <= confidence <= 1:
        raise UsageError(f"min_confidence is {confidence}.", "It is a number from 0 to 1.")


def texts_of(values: Iterable[str]) -> tuple[str, ...]:
    """Return texts as a tuple; a single text is one, not a list of its letters."""
    return (values,) if isinstance(values, str) else tuple(values)
