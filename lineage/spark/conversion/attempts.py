"""The command and target of a statement whose analysis failed.

The plan of such a statement has unresolved names in place of tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.spark.document.arguments import PlanRef

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.spark.document.plan import Node, Plan

# An unanalyzed INSERT is a statement, not a command, in Spark's classes.
INSERT = "InsertIntoStatement"


def attempted_command(plan: Plan) -> tuple[str | None, str | None]:
    """Return the command and the name of its target; (None, None) for a query."""
    root = plan.root
    if root is None or not (root.is_command or root.op == INSERT):
        return None, None
    names = (_target_name(node) for node in _target_candidates(plan, root))
    return root.op, next((name for name in names if name), None)


def _target_candidates(plan: Plan, root: Node) -> Iterator[Node]:
    """Yield the operators that may contain the name of the target, the most likely first."""
    yield root
    for key in ("table", "targetTable", "name", "child"):
        ref = root.get_argument(key, PlanRef)
        if ref and (node := plan.get_node(ref)):
            yield node
    yield from (plan.nodes[index] for index in root.children[:1])


def _target_name(node: Node) -> str | None:
    parts = node.get_texts("multipartIdentifier") or node.get_texts("nameParts")
    return ".".join(parts) or None
