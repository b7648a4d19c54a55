"""One output of two commands: a definition that does not tell its place, and its insert."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lineage.spark.columns import merge_lineage

if TYPE_CHECKING:
    from lineage.spark.commands.effects import Output
    from lineage.spark.conversion.inputs_outputs import Flow
    from lineage.spark.datasets.resolver import Dataset, DatasetResolver


def better_output(first: Output, other: Output) -> Output:
    """One output of two commands in one execution.

    What a CTAS says of it counts before what the insert in it says, and a table's before files'.
    """
    if _output_precedence(other) > _output_precedence(first):
        first, other = other, first
    return replace(
        first,
        dataset=first.dataset.merge_with(other.dataset),
        columns=merge_lineage(first.columns, other.columns),
    )


def _output_precedence(output: Output) -> tuple[bool, bool, bool]:
    dataset = output.dataset
    return dataset.is_presumed, dataset.kind != "FILE", output.change is not None


def locate_outputs(flow: Flow, names: DatasetResolver) -> None:
    """Put a new table where the insert nested in its CTAS wrote it; the CTAS does not say."""
    for named in list(flow.outputs.values()):
        places = [out for out in flow.outputs.values() if named.dataset.name in out.dataset.tables]
        for place in places:
            _merge_at(flow, named, place, replace(place.dataset, table=named.dataset.table))
    presumed = [out for out in flow.outputs.values() if out.dataset.is_presumed]
    if len(presumed) != 1:
        return
    (table,) = presumed
    places = [
        out
        for out in flow.outputs.values()
        if out is not table and out.dataset.table in (None, table.dataset.table)
    ]
    if len(places) != 1:
        return
    (place,) = places
    name = place.dataset.name.name.rpartition("/")[2]
    label = table.dataset.display_label.rpartition(".")[2]
    if place.dataset.kind == "FILE" and name.lower() != label.lower():
        return  # what another command in a micro-batch wrote
    dataset = names.at_location(table.dataset, place.dataset.name).merge_with(place.dataset)
    _merge_at(flow, table, place, dataset)


def _merge_at(flow: Flow, table: Output, place: Output, dataset: Dataset) -> None:
    """Let one output be of both commands: what the table's says of it, at the other's place."""
    columns = merge_lineage(table.columns, place.columns)
    del flow.outputs[table.dataset.name]
    flow.outputs[dataset.name] = replace(table, dataset=dataset, columns=columns)
    flow.writes = list(
        dict.fromkeys(dataset.name if n == table.dataset.name else n for n in flow.writes)
    )
