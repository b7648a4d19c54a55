"""What a statement was about whose analysis failed: its plan has names where tables would be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.spark.document.arguments import PlanRef

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.spark.document.plan import Node, Plan

# Spark calls it a statement, and not yet a command.
INSERT = "InsertIntoStatement"


def attempted_command(plan: Plan) -> tuple[str | None, str | None]:
    """Return the command that was to run and the name of its target; of a query neither."""
    root = plan.root
    if root is None or not (root.is_command or root.op == INSERT):
        return None, None
    names = (_target_name(node) for node in _target_candidates(plan, root))
    return root.op, next((name for name in names if name), None)


def _target_candidates(plan: Plan, root: Node) -> Iterator[Node]:
    """The operators that may stand for the target, the likeliest first."""
    yield root
    for key in ("table", "targetTable", "name", "child"):
        ref = root.get_argument(key, PlanRef)
        if ref and (node := plan.get_node(ref)):
            yield node
    yield from (plan.nodes[index] for index in root.children[:1])


def _target_name(node: Node) -> str | None:
    parts = node.get_texts("multipartIdentifier") or node.get_texts("nameParts")
    return ".".join(parts) or None
