"""The report of a Spark run from its plan document: operators, with the rows that Spark counted."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from lineage.database.statements import StatementFile
from lineage.errors import Ambiguous, NotFound
from lineage.openlineage.timestamps import of_milliseconds
from lineage.query.details import describe_run
from lineage.records.reports import Edge, NodeReport, PipelineReport
from lineage.spark.conversion.executions import all_plans, resolve_flow, write_metrics
from lineage.spark.conversion.runs import execution_id, execution_job
from lineage.spark.document.document import EXECUTION_END
from lineage.spark.document.parser import parse_document
from lineage.spark.document.spool import find_applications, read_documents

if TYPE_CHECKING:
    import os

    from lineage.query.session import Session
    from lineage.spark.document.document import Document, Planned
    from lineage.spark.document.plan import Node, Plan

# Operators that return as many rows as they receive.
_SAME_ROWS = {
    "Project", "RebalancePartitions", "Repartition", "RepartitionByExpression", "Sort",
    "SubqueryAlias", "View", "WriteFiles",
}  # fmt: skip
# Commands that write exactly the rows of their query.
_WRITES = {
    "AppendData", "CreateDataSourceTableAsSelectCommand", "InsertIntoHadoopFsRelationCommand",
    "InsertIntoHiveTable", "OverwriteByExpression", "OverwritePartitionsDynamic",
}  # fmt: skip


class ExecutionRow(NamedTuple):
    """An execution of an application."""

    application: str
    execution: int


_SQL = StatementFile(__file__)
_SELECT_EXECUTIONS = _SQL.statement("select_executions", ExecutionRow)
_SELECT_END = _SQL.statement("select_end_of_execution", str)


def report_of_run(session: Session, run: str) -> PipelineReport:
    """Return the operators of a Spark run whose plan document is stored.

    ``run``: its id, or a unique prefix. Raises NotFound, Ambiguous, DatabaseError.
    """
    details = describe_run(session, run)
    run_id = details.run.run_id
    for row in session.fetch(_SELECT_EXECUTIONS, applications=list(details.parents)):
        if execution_id(row.application, row.execution) == run_id:
            body = session.fetch_one(
                _SELECT_END, application=row.application, execution=row.execution
            )
            if body is not None:
                return report_of_document(parse_document(body))
    raise NotFound(
        f"No plan document of the run {run_id} is stored.",
        "Send documents to a collector: spark.lineage.url. Streaming queries have no report.",
    )


def report_of_spool(source: str | os.PathLike[str], run: str) -> PipelineReport:
    """Return the operators of a Spark run from its spool: a directory, or a file of documents.

    ``run``: its id, or a unique prefix. Invalid lines are skipped. Raises NotFound, Ambiguous,
    SpoolError.
    """
    ends: dict[str, Document] = {}
    for application in find_applications(source):
        for document in read_documents(application, lambda _: None):
            if document.kind == EXECUTION_END and document.execution is not None:
                id = execution_id(document.app.run, document.execution.id)
                if id.startswith(run):
                    ends.setdefault(id, document)
    if not ends:
        raise NotFound(
            f'The spool {source} has no run whose id begins with "{run}".',
            "lineage convert writes its events, with the ids of runs.",
        )
    if len(ends) > 1:
        raise Ambiguous(f'Several runs of the spool begin with "{run}":', sorted(ends))
    [document] = ends.values()
    return report_of_document(document)


def report_of_document(document: Document) -> PipelineReport:
    """Return the operators of an execution, from the document of its end.

    Rows are those of Spark's metrics of scans and of the write, and of operators between which the
    number cannot change. A scan counts the rows that it returned, without those that it skipped by
    its own evaluation of filters, limits and aggregates. All others are None, and so are all
    of a failed execution.
    """
    assert document.execution is not None
    job = execution_job(document, resolve_flow(document))
    nodes: list[NodeReport] = []
    edges: list[Edge] = []
    for place, planned in enumerate(all_plans(document)):
        prefix = f"{place}." if place else ""
        own_nodes, own_edges = _report_plan(planned, prefix, counted=document.outcome == "COMPLETE")
        nodes += own_nodes
        edges += own_edges
    return PipelineReport(
        pipeline_id=f"{job.namespace}/{job.name}",
        pipeline_name=job.name,
        run_id=execution_id(document.app.run, document.execution.id),
        nodes=tuple(nodes),
        edges=tuple(edges),
        started_at=None if document.started is None else of_milliseconds(document.started),
        ended_at=of_milliseconds(document.time),
    )


def _report_plan(
    planned: Planned, prefix: str, *, counted: bool
) -> tuple[list[NodeReport], list[Edge]]:
    plan = planned.plan
    own = [node for node in plan.nodes if node.level == 0]
    rows = _rows_out(planned) if counted else {}
    below = {
        node.index: [child.index for child in plan.child_nodes(node) if child.level == 0]
        for node in own
    }
    nodes = [
        NodeReport(
            node_id=f"{prefix}{node.index}",
            operator=node.op,
            rows_in=_sum_rows([rows.get(child) for child in below[node.index]]),
            rows_out=rows.get(node.index),
            outcomes={},
        )
        for node in own
    ]
    edges = [
        Edge(source=f"{prefix}{child}", target=f"{prefix}{index}", items=rows.get(child))
        for index, children in below.items()
        for child in children
    ]
    return nodes, edges


def _sum_rows(rows: list[int | None]) -> int | None:
    known = [each for each in rows if each is not None]
    return sum(known) if rows and len(known) == len(rows) else None


def _rows_out(planned: Planned) -> dict[int, int]:
    """Return the numbers of rows of operators that are known, by the index of the operator."""
    plan = planned.plan
    rows = _scanned_rows(planned)
    written = [metric.values.get("numOutputRows") for metric in write_metrics(planned.metrics)]
    if plan.root and plan.root.op in _WRITES and len(written) == 1 and written[0] is not None:
        rows[plan.root.index] = written[0]
        node = plan.written_query(plan.root)
        while node is not None and node.index not in rows:
            rows[node.index] = written[0]
            node = _input_of_same_rows(plan, node)
    for node in plan.nodes:  # children precede their parents
        child = _input_of_same_rows(plan, node)
        if child is not None and child.index in rows:
            rows.setdefault(node.index, rows[child.index])
    return rows


def _scanned_rows(planned: Planned) -> dict[int, int]:
    """Return the rows of relations that one scan reads; others cannot be told apart."""
    scans = [metric for metric in planned.metrics if metric.relation is not None]
    number = Counter(metric.relation for metric in scans)
    return {
        metric.relation: metric.values["numOutputRows"]
        for metric in scans
        if metric.relation is not None
        and number[metric.relation] == 1
        and "numOutputRows" in metric.values
    }


def _input_of_same_rows(plan: Plan, node: Node) -> Node | None:
    """Return the only child of an operator that returns as many rows as the child."""
    if node.op in _SAME_ROWS and len(node.children) == 1:
        return plan.nodes[node.children[0]]
    return None
