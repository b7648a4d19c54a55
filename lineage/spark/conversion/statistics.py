"""Rows, bytes and files of each dataset of an execution, from Spark's SQL metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from openlineage.client.facet_v2 import (
    input_statistics_input_dataset,
    output_statistics_output_dataset,
)

from lineage.spark.conversion.executions import all_plans, streaming_sources, write_metrics
from lineage.spark.datasets.relations import ROWS_OF_RDDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lineage.naming import DatasetName
    from lineage.spark.conversion.inputs_outputs import Flow, Input
    from lineage.spark.document.document import Document, Metric

InputStatistics = input_statistics_input_dataset.InputStatisticsInputDatasetFacet
OutputStatistics = output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet


class _Statistics(Protocol):
    def __init__(
        self, *, rowCount: int | None, size: int | None, fileCount: int | None
    ) -> None: ...


S = TypeVar("S", bound=_Statistics)

READ = {"rowCount": "numOutputRows", "size": "filesSize", "fileCount": "numFiles"}
WRITTEN = {"rowCount": "numOutputRows", "size": "numOutputBytes", "fileCount": "numFiles"}


def read_statistics(document: Document, flow: Flow, item: Input) -> InputStatistics | None:
    """Sum the metrics of the scans of an input.

    Returns None if no scan reads this input alone. A relation over the paths of several datasets
    has one count for all of them. The rows of an RDD may be others than those that it read.
    """
    if document.query:
        return _read_by_query(document, item)
    places = set(item.places)
    others = (other.places for other in flow.inputs.values() if other is not item)
    if not places or any(places & set(other) for other in others):
        return None
    passes = [
        [
            metric
            for metric in planned.metrics
            if metric.relation is not None
            and (place, metric.relation) in places
            and planned.plan.nodes[metric.relation].op not in ROWS_OF_RDDS
        ]
        for place, planned in enumerate(all_plans(document))
    ]
    if flow.covers_nested:  # Nested executions scan the files with changed rows again.
        passes = [max(passes, key=_scanned_rows)]
    return _sum_metrics(InputStatistics, (scan for scans in passes for scan in scans), READ)


def _scanned_rows(scans: Iterable[Metric]) -> int:
    return sum(scan.values.get(READ["rowCount"], 0) for scan in scans)


def write_statistics(document: Document, flow: Flow, name: DatasetName) -> OutputStatistics | None:
    """Sum the metrics of the writes to an output, including the insert nested in a CTAS.

    With several outputs, writing commands and outputs are matched in the order of the plan. Returns
    None if their numbers differ, because the outputs cannot be distinguished.
    """
    if document.query:
        return _written_by_query(document, flow)
    writes = [
        metric for planned in all_plans(document) for metric in write_metrics(planned.metrics)
    ]
    if len(flow.writes) > 1 and len(flow.writes) != len(writes):
        return None
    if len(flow.writes) > 1:
        writes = [writes[flow.writes.index(name)]]
    return _sum_metrics(OutputStatistics, writes, WRITTEN)


def _read_by_query(document: Document, item: Input) -> InputStatistics | None:
    """Sum the rows that the query's sources have read so far; None if one reads several topics."""
    query, places = document.query, streaming_sources(document)
    rows = dict(zip(places, query.sources if query else (), strict=False))
    counts = [rows.get(node) if place == 0 else None for place, node in item.places]
    if not counts or any(count is None or len(count.topics) > 1 for count in counts):
        return None
    return InputStatistics(rowCount=sum(count.rows for count in counts if count))


def _written_by_query(document: Document, flow: Flow) -> OutputStatistics | None:
    rows = document.query.rows_written if document.query else None
    return OutputStatistics(rowCount=rows) if rows is not None and len(flow.writes) == 1 else None


def _sum_metrics(kind: type[S], metrics: Iterable[Metric], names: Mapping[str, str]) -> S | None:
    counts: dict[str, int | None] = dict.fromkeys(names)
    for metric in metrics:
        for name, key in names.items():
            if key in metric.values:
                counts[name] = (counts[name] or 0) + metric.values[key]
    if not any(count is not None for count in counts.values()):
        return None
    return kind(rowCount=counts["rowCount"], size=counts["size"], fileCount=counts["fileCount"])
