"""When an execution read its inputs: rows of caches and checkpoints were read earlier."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.spark.conversion.executions import all_plans
from lineage.spark.datasets.resolver import Unresolved

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lineage.spark.conversion.inputs_outputs import Flow, Input
    from lineage.spark.document.document import Document, Planned
    from lineage.spark.document.plan import Node

# The time of rows that an earlier execution may have read: those of a checkpoint that is not eager,
# and those of a cache of which the listener could not say when it was filled, or what it reads.
_LAZY = -1
_UNKNOWN = 0


def earlier_read_time(document: Document, item: Input) -> int | None:
    """Return the last start of the earlier executions that read an input, in milliseconds.

    Returns None if the execution of the document read it, too, or if one of the times is not known.
    """
    times = _read_times(document, item)
    known = [time for time in times if time not in (None, _LAZY, _UNKNOWN)]
    return max(known) if known and len(known) == len(times) else None


def uncertain_times(document: Document, flow: Flow) -> Iterator[Unresolved]:
    """Yield an unresolved entry for each input that was read at several or unknown times."""
    for item in flow.inputs.values():
        times = _read_times(document, item)
        if _UNKNOWN in times:
            reason = "rows of a cache that was filled at an unknown time"
        elif len(times - {_LAZY}) > 1:
            reason = "several reads of one dataset at different times: only the last is followed"
        else:
            continue
        place, index = item.places[0]
        operator = all_plans(document)[place].plan.nodes[index].op
        yield Unresolved(operator, reason, item.dataset.display_label)


def _read_times(document: Document, item: Input) -> set[int | None]:
    """Return the starts of the executions that read the input; None for that of the document."""
    if document.started is None or document.query:
        return {None}
    plans = all_plans(document)
    nodes = {place: plans[place[0]].plan.nodes[place[1]] for place in item.places}
    times: set[int | None] = {
        _LAZY if node.read_at is None else node.read_at for node in nodes.values() if node.level
    }
    scanned = {place: node for place, node in nodes.items() if not node.level}
    if scanned:
        times |= _scan_times(plans, scanned)
    return {None if time is not None and time >= document.started else time for time in times}


def _scan_times(plans: Sequence[Planned], nodes: Mapping[tuple[int, int], Node]) -> set[int | None]:
    """Return the times of the scans of these operators.

    The plan of a command may have the same operators as the plan of the execution nested in it,
    which scans them. Of operators with the same relation, one has the scans.
    """
    metrics = [(place, metric) for place, planned in enumerate(plans) for metric in planned.metrics]
    times = {metric.read_at for place, metric in metrics if (place, metric.relation) in nodes}
    if times:
        return times
    is_cached = any(metric.relation is None and metric.read_at is not None for _, metric in metrics)
    return {_UNKNOWN if is_cached and any(node.op != "View" for node in nodes.values()) else None}
