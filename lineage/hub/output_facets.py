"""The facets of an output that several observations of a run report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

LIFECYCLE = "lifecycleStateChange"
SOURCES = "lineage"
TYPE = "datasetType"
_ALL_INPUTS = {"type": "JOB"}  # stands for the inputs of the run


def source_facet(*sources: tuple[str, str]) -> dict[str, Any]:
    """Return the facet of an output that is made of these datasets only."""
    return {"inputs": [{"namespace": ns, "name": name, "type": "DATASET"} for ns, name in sources]}


def removal_facets() -> dict[str, Any]:
    """Return the facets of a dataset that was removed: no input of the run is a source of it."""
    return {LIFECYCLE: {LIFECYCLE: "DROP"}, SOURCES: source_facet()}


def is_removal(facets: Mapping[str, Any]) -> bool:
    """Return whether these are the facets of an output that the run removed."""
    return bool(facets.get(LIFECYCLE, {}).get(LIFECYCLE) == "DROP")


def merge_writes(
    known: Mapping[str, Any], new: Mapping[str, Any], *, is_written: bool
) -> dict[str, Any]:
    """Merge the facets of a write or a removal with those of earlier observations.

    ``is_written``: whether one of these was a write. Sources are united. A write whose sources are
    not known has all inputs of the run. A table that the run wrote and then removed stays an
    output, because its rows may have passed to others. It is a view if each write defined the same.
    """
    if is_removal(new):
        return dict(known) if is_written else {**known, **new}
    if not is_written:
        omitted = (LIFECYCLE, SOURCES) if is_removal(known) else ()
        return {**{name: each for name, each in known.items() if name not in omitted}, **new}
    merged = {**known, **new}
    if SOURCES in merged:
        every = [
            each
            for facets in (known, new)
            for each in facets.get(SOURCES, {"inputs": [_ALL_INPUTS]}).get("inputs", ())
        ]
        united = [each for place, each in enumerate(every) if each not in every[:place]]
        merged[SOURCES] = {**merged[SOURCES], "inputs": united}
    if TYPE in merged and (TYPE not in new or merged.get(SOURCES) != new.get(SOURCES)):
        del merged[TYPE]
    return merged
