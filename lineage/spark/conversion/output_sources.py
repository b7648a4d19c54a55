"""The datasets that the write of each output reads, if a run has several outputs."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from openlineage.client.generated.lineage import (
    LineageDatasetFacet,
    LineageDatasetInput,
    LineageJobInput,
)

from lineage.spark.datasets.relations import STREAMING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from openlineage.client.generated.lineage import LineageInput

    from lineage.naming import DatasetName
    from lineage.spark.commands.effects import Output
    from lineage.spark.conversion.inputs_outputs import Flow
    from lineage.spark.document.document import Document
    from lineage.spark.document.plan import Node, Plan

# None if some sources are not known: then the output may have rows of every input.
Sources: TypeAlias = "frozenset[DatasetName] | None"


@dataclass
class OperatorReads:
    """The datasets that each operator of a plan reads itself.

    ``unclear`` are the operators with rows or values of unknown origin.
    """

    plan: Plan
    datasets: dict[int, set[DatasetName]] = field(default_factory=lambda: defaultdict(set))
    unclear: set[int] = field(default_factory=set)

    def add_reads(self, node: Node, sources: Sources) -> None:
        if sources is None:
            self.unclear.add(node.index)
        else:
            self.datasets[node.index] |= sources

    def sources_of(self, write: Node, not_read: Iterable[int]) -> Sources:
        """Return the datasets that a command and the operators below it read."""
        if self.plan.truncated:
            return None
        names: set[DatasetName] = set()
        seen = set(not_read)
        pending = [write.index]
        while pending:
            index = pending.pop()
            if index in seen:
                continue
            seen.add(index)
            if index in self.unclear:
                return None
            names |= self.datasets.get(index, set())
            node = self.plan.nodes[index]
            if node.op not in STREAMING:  # these may contain the same source again
                pending += used_operators(self.plan, node)
        return frozenset(names)


def used_operators(plan: Plan, node: Node) -> Iterator[int]:
    """Yield the operators whose rows an operator uses, each as often as it uses them."""
    if node.op == "CTERelationRef":
        yield from _definitions_of(plan, node)
    elif node.op == "WithCTE":
        yield from node.children[-1:]
    else:
        yield from node.children
        yield from {child.index for child in plan.child_nodes(node)} - set(node.children)


def _definitions_of(plan: Plan, reference: Node) -> Iterator[int]:
    definition = reference.args.get("cteId")
    for other in plan.nodes:
        if other.op == "CTERelationDef" and other.args.get("id") == definition:
            yield other.index


def merge_sources(first: Sources, other: Sources) -> Sources:
    """Merge the sources of two writes of one execution into the same dataset."""
    return None if first is None or other is None else first | other


def sources_facet(document: Document, flow: Flow, item: Output) -> LineageDatasetFacet | None:
    """Build the ``lineage`` facet of an output; None if it comes from all inputs of the run.

    The graph unites the facets of all events of a run. If one event of a stream has the facet for
    an output, another one cannot be without.
    """
    outputs = [output for output in flow.outputs.values() if output.carries_rows]
    if item not in outputs:
        return None
    sources = flow.sources.get(item.dataset.name)
    if not (document.query and document.nested) and (
        len(outputs) < 2 or sources is None or sources == flow.inputs.keys()
    ):
        return None
    inputs: list[LineageInput] = [LineageJobInput("JOB")]
    if sources is not None:
        inputs = [LineageDatasetInput(*name, type="DATASET") for name in sorted(sources)]
    return LineageDatasetFacet(inputs=inputs)
