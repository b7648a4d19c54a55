"""When an execution read its inputs: rows of caches and checkpoints were read earlier."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.spark.conversion.executions import all_plans
from lineage.spark.datasets.resolver import Unresolved

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.spark.conversion.inputs_outputs import Flow, Input
    from lineage.spark.document.document import Document, Planned

# The time of an earlier read that is not known, as of a checkpoint that is not eager.
_UNKNOWN = -1


def earlier_read_time(document: Document, item: Input) -> int | None:
    """Return the last start of the earlier executions that read an input, in milliseconds.

    Returns None if the execution of the document read it, too, or if one of the times is not known.
    """
    times = _read_times(document, item)
    known = [time for time in times if time is not None and time != _UNKNOWN]
    return max(known) if known and len(known) == len(times) else None


def several_times(document: Document, flow: Flow) -> Iterator[Unresolved]:
    """Yield an unresolved entry for each input that several executions read."""
    for item in flow.inputs.values():
        if len(_read_times(document, item) - {_UNKNOWN}) > 1:
            place, index = item.places[0]
            operator = all_plans(document)[place].plan.nodes[index].op
            reason = "several reads of one dataset at different times: only the last is followed"
            yield Unresolved(operator, reason, item.dataset.display_label)


def _read_times(document: Document, item: Input) -> set[int | None]:
    """Return the starts of the executions that read the input; None for that of the document."""
    if document.started is None or document.query:
        return {None}
    plans = all_plans(document)
    return {_read_time(plans[place], index, document.started) for place, index in item.places}


def _read_time(planned: Planned, index: int, started: int) -> int | None:
    node = planned.plan.nodes[index]
    time = node.read_at
    if node.level and time is None:
        return _UNKNOWN
    if not node.level:
        scans = [metric.read_at for metric in planned.metrics if metric.relation == index]
        times = [time for time in scans if time is not None]
        time = min(times) if times and len(times) == len(scans) else None
    return time if time is not None and time < started else None
