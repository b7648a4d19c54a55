"""The operators of the queries of a session, with the rows that Spark itself counted."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.records import gateway
from lineage.records.reports import Edge, NodeReport, PipelineReport

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import SparkSession

    from lineage.records.assembly import Pipeline

logger = logging.getLogger(__name__)

# Operators that return as many rows as they receive. Spark does not count all of them.
_SAME_ROWS = {
    "AQEShuffleReadExec", "AppendColumnsExec", "ArrowEvalPythonExec", "BatchEvalPythonExec",
    "BroadcastExchangeExec", "CoalesceExec", "CollectMetricsExec", "ColumnarToRowExec",
    "DeserializeToObjectExec", "MapElementsExec", "ProjectExec", "RowToColumnarExec",
    "SerializeFromObjectExec", "ShuffleExchangeExec", "SortExec", "WindowExec", "WriteFilesExec",
}  # fmt: skip
# Commands that write all rows of their input.
_WRITES = {"DataWritingCommandExec"}


class Operator(NamedTuple):
    """An operator of an executed plan. ``inputs`` are numbers of operators before it."""

    operator: str
    kind: str
    inputs: list[int]
    rows: int | None


class QueryOperators:
    """Collects the operators of queries that a session finishes, in its driver."""

    def __init__(self, spark: SparkSession) -> None:
        session = spark._jsparkSession
        self._collected = gateway.records_of(spark).queryOperators(session)

    def read_reports(self, pipeline: Pipeline) -> list[PipelineReport]:
        """Return a report for each query that has ended, in this order."""
        texts = self._collected.queries()
        queries = [[Operator(**each) for each in json.loads(text)] for text in texts]
        return [
            report_query(pipeline, number, operators) for number, operators in enumerate(queries)
        ]

    def stop_collecting(self) -> None:
        """Collect no further queries."""
        self._collected.unregister()


def collect_operators(spark: Any) -> QueryOperators | None:
    """Begin to collect; return None, with a warning, for a session that does not allow it."""
    try:
        return QueryOperators(spark)
    except Exception:
        logger.warning("The operators of queries are not collected.", exc_info=True)
        return None


def report_query(pipeline: Pipeline, number: int, operators: list[Operator]) -> PipelineReport:
    """Return the report of a query from its operators, each after its inputs."""
    rows = infer_rows(operators)
    ids = [f"{number}.{place}" for place in range(len(operators))]
    nodes = [
        NodeReport(
            node_id=ids[place],
            operator=each.operator.strip(),
            rows_in=_sum_rows(rows[input] for input in each.inputs) if each.inputs else None,
            rows_out=rows[place],
            outcomes={},
        )
        for place, each in enumerate(operators)
    ]
    edges = [
        Edge(source=ids[input], target=ids[place], items=rows[input])
        for place, each in enumerate(operators)
        for input in each.inputs
    ]
    return PipelineReport(
        pipeline_id=pipeline.pipeline_id,
        pipeline_name=pipeline.name,
        run_id=pipeline.run_id,
        nodes=tuple(nodes),
        edges=tuple(edges),
    )


def infer_rows(operators: list[Operator]) -> list[int | None]:
    """Return the numbers of output rows: counted ones, and those that follow from them."""
    rows = [each.rows for each in operators]
    for place, each in enumerate(operators):
        if rows[place] is None and each.inputs:
            if each.kind == "UnionExec":
                rows[place] = _sum_rows(rows[input] for input in each.inputs)
            elif each.kind in _SAME_ROWS and len(each.inputs) == 1:
                rows[place] = rows[each.inputs[0]]
    for place in reversed(range(len(operators))):
        each = operators[place]
        if each.kind in _SAME_ROWS | _WRITES and len(each.inputs) == 1:
            [below] = each.inputs
            rows[below] = rows[place] if rows[below] is None else rows[below]
    return rows


def _sum_rows(rows: Iterable[int | None]) -> int | None:
    every = list(rows)
    known = [each for each in every if each is not None]
    return sum(known) if len(known) == len(every) else None
