"""The inputs and outputs of one plan, collected in a walk."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from lineage.spark.columns import OutputColumns
from lineage.spark.commands.delta import is_log
from lineage.spark.commands.effects import Command, Effect, Output
from lineage.spark.commands.iceberg import is_internal
from lineage.spark.commands.registry import effect_of
from lineage.spark.commands.session import unknown_variables
from lineage.spark.conversion.output_locations import better_output
from lineage.spark.conversion.output_sources import OperatorReads, Sources, merge_sources
from lineage.spark.datasets.kafka import is_preparation
from lineage.spark.datasets.relations import (
    RELATIONS,
    ROWS_OF_RDDS,
    STREAMING,
    catalog_table,
    is_in_memory,
    jdbc_query,
    resolve_relation,
    rows_of_rdd,
)
from lineage.spark.datasets.resolver import Dataset, DatasetResolver, ResolvedDataset, Unresolved
from lineage.spark.document.arguments import Table
from lineage.spark.document.plan import VARIABLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lineage.columns.relation import Rows
    from lineage.naming import DatasetName
    from lineage.spark.document.document import Document
    from lineage.spark.document.plan import Node, Plan

# Rows created by the driver, references to operators visited elsewhere, and targets without rows.
NO_DATASET = {
    "CTERelationRef",
    "CommandResult",
    "EmptyRelation",
    "LocalRelation",
    "OneRowRelation",
    "Range",
    "ResolvedIdentifier",
    "ResolvedNamespace",
    "ResolvedTable",
    "UnionLoopRef",
}


OF_A_VARIABLE = "a variable whose value may come from data read by an earlier statement"


@dataclass
class Input:
    """A dataset that is read, and its positions as (plan, node) in the document."""

    dataset: Dataset
    places: list[tuple[int, int]] = field(default_factory=list)


@dataclass(frozen=True)
class FilteredCounts:
    """The numbers of datasets excluded by the lists; if ``unknown``, there may be more."""

    inputs: int
    outputs: int
    unknown: bool

    @property
    def is_known_to_be_nothing(self) -> bool:
        return not (self.inputs or self.outputs or self.unknown)


@dataclass
class Flow:
    """The inputs and outputs of an execution, each dataset once, and the unresolved ones.

    ``command`` is the operator in the job's name and ``target`` the object of that command.
    ``writes`` lists the outputs in the order of the commands that write them. ``filtered`` is None
    if the application has no lists of datasets.

    ``covers_nested`` is true if the nested executions read and write no more datasets than the
    command. ``skips_if_exists`` is true if the command writes nothing if its target exists, and a
    nested execution names the target.
    ``reads_log`` is true if the execution reads metadata of a table, or data that a connector
    creates for itself. ``is_upkeep`` is true if it reads and writes nothing else. ``is_auxiliary``
    is true if it is a part of other executions and gets a run only if it fails. ``in_memory`` lists
    the operators whose rows the driver created. ``sources`` has the
    inputs of the write of each output.
    """

    inputs: dict[DatasetName, Input] = field(default_factory=dict)
    outputs: dict[DatasetName, Output] = field(default_factory=dict)
    unresolved: list[Unresolved] = field(default_factory=list)
    command: str | None = None
    target: str | None = None
    writes: list[DatasetName] = field(default_factory=list)
    covers_nested: bool = False
    skips_if_exists: bool = False
    reads_log: bool = False
    is_upkeep: bool = False
    is_auxiliary: bool = False
    in_memory: list[str] = field(default_factory=list)
    sources: dict[DatasetName, Sources] = field(default_factory=dict)
    filtered: FilteredCounts | None = None

    @property
    def may_quote(self) -> bool:
        """Return whether texts that may name datasets, such as SQL and errors, are reported."""
        return self.filtered is None or self.filtered.is_known_to_be_nothing


@dataclass
class InputOutputWalk:
    """One walk over one plan; ``place`` is the plan's index in the document.

    ``known`` maps operators to rows that another plan of the document describes: the micro-batch,
    whose datasets are ``of_batch``.
    """

    flow: Flow
    document: Document
    plan: Plan
    place: int
    names: DatasetResolver
    known: Mapping[int, Rows]
    of_batch: Sources = None
    seen: set[int] = field(default_factory=set)
    writes: list[tuple[Node, Effect]] = field(default_factory=list)

    @cached_property
    def operator_reads(self) -> OperatorReads:
        return OperatorReads(self.plan)

    @cached_property
    def output_columns(self) -> OutputColumns:
        return OutputColumns(self.plan, self.names, self.known)

    def _command_of(self, node: Node) -> Command:
        mode = self.document.app.conf.get("spark.sql.sources.partitionOverwriteMode", "")
        options = self.document.query.options if self.document.query else {}
        error = self.document.error.message if self.document.error else ""
        return Command(self.plan, node, self.names, mode.lower() == "dynamic", options, error)

    def run(self) -> None:
        pending = self._root_nodes()
        while pending:
            node = pending.pop()
            if node.index not in self.seen:
                self.seen.add(node.index)
                pending += reversed(list(self._visit_node(node)))
        for node, done in self.writes:
            self._add_sources(node, done)

    def _root_nodes(self) -> list[Node]:
        """Return the operators to start at: all, if truncation lost the edges between them."""
        cut = self.plan.truncated
        if self.plan.root and not (cut and "nodes" in cut.lost):
            return [self.plan.root]
        done = [effect_of(self._command_of(node)) for node in self.plan.nodes if node.level == 0]
        targets = {index for item in done if item for index in item.not_read}
        own = (node for node in self.plan.nodes if node.level == 0)
        return [node for node in own if node.index not in targets]

    def _visit_node(self, node: Node) -> Iterator[Node]:
        for name in unknown_variables(self.plan, node):
            self._add_unresolved([Unresolved(VARIABLE, OF_A_VARIABLE, name)], node)
        done = effect_of(self._command_of(node))
        if done is not None:
            if self.place == 0 and self.flow.command is None:
                self.flow.command, self.flow.target = node.op, done.target_label
                self.flow.covers_nested, self.flow.skips_if_exists = (
                    done.covers_nested,
                    done.skips_if_exists,
                )
            self._apply_effect(self.output_columns.with_column_lineage(node, done), node)
            if not done.reads_nothing:
                below = self.plan.child_nodes(node)
                yield from (child for child in below if child.index not in done.not_read)
            return
        for dataset in self._resolve_inputs(node):
            self._add_input(dataset, node)
        if is_in_memory(node) and not self._is_reported_elsewhere(node):
            self._add_in_memory(node)
        if node.op in RELATIONS and (table := catalog_table(node, self.names)):
            self.flow.inputs.setdefault(table.name, Input(table))
            self.operator_reads.add_reads(node, frozenset({table.name}))
        if node.index in self.known:
            self.operator_reads.add_reads(node, self.of_batch)
        if node.op not in STREAMING:  # these may contain the same source again
            yield from self.plan.child_nodes(node)

    def _resolve_inputs(self, node: Node) -> Iterator[ResolvedDataset]:
        if self._is_reported_elsewhere(node):
            return
        if is_log(self.plan, node) or is_internal(node) or is_preparation(node):
            self.flow.reads_log = True
        elif node.op in RELATIONS:
            yield from resolve_relation(self.plan, node, self.names)
        elif node.op == "View":
            yield from self._resolve_view(node)
        elif node.op in ROWS_OF_RDDS:
            yield from rows_of_rdd(node, self.names)
        elif node.op not in NO_DATASET and not (node.children or node.inner):
            yield Unresolved(node.op, "an operator that is not known", node.cls)

    def _is_reported_elsewhere(self, node: Node) -> bool:
        """Return whether another plan, of this document or an earlier execution, has its rows."""
        return node.index in self.known or node.rows_of is not None

    def _resolve_view(self, node: Node) -> Iterator[ResolvedDataset]:
        """Yield a catalog view as an input, in addition to its tables; skip temporary views."""
        view = node.get_argument("desc", Table)
        if view and view.database and not node.get_flag("isTempView"):
            yield replace(self.names.resolve_table(view), columns=self.plan.output_columns(node))

    def _add_input(self, dataset: ResolvedDataset, node: Node) -> None:
        if isinstance(dataset, Unresolved):
            self._add_unresolved([dataset], node)
            return
        self.operator_reads.add_reads(node, frozenset({dataset.name}))
        known = self.flow.inputs.setdefault(dataset.name, Input(dataset))
        known.dataset = known.dataset.merge_with(dataset)
        if not jdbc_query(node):  # the rows of a query are not those of its tables
            known.places.append((self.place, node.index))

    def _add_in_memory(self, node: Node) -> None:
        if node.op not in self.flow.in_memory:
            self.flow.in_memory.append(node.op)
        if self.document.query:  # the driver may have made these rows of those of the batch
            self.operator_reads.add_reads(node, None)

    def _apply_effect(self, done: Effect, node: Node) -> None:
        self.writes.append((node, done))
        for output in done.outputs:
            self._add_output(output)
        for dataset in done.inputs:
            if isinstance(dataset, Dataset):
                self.flow.inputs.setdefault(dataset.name, Input(dataset))
                self.operator_reads.add_reads(node, frozenset({dataset.name}))
        self._add_unresolved(done.unresolved, node)

    def _add_sources(self, node: Node, done: Effect) -> None:
        sources = self.operator_reads.sources_of(node, done.not_read)
        for output in done.outputs:
            name = output.dataset.name
            known = self.flow.sources.get(name, sources)
            self.flow.sources[name] = merge_sources(known, sources)

    def _add_output(self, output: Output) -> None:
        outputs = self.flow.outputs
        if output.carries_rows and output.dataset.name not in self.flow.writes:
            self.flow.writes.append(output.dataset.name)
        name = output.dataset.name
        known = outputs.get(name)
        if known:
            output = better_output(known, output)
        outputs[name] = output

    def _add_unresolved(self, unresolved: Iterable[Unresolved], node: Node) -> None:
        for item in unresolved:
            self.operator_reads.add_reads(node, None)
            if item not in self.flow.unresolved:
                self.flow.unresolved.append(item)
