"""The outputs that the runs of this process have replaced, by events of their own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lineage.hub.output_facets import mode_facets, mode_of, replaces_content

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lineage.hub.events import Dataset

_MAX_OUTPUTS = 10_000
_replaced: dict[tuple[str, str, str], None] = {}  # by run, the oldest first


def complete_modes(run_id: str, outputs: Iterable[Dataset]) -> list[Dataset]:
    """Return the outputs of an event with the modes that they have in their run.

    The newest mode of a run wins in the graph. So a write that appends to an output that the run
    has overwritten before is a part of that overwrite.
    """
    return [_complete_mode(run_id, each) for each in outputs]


def _complete_mode(run_id: str, output: Dataset) -> Dataset:
    mode, key = mode_of(output.facets), (run_id, output.namespace, output.name)
    if replaces_content(mode):
        while len(_replaced) >= _MAX_OUTPUTS:
            _replaced.pop(next(iter(_replaced), key), None)
        _replaced[key] = None
    elif mode and key in _replaced:
        return replace(output, facets={**output.facets, **mode_facets("overwrite")})
    return output
