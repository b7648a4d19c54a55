"""What foreachBatch is given: the rows of its stream, in the plans that it ran."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.spark.columns.plan_walk import Walk
from lineage.spark.document.arguments import Rdd

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lineage.columns.relation import Rows
    from lineage.spark.datasets.resolver import Names
    from lineage.spark.document.plan import Plan


def batches(stream: Plan, ran: Iterable[Plan], names: Names) -> list[Mapping[int, Rows]]:
    """Return for each plan which of its operators is the micro-batch, with the stream's rows.

    Spark hands the batch over as an RDD under the stream's own expression ids; where a plan has it
    twice, the second has ids of its own and the same RDD.
    """
    plans = list(ran)
    query = stream.query(stream.root) if stream.root and not stream.truncated else None
    if query is None:
        return [{} for _ in plans]
    ids = [expr.id for expr in stream.output(query)]
    rdds = {
        rdd
        for plan in plans
        for node in plan.nodes
        if node.op == "LogicalRDD" and [expr.id for expr in plan.output(node)] == ids
        if (rdd := node.get("rdd", Rdd))
    }
    rows = Walk(stream, names).of(query)
    return [
        {
            node.index: rows
            for node in plan.nodes
            if node.op == "LogicalRDD" and node.get("rdd", Rdd) in rdds
        }
        for plan in plans
    ]
