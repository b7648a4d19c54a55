"""Plans of earlier executions, appended to a plan that refers to them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lineage.spark.document.arguments import ExpressionRef, Other, PlanRef, Value

if TYPE_CHECKING:
    from lineage.spark.document.plan import Expression, Node, Plan


def graft_plans(plan: Plan, earlier: list[Plan]) -> Plan:
    """Append the operators of earlier plans to a plan, and resolve its references to them."""
    nodes, exprs = list(plan.nodes), list(plan.exprs)
    roots: list[int | None] = []
    times = {node.earlier: node.read_at for node in plan.nodes}
    times |= {expr.earlier: expr.read_at for expr in plan.exprs}
    for place, other in enumerate(earlier):
        at = ShiftedIndexes(len(nodes), len(exprs), times.get(place))
        roots.append(None if other.root is None else at.nodes + _rows_of(other, other.root))
        nodes += [at.shift_node(node) for node in other.nodes]
        exprs += [at.shift_expression(expr) for expr in other.exprs]
    for node in plan.nodes:
        if node.earlier is not None and (root := roots[node.earlier]) is not None:
            nodes[node.index] = replace(node, rows_of=root, inner=(*node.inner, root))
    for index, expr in enumerate(plan.exprs):
        if expr.earlier is not None:
            exprs[index] = replace(expr, plan=roots[expr.earlier])
    own = None if plan.root is None else nodes[plan.root.index]
    return replace(plan, nodes=tuple(nodes), exprs=tuple(exprs), root=own)


def _rows_of(plan: Plan, root: Node) -> int:
    """Return the operator that produces the plan's rows; for a stream, the written query."""
    query = plan.written_query(root) if root.op.startswith("WriteTo") else root
    return (query or root).index


@dataclass(frozen=True)
class ShiftedIndexes:
    """Offsets of a plan's operators and expressions in the combined plan, and its time."""

    nodes: int
    exprs: int
    read_at: int | None = None

    def shift_node(self, node: Node) -> Node:
        return replace(
            node,
            index=node.index + self.nodes,
            children=self._shift_all(node.children, self.nodes),
            inner=self._shift_all(node.inner, self.nodes),
            out=self._shift_all(node.out, self.exprs),
            args={name: self._shift_value(value) for name, value in node.args.items()},
            rows_of=None if node.rows_of is None else node.rows_of + self.nodes,
            level=node.level + 1,
            read_at=node.read_at or self.read_at,
        )

    def shift_expression(self, expr: Expression) -> Expression:
        return replace(
            expr,
            children=self._shift_all(expr.children, self.exprs),
            outer=self._shift_all(expr.outer, self.exprs),
            plan=None if expr.plan is None else expr.plan + self.nodes,
        )

    @staticmethod
    def _shift_all(indexes: tuple[int, ...], by: int) -> tuple[int, ...]:
        return tuple(index + by for index in indexes)

    def _shift_value(self, value: Value) -> Value:
        if isinstance(value, ExpressionRef):
            return ExpressionRef(value.index + self.exprs)
        if isinstance(value, PlanRef):
            return PlanRef(value.index + self.nodes)
        if isinstance(value, tuple):
            return tuple(map(self._shift_value, value))
        if isinstance(value, dict):
            return {name: self._shift_value(item) for name, item in value.items()}
        if isinstance(value, Other):
            return Other(
                value.cls, {name: self._shift_value(item) for name, item in value.args.items()}
            )
        return value
