"""Generated names of columns that are equal without their literals."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# The listener's replacement of possible literals.
_REPLACED = "?"

EQUAL_NAMES = "columns whose generated names differ in literals only: they are reported as one"


def equal_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return the generated names that several columns of an output have.

    The columns cannot be distinguished: neither their order nor their number is the same for the
    writer of a file and its readers. They are one column, with the sources of all.
    """
    counts = Counter(name for name in names if _REPLACED in name)
    return tuple(name for name, count in counts.items() if count > 1)
