"""How far the rows that a trace names are the contributing rows, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Fidelity(str, Enum):
    """The relation of the named rows to the contributing rows, from the best to the worst."""

    EXACT = "exact"  # the contributing rows
    SUPERSET = "superset"  # all contributing rows, possibly with others
    SAMPLED = "sampled"  # some of the contributing rows
    UNVERIFIED = "unverified"  # those of the labels, but too many rows for a check
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


def labels_after_check(
    labels: Sequence[Label], rows: int, *, reproduced: bool | None
) -> list[Label]:
    """Return the labels of a trace after its query was run on the named rows alone.

    ``rows``: number of traced rows. ``reproduced``: whether they came again, None if the query was
    not run. If they came again, the named rows do not depend on the execution. If they did not, no
    label promises them. Without a run none does either, unless there is no row to be named.
    """
    if reproduced:
        return [Label(Fidelity.EXACT, "reproduced"), *map(_after_success, labels)]
    if reproduced is not None:
        unknown = [replace(label, fidelity=Fidelity.UNKNOWN) for label in labels]
        return [*unknown, Label(Fidelity.UNKNOWN, "not reproduced:on the named rows")]
    if not rows or worst_of(labels) == Fidelity.UNKNOWN:
        return [*labels]
    return [*labels, Label(Fidelity.UNVERIFIED, "not checked:too many rows")]


def _after_success(label: Label) -> Label:
    return replace(label, fidelity=Fidelity.EXACT) if label.reason.startswith(_RERUN) else label
