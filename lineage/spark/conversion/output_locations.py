"""Outputs of a definition without a location, merged with those of its insert."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lineage.spark.columns import merge_lineage
from lineage.spark.conversion.output_sources import merge_sources

if TYPE_CHECKING:
    from lineage.spark.commands.effects import Output
    from lineage.spark.conversion.inputs_outputs import Flow
    from lineage.spark.datasets.resolver import Dataset, DatasetResolver


def better_output(first: Output, other: Output) -> Output:
    """Merge two outputs of the same dataset in one execution.

    The facts of a CTAS take precedence over those of its insert, and a table over files.
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
    """Move a new table to the location that the insert nested in its CTAS wrote."""
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
        return  # the files are an output of another command in the micro-batch
    dataset = names.at_location(table.dataset, place.dataset.name).merge_with(place.dataset)
    _merge_at(flow, table, place, dataset)


def _merge_at(flow: Flow, table: Output, place: Output, dataset: Dataset) -> None:
    """Merge both outputs: the facts of the table's command, at the location of the other."""
    columns = merge_lineage(table.columns, place.columns)
    del flow.outputs[table.dataset.name]
    flow.outputs[dataset.name] = replace(table, dataset=dataset, columns=columns)
    known = (flow.sources.get(merged.dataset.name) for merged in (table, place))
    flow.sources[dataset.name] = merge_sources(*known)
    flow.writes = list(
        dict.fromkeys(dataset.name if n == table.dataset.name else n for n in flow.writes)
    )
