"""Names of columns that Spark generated, numbered if several columns of an output have the same."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# The listener's replacement of possible literals.
_REPLACED = "?"


def number_names(names: Iterable[str]) -> tuple[str, ...]:
    """Append ``#2``, ``#3`` … to generated names that occurred before.

    Without their literals, names of different columns may be equal. The writer of a file and its
    readers have them in the same order.
    """
    counts: Counter[str] = Counter()
    numbered: list[str] = []
    for name in names:
        counts[name] += 1
        is_later = _REPLACED in name and counts[name] > 1
        numbered.append(f"{name}#{counts[name]}" if is_later else name)
    return tuple(numbered)
