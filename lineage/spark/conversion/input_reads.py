"""How often a plan reads an input, and the operators that combine its rows with each other."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lineage.spark.conversion.executions import all_plans
from lineage.spark.conversion.output_sources import used_operators
from lineage.spark.document.arguments import Files

if TYPE_CHECKING:
    from lineage.spark.conversion.inputs_outputs import Flow, Input
    from lineage.spark.document.document import Document
    from lineage.spark.document.plan import Node, Plan

# More reads are not distinguished; a plan can repeat a part of itself exponentially often.
MAX_READS = 1000

# Operators that make a row of several others, and commands that change rows of earlier executions.
_COMBINING = {"ReplaceData", "UnionLoop", "WriteDelta"}


# Formats whose rows depend on options of the reader.
_TEXT_FORMATS = {"csv", "json"}


@dataclass(frozen=True)
class Reads:
    """``count``: number of reads. ``operators``: those above one that combine its rows.

    ``options``: names of the options of readers of text, None if it is not text.
    """

    count: int
    operators: tuple[str, ...]
    options: tuple[str, ...] | None = None

    @property
    def is_plain(self) -> bool:
        """Whether each row of the output has one row, or a group, and is not read from text."""
        return self.count == 1 and not self.operators and self.options is None


def count_reads(document: Document, flow: Flow, item: Input) -> Reads:
    """Count the reads of an input in all plans of an execution.

    If the command contains the plans nested in it, each read counts once.
    """
    by_plan: dict[int, list[int]] = defaultdict(list)
    for place, node in item.places:
        by_plan[place].append(node)
    reads = [_reads_in(all_plans(document)[place].plan, nodes) for place, nodes in by_plan.items()]
    counts = [each.count for each in reads] or [0]
    operators = sorted({operator for each in reads for operator in each.operators})
    count = max(counts) if flow.covers_nested else sum(counts)
    return Reads(min(count, MAX_READS), tuple(operators), _options_of(document, item))


def _options_of(document: Document, item: Input) -> tuple[str, ...] | None:
    """Return the names of the options of all readers of an input that is text."""
    plans = all_plans(document)
    nodes = (plans[place].plan.nodes[node] for place, node in item.places)
    arguments = (each for node in nodes for each in node.args.values())
    read = [
        each
        for each in arguments
        if isinstance(each, Files) and (each.format or "").lower() in _TEXT_FORMATS
    ]
    if not read:
        return None
    return tuple(sorted({name for each in read for name in each.options}))


def _reads_in(plan: Plan, relations: list[int]) -> Reads:
    """Count the paths from the root of a plan to these relations."""
    if plan.root is None:
        return Reads(len(relations), ())
    paths: Counter[int] = Counter({plan.root.index: 1})
    above: dict[int, set[str]] = defaultdict(set)
    for node in _parents_first(plan, plan.root):
        own = {node.op} if _combines_rows(node) else set()
        for child in used_operators(plan, node):
            paths[child] = min(paths[child] + paths[node.index], MAX_READS)
            above[child] |= above[node.index] | own
    operators = {operator for relation in relations for operator in above[relation]}
    return Reads(sum(paths[relation] for relation in relations), tuple(sorted(operators)))


def _combines_rows(node: Node) -> bool:
    return "Window" in node.op or node.op.startswith(("Merge", "Update")) or node.op in _COMBINING


def _parents_first(plan: Plan, root: Node) -> list[Node]:
    """Return the operators below the root, each before those whose rows it uses."""
    finished: list[Node] = []
    seen: set[int] = set()
    pending: list[tuple[Node, bool]] = [(root, False)]
    while pending:
        node, is_left = pending.pop()
        if is_left:
            finished.append(node)
        elif node.index not in seen:
            seen.add(node.index)
            pending.append((node, True))
            pending += [(plan.nodes[child], False) for child in used_operators(plan, node)]
    return finished[::-1]
