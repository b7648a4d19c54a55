"""Records for the effect of a command, and the functions that build them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from openlineage.client.facet_v2 import lifecycle_state_change_dataset

from lineage.spark.datasets.resolver import Dataset, DatasetResolver, ResolvedDataset, Unresolved
from lineage.spark.document.arguments import ExpressionRef

if TYPE_CHECKING:
    from lineage.columns.compaction import ColumnLineage
    from lineage.naming import DatasetName
    from lineage.spark.document.arguments import Column
    from lineage.spark.document.plan import Node, Plan

# A path or a URI that does not depend on another directory.
ABSOLUTE = re.compile(r"/|[A-Za-z][\w+.-]*:")

Change = lifecycle_state_change_dataset.LifecycleStateChange


@dataclass(frozen=True)
class Output:
    """A dataset that a command writes or changes.

    ``change`` is None for an append and for the overwrite of some partitions, because neither
    replaces all rows; ``mode`` distinguishes them. ``skips_if_exists`` is true for a command
    that writes nothing if its target exists. ``columns`` is the column lineage of the dataset.
    """

    dataset: Dataset
    change: Change | None = None
    mode: str = "append"
    previous: DatasetName | None = None
    skips_if_exists: bool = False
    carries_rows: bool = True
    columns: ColumnLineage | None = None


@dataclass(frozen=True)
class Effect:
    """The datasets that a command writes, and those it reads in addition to its query.

    ``target`` names the object of the command in the job's name, if that is not its first output.
    ``not_read`` are plans in its arguments that it does not read, such as the target of a write; a
    walk skips them. ``covers_nested`` is true if its nested executions read and write no further
    datasets. ``skips_if_exists`` is that of an output which only a nested execution names.
    """

    outputs: tuple[Output, ...] = ()
    inputs: tuple[ResolvedDataset, ...] = ()
    unresolved: tuple[Unresolved, ...] = ()
    not_read: frozenset[int] = frozenset()
    reads_nothing: bool = False
    target: str | None = None
    covers_nested: bool = False
    skips_if_exists: bool = False

    @property
    def target_label(self) -> str | None:
        """The object of the command: the name of a table, or of another dataset."""
        if self.target or not self.outputs:
            return self.target
        return self.outputs[0].dataset.display_label


@dataclass(frozen=True)
class Command:
    """A command in its plan.

    ``dynamic`` is true if overwrites of this session replace partitions. ``options`` are the
    options of a streaming query's sink, with keys in lower case. ``error`` is the message of an
    execution that failed.
    """

    plan: Plan
    node: Node
    names: DatasetResolver
    dynamic: bool = False
    options: Mapping[str, str] = field(default_factory=dict)
    error: str = ""

    def output_columns(self) -> tuple[Column, ...]:
        """Return the written columns: those of the query, renamed as the command specifies."""
        query = self.plan.written_query(self.node)
        columns = self.plan.output_columns(query) if query else ()
        names = self.node.get_texts("outputColumnNames")
        if len(names) != len(columns):
            return columns
        return tuple(
            replace(column, name=name) for column, name in zip(columns, names, strict=True)
        )

    def _text_columns(self, columns: tuple[Column, ...]) -> tuple[Column, ...]:
        """Return the columns as readers of text files name them.

        The directories have the names of partitions, and the files have no name.
        """
        refs = self.node.get_argument("partitionColumns", tuple) or ()
        in_path = {self.plan.exprs[r.index].name for r in refs if isinstance(r, ExpressionRef)}
        return tuple(
            column if column.name in in_path else replace(column, name="value")
            for column in columns
        )

    def unresolved_effect(self, reason: str, detail: str | None = None) -> Effect:
        return Effect(unresolved=(Unresolved(self.node.op, reason, detail),))

    @property
    def skips_if_exists(self) -> bool:
        """Whether the command writes nothing if its target exists."""
        return self.node.get_text("mode") == "Ignore"

    def write_effect(self, dataset: Dataset, change: Change | None, mode: str) -> Effect:
        """Build the effect of writing rows.

        If the dataset is written at a part such as ``d/day=1``, only that part changes.
        """
        if not dataset.columns:
            dataset = replace(dataset, columns=self.output_columns())
        if is_text_file(dataset):
            dataset = replace(dataset, columns=self._text_columns(dataset.columns))
        if dataset.locations and change in (Change.CREATE, Change.OVERWRITE):
            mode = "append" if change is Change.CREATE else "overwrite_partitions"
            change = None
        return Effect((Output(dataset, change, mode, skips_if_exists=self.skips_if_exists),))


def is_text_file(dataset: Dataset) -> bool:
    """Return whether the dataset consists of text files that are no table."""
    return dataset.kind == "FILE" and (dataset.format or "").lower() == "text"


Handler = Callable[[Command], Effect]


def by_mode(command: Command, is_partial: bool) -> tuple[Change | None, str]:
    mode = command.node.get_text("mode") or "Append"
    if mode == "Overwrite":
        return (None, "overwrite_partitions") if is_partial else (Change.OVERWRITE, "overwrite")
    return (None, "append") if mode == "Append" else (Change.CREATE, "create")


def change_effect(dataset: Dataset, change: Change, previous: DatasetName | None = None) -> Effect:
    """Build the effect of a change to the dataset itself, without rows."""
    output = Output(dataset, change, change.value.lower(), previous, carries_rows=False)
    return Effect((output,), reads_nothing=True)


def definition_effect(
    dataset: Dataset, change: Change, previous: DatasetName | None = None
) -> Effect:
    """Build the effect of a change to the definition of a table, whose files and rows stay.

    Spark and Hive leave the files of an external table when they create, rename or drop it.
    """
    effect = change_effect(dataset, change, previous)
    return replace(effect, outputs=tuple(replace(out, mode="alter") for out in effect.outputs))


def rename_effect(old: Dataset, new: Dataset) -> Effect:
    """Build the effect of a rename; the old dataset is the input of the new one."""
    if old.name == new.name:
        return definition_effect(new, Change.RENAME, old.name)
    return replace(change_effect(new, Change.RENAME, old.name), inputs=(old,))


def relocation_effect(command: Command, old: Dataset) -> Effect:
    """Build the effect of SET LOCATION.

    No rows are copied, but the table now consists of the data at the new location. The table's name
    becomes a symlink of the new location. The old location keeps its data.
    """
    location = command.node.get_text("location")
    if location is None:
        return change_effect(old, Change.ALTER)
    if not ABSOLUTE.match(location):
        done = change_effect(old, Change.ALTER)
        unknown = Unresolved(command.node.op, "a relative location", location)
        return replace(done, unresolved=(unknown,))
    new = command.names.move_to(old, location)
    if new.name == old.name:
        return change_effect(old, Change.ALTER)
    done = change_effect(new, Change.ALTER, old.name)
    # An unlocated table was named by its table name, which now belongs to the new location.
    before = () if old.is_unlocated else change_effect(old, Change.ALTER).outputs
    return replace(done, outputs=(*done.outputs, *before))


def written_to(
    command: Command, resolved: list[ResolvedDataset], change: Change | None, mode: str = ""
) -> Effect:
    datasets = [dataset for dataset in resolved if isinstance(dataset, Dataset)]
    missing = tuple(item for item in resolved if isinstance(item, Unresolved))
    if not resolved:
        return command.unresolved_effect("a target that is not known")
    mode = mode or ("overwrite" if change is Change.OVERWRITE else "append")
    outputs = [
        out for dataset in datasets for out in command.write_effect(dataset, change, mode).outputs
    ]
    return Effect(tuple(outputs), unresolved=missing)
