"""Executions that are only a part of others: of these no run is told, unless they fail."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lineage.spark.commands.session import VARIABLE_STATEMENTS
from lineage.spark.document.arguments import Files

if TYPE_CHECKING:
    from lineage.spark.conversion.inputs_outputs import Flow
    from lineage.spark.document.document import Document
    from lineage.spark.document.plan import Plan

# What opens files reads them by itself only to find out what columns they have.
READER = re.compile(
    r"\.(DataFrameReader|DataStreamReader)\.\w+\(|\.PythonSQLUtils\.\w+FromDataFrame\("
)
STATEMENT = re.compile(r"\.SparkSession\.sql\(")
# The operators of such a look at lines of text: the first of them, or all as objects.
LOOK = {"DeserializeToObject", "Filter", "GlobalLimit", "LocalLimit", "Project"}
LOOKS_AT_END = {"DeserializeToObject", "GlobalLimit"}


def is_auxiliary(document: Document, flow: Flow) -> bool:
    """Is it a statement on a variable alone, or a look at files for the columns that they have?

    What reads these files for their rows is another execution, which says so.
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
    """``SELECT * FROM csv.`path` ``: a statement's own query of the lines has its text.

    Elsewhere, as with clients of Spark Connect, whose call site is their session, it is told by
    the options of the files.
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
