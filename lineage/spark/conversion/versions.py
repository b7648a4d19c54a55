"""The version of each dataset that an execution read or wrote, if it is certain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.spark.conversion.executions import all_plans
from lineage.spark.datasets.resolver import Unresolved

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.naming import DatasetName
    from lineage.spark.conversion.inputs_outputs import Flow, Input
    from lineage.spark.document.document import Document


def versions_read(document: Document, item: Input) -> tuple[str, ...]:
    """Return the distinct versions that the scans of an input read.

    There are several only if the execution also reads the dataset by time travel.
    """
    places = set(item.places)
    versions = (
        metric.read
        for place, planned in enumerate(all_plans(document))
        for metric in planned.metrics
        if metric.read is not None and (place, metric.relation) in places
    )
    return tuple(dict.fromkeys(versions))


def several_versions(document: Document, flow: Flow) -> Iterator[Unresolved]:
    """Yield an unresolved entry for each input with several versions: it has no version facet."""
    for item in flow.inputs.values():
        read = versions_read(document, item)
        if len(read) > 1:
            place, index = item.places[0]
            operator = all_plans(document)[place].plan.nodes[index].op
            detail = f"{item.dataset.display_label}: {', '.join(read)}"
            yield Unresolved(operator, "several versions of one dataset", detail)


def version_written(document: Document, flow: Flow, name: DatasetName) -> str | None:
    """Return the version of an output that the execution created.

    Returns None if there are several outputs or writes, which cannot be distinguished.
    """
    if flow.writes != [name]:
        return None
    metrics = (metric for planned in all_plans(document) for metric in planned.metrics)
    written = {metric.written for metric in metrics if metric.written is not None}
    return written.pop() if len(written) == 1 else None
