"""How far the rows that a trace names are the contributing rows, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class Fidelity(str, Enum):
    """The relation of the named rows to the contributing rows, from the best to the worst."""

    EXACT = "exact"  # the contributing rows
    SUPERSET = "superset"  # all contributing rows, possibly with others
    SAMPLED = "sampled"  # some of the contributing rows
    STALE = "stale"  # the sources have changed since the run
    UNKNOWN = "unknown"  # contributing rows may be missing

    def __str__(self) -> str:
        return self.value


# Labels of operators whose rows are right for the traced execution, but may not come again.
_RERUN = ("nondeterministic:", "position:")


@dataclass(frozen=True)
class Label:
    """A reason, such as ``opaque:MapInPandas``, and the best fidelity that it allows."""

    fidelity: Fidelity
    reason: str


def parse_label(line: str) -> Label:
    """Read a label of the rewriter, such as ``unknown opaque:MapInPandas``."""
    fidelity, _, reason = line.partition(" ")
    return Label(Fidelity(fidelity), reason)


def worst_of(labels: Iterable[Label]) -> Fidelity:
    """Return the fidelity of a trace with these labels."""
    order = list(Fidelity)
    return max((label.fidelity for label in labels), key=order.index, default=Fidelity.EXACT)


def after_check(label: Label, *, reproduced: bool) -> Label:
    """Return a label after the query was run on the named rows alone.

    If the traced row came again, its rows do not depend on the execution. If it did not, no label
    promises them.
    """
    if not reproduced:
        return replace(label, fidelity=Fidelity.UNKNOWN)
    return replace(label, fidelity=Fidelity.EXACT) if label.reason.startswith(_RERUN) else label
