"""The input of foreachBatch, the rows of its stream, in the plans that it ran."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.spark.columns.plan_walk import PlanWalk
from lineage.spark.document.arguments import Rdd

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lineage.columns.relation import Rows
    from lineage.spark.datasets.resolver import DatasetResolver
    from lineage.spark.document.plan import Plan


def micro_batch_rows(
    stream: Plan, ran: Iterable[Plan], names: DatasetResolver
) -> list[Mapping[int, Rows]]:
    """Return for each plan the operators that are the micro-batch, with the stream's rows.

    Spark passes the batch as an RDD with the stream's own expression ids. If a plan uses it twice,
    the second use has new ids but the same RDD. A checkpoint of some rows of the batch retains the
    ids, but its rows come from an earlier plan.
    """
    plans = list(ran)
    query = stream.written_query(stream.root) if stream.root and not stream.truncated else None
    if query is None:
        return [{} for _ in plans]
    ids = [expr.id for expr in stream.output_expressions(query)]
    rdds = {
        rdd
        for plan in plans
        for node in plan.nodes
        if node.op == "LogicalRDD" and node.rows_of is None
        if [expr.id for expr in plan.output_expressions(node)] == ids
        if (rdd := node.get_argument("rdd", Rdd))
    }
    rows = PlanWalk(stream, names).rows_of(query)
    return [
        {
            node.index: rows
            for node in plan.nodes
            if node.op == "LogicalRDD" and node.get_argument("rdd", Rdd) in rdds
        }
        for plan in plans
    ]
