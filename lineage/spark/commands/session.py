"""Statements on session variables and caches, and the datasets that they read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lineage.spark.commands.effects import Command, Effect, Handler
from lineage.spark.document.arguments import ExpressionRef, Identifier

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.spark.document.plan import Expression, Node, Plan

SET_VARIABLE = "SetVariable"
# Statements that get no run if they read no dataset, because scripts contain many of them.
VARIABLE_STATEMENTS = {"CreateVariable", "DropVariable", SET_VARIABLE}
# Spark's name for a script block without a label; it differs in each run.
OF_A_BLOCK = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def unknown_variables(plan: Plan, node: Node) -> Iterator[str]:
    """Yield the variables in an operator's expressions whose source is in no document.

    The variables that a statement assigns are skipped: they are written, not read.
    """
    if node.op in VARIABLE_STATEMENTS:
        return
    for index in node.expression_indexes:
        for place in plan.variables_in(index):
            if not _is_known(plan, plan.exprs[place]):
                yield _short_name(plan.exprs[place].name or "a variable")


def _is_known(plan: Plan, variable: Expression) -> bool:
    """Return whether the source of a variable's value is known.

    A value in a script may come from a row of a loop.
    """
    if variable.plan is None:
        return variable.is_value
    pending, depends = [plan.nodes[variable.plan]], False
    while pending and not depends:
        node = pending.pop()
        variables = any(plan.variables_in(index) for index in node.expression_indexes)
        depends = variables or node.op not in ("OneRowRelation", "Project")
        pending += plan.child_nodes(node)
    return depends or (variable.name or "").startswith("session.")


def _short_name(name: str) -> str:
    """Return a variable's name without its scope if that is the session or an unlabelled block."""
    scope, _, last = name.rpartition(".")
    return last if scope == "session" or OF_A_BLOCK.fullmatch(scope) else name


def _set_variable(command: Command) -> Effect:
    """Resolve SET VAR and EXECUTE IMMEDIATE … INTO, which run a query and store its row."""
    refs = command.node.get_argument("targetVariables", tuple) or ()
    variables = [command.plan.exprs[ref.index] for ref in refs if isinstance(ref, ExpressionRef)]
    names = [expr.name.rpartition(".")[2] for expr in variables if expr.name]
    before = frozenset(expr.plan for expr in variables if expr.plan is not None)
    return Effect(target="_".join(names) or None, not_read=before)


def _cache_effect(command: Command) -> Effect:
    """Resolve CACHE TABLE, which reads at once; after CACHE LAZY TABLE the first query reads."""
    parts = command.node.get_texts("multipartIdentifier")
    name = parts[-1] if parts else command.node.get_text("tempViewName")
    return Effect(reads_nothing=command.node.get_flag("isLazy"), target=name)


def _analyze_all(command: Command) -> Effect:
    """Resolve ANALYZE TABLES, whose nested executions read the tables."""
    return Effect(reads_nothing=True)


def _drop_all(command: Command) -> Effect:
    """Resolve DROP DATABASE; with CASCADE it also drops tables that no plan lists."""
    if not command.node.get_flag("cascade"):
        return Effect(reads_nothing=True)
    return command.unresolved_effect("the tables that are dropped with their database")


def _external_effect(command: Command) -> Effect:
    return command.unresolved_effect("a command that another system runs")


def _cursor_effect(command: Command) -> Effect:
    return command.unresolved_effect("a cursor, whose query is in no plan")


def _view_using(command: Command) -> Effect:
    """Resolve CREATE TEMPORARY VIEW USING, whose nested executions infer the columns of files."""
    name = command.node.get_argument("tableIdent", Identifier)
    return Effect(reads_nothing=True, covers_nested=True, target=name.name if name else None)


SESSION_COMMANDS: dict[str, Handler] = {
    "AnalyzeTables": _analyze_all,
    "AnalyzeTablesCommand": _analyze_all,
    "CacheTable": _cache_effect,
    "CacheTableAsSelect": _cache_effect,
    "CreateTempViewUsing": _view_using,
    "DropDatabaseCommand": _drop_all,
    "DropNamespace": _drop_all,
    "ExternalCommandExecutor": _external_effect,
    "FetchCursor": _cursor_effect,
    "OpenCursor": _cursor_effect,
    SET_VARIABLE: _set_variable,
}
