"""The facets of an output that several observations of a run report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

LIFECYCLE = "lifecycleStateChange"
SOURCES = "lineage"
TYPE = "datasetType"
WRITE_MODE = "lineage_write"
_REMOVING = ("drop", "truncate")
_REPLACING = ("create", "overwrite", "rename", *_REMOVING)
_WITHOUT_ROWS = ("alter", *_REMOVING)
ALL_INPUTS = {"type": "JOB"}  # stands for the inputs of the run


def source_facet(*sources: tuple[str, str], with_inputs: bool = False) -> dict[str, Any]:
    """Return the facet of an output that is made of these datasets only.

    ``with_inputs``: whether it is made of the inputs of the run too.
    """
    inputs = [{"namespace": ns, "name": name, "type": "DATASET"} for ns, name in sources]
    return {"inputs": [*inputs, ALL_INPUTS] if with_inputs else inputs}


def removal_facets() -> dict[str, Any]:
    """Return the facets of a dataset that was removed: no input of the run is a source of it."""
    return {LIFECYCLE: {LIFECYCLE: "DROP"}, SOURCES: source_facet()}


def mode_facets(mode: str) -> dict[str, Any]:
    """Return the facet of an output with the mode of its write; none if it is not known."""
    return {WRITE_MODE: {"mode": mode}} if mode else {}


def mode_of(facets: Mapping[str, Any]) -> str:
    """Return the mode of a write, as ``lineage.write_mode()`` does; "" if it is not known."""
    mode = facets.get(WRITE_MODE, {}).get("mode") or facets.get(LIFECYCLE, {}).get(LIFECYCLE)
    return str(mode or "").lower()


def replaces_content(mode: str) -> bool:
    """Return whether a write of this mode leaves nothing of the earlier content."""
    return mode in _REPLACING


def writes_no_rows(mode: str) -> bool:
    """Return whether a change of this mode writes no rows, so that it has no sources."""
    return mode in _WITHOUT_ROWS


def merge_modes(known: str, new: str) -> str:
    """Return the mode of two consecutive writes: an overwrite by the first remains one."""
    if new in _REPLACING:
        return new
    if known in _REPLACING:
        return "overwrite" if known in _REMOVING else known
    return new if known else ""


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
    merged = _merge_facets(known, new, is_written=is_written)
    if is_removal(new):
        return merged
    mode = mode_of(new)
    if is_written or is_removal(known):
        mode = merge_modes(mode_of(known), mode)
    merged.pop(WRITE_MODE, None)
    return merged if mode == mode_of(merged) else {**merged, **mode_facets(mode)}


def _merge_facets(
    known: Mapping[str, Any], new: Mapping[str, Any], *, is_written: bool
) -> dict[str, Any]:
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
            for each in facets.get(SOURCES, {"inputs": [ALL_INPUTS]}).get("inputs", ())
        ]
        united = [each for place, each in enumerate(every) if each not in every[:place]]
        merged[SOURCES] = {**merged[SOURCES], "inputs": united}
    if TYPE in merged and (TYPE not in new or merged.get(SOURCES) != new.get(SOURCES)):
        del merged[TYPE]
    return merged
