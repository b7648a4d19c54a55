"""Detection of executions that are only a part of others; they get a run only if they fail."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lineage.spark.commands.session import VARIABLE_STATEMENTS
from lineage.spark.document.arguments import Files

if TYPE_CHECKING:
    from lineage.spark.conversion.inputs_outputs import Flow
    from lineage.spark.document.document import Document
    from lineage.spark.document.plan import Plan

# Readers that run an execution only to infer the columns of files.
READER = re.compile(
    r"\.(DataFrameReader|DataStreamReader)\.\w+\(|\.PythonSQLUtils\.\w+FromDataFrame\("
)
STATEMENT = re.compile(r"\.SparkSession\.sql\(")
# Schema inference reads lines of text: either the first line, or all lines as objects.
LOOK = {"DeserializeToObject", "Filter", "GlobalLimit", "LocalLimit", "Project"}
LOOKS_AT_END = {"DeserializeToObject", "GlobalLimit"}


def is_auxiliary(document: Document, flow: Flow) -> bool:
    """Return whether the execution only concerns a variable or infers the columns of files.

    The rows of these files are read by another execution, which reports the files as inputs.
    """
    if document.execution is None or flow.outputs:
        return False
    if flow.command in VARIABLE_STATEMENTS:
        return not (flow.inputs or flow.unresolved)
    callsite = document.execution.callsite or ""
    if READER.search(callsite):
        return True
    plan = document.main.plan if document.main else None
    is_of_sql = STATEMENT.search(callsite) is not None and document.sql is None
    return plan is not None and _looks_at_lines(plan, of_sql=is_of_sql)


def _looks_at_lines(plan: Plan, *, of_sql: bool) -> bool:
    """Return whether the plan infers columns from lines, as ``SELECT * FROM csv.`path` `` does.

    ``of_sql`` is true for a query without SQL text that a statement runs. Otherwise the options of
    the files decide, for example for clients of Spark Connect, whose call site is their session.
    """
    if plan.root is None or plan.root.op not in LOOKS_AT_END:
        return False
    leaves = [node for node in plan.nodes if not node.children]
    if any(node.op not in LOOK for node in plan.nodes if node.children) or len(leaves) != 1:
        return False
    files = leaves[0].get_argument("relation", Files)
    names = [expr.name for expr in plan.output_expressions(leaves[0])]
    if files is None or files.format != "text" or names != ["value"]:
        return False
    return of_sql or files.for_schema
