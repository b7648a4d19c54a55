"""The inputs of a run that its program has received, which are the sources of what it sends.

The other inputs did not come to the program: the database used them for INSERT … SELECT, or they
are files that the run moved away and wrote again. The outputs of these uses name them.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lineage.hub.output_facets import (
    ALL_INPUTS,
    SOURCES,
    mode_of,
    replaces_content,
    source_facet,
    writes_no_rows,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lineage.hub.events import Dataset

_MAX_SOURCES = 2_000  # of all outputs of an event; the other outputs have all inputs
_Name = tuple[str, str]


class ReceivedInputs:
    """Tells the inputs that the program has received from the others of a run.

    ``inputs`` and ``outputs`` are those of the run. A change of them, and a call, hold the lock of
    the content.
    """

    def __init__(self, inputs: Mapping[_Name, Dataset], outputs: Mapping[_Name, Dataset]) -> None:
        self._inputs = inputs
        self._outputs = outputs
        self._names: set[_Name] = set()
        self._moved: set[_Name] = set()
        self._below: dict[_Name, dict[_Name, None]] = {}  # outputs with sources, by directory
        self._listed: set[_Name] = set()  # outputs of which an event has listed the inputs

    def add_read(self, name: _Name) -> None:
        """Add an input. Of an output of the run, the program has received its sources so far."""
        name = self._recorded_name(name)
        self._names.add(name)
        self.add_sources(name)

    def add_move(self, name: _Name) -> None:
        """Add an input that the run moved away. Code that is not observed may have read it.

        If the run writes the name again, the move only kept the old content.
        """
        self._moved.add(self._recorded_name(name))

    def _recorded_name(self, name: _Name) -> _Name:
        """Return the name of an input, or that of its directory if this is recorded instead."""
        return name if name in self._inputs else (name[0], os.path.dirname(name[1]) or "/")

    def add_sources(self, name: _Name) -> None:
        """Add the sources that the output, or what it is a part or a directory of, has so far."""
        visited, pending = {name}, [name]
        while pending:
            for source in self._sources_at(pending.pop()):
                if source not in visited:
                    visited.add(source)
                    self._names.add(source)
                    pending.append(source)

    def add_output(self, name: _Name) -> None:
        """Take an output that may have sources, which a read of a directory of it finds."""
        for directory in _directories_of(name):
            self._below.setdefault(directory, {})[name] = None

    def remove_output(self, name: _Name) -> None:
        """Forget the sources of an output."""
        for directory in _directories_of(name):
            outputs = self._below.get(directory, {})
            outputs.pop(name, None)
            if not outputs:
                self._below.pop(directory, None)

    def _sources_at(self, name: _Name) -> Iterator[_Name]:
        for output in self._outputs_at(name):
            yield from _datasets_of(_sources_of(output))

    def _outputs_at(self, name: _Name) -> Iterator[Dataset]:
        directory = name[0], name[1].rstrip("/") or "/"
        for each in (name, *_directories_of(name), *self._below.get(directory, ())):
            if (output := self._outputs.get(each)) is not None:
                yield output

    def complete_outputs(self, *, is_last: bool) -> tuple[list[Dataset], int]:
        """Return the outputs of an event, and how many of them have more sources than they should.

        An output that the program sends has the inputs that it has received. They are listed if the
        run has others. ``is_last``: whether no event with other inputs follows. In the graph, the
        sources of all events of a run are united, and those of an output without the facet are not.
        """
        received = [each for each in self._inputs if self._is_received(each)]
        others = self._inputs.keys() - set(received)
        outputs: list[Dataset] = []
        budget, truncated = _MAX_SOURCES, 0
        for name, output in self._outputs.items():
            if not _is_sent(output):
                outputs.append(output)
                continue
            known = [each for each in _sources_of(output) if each != ALL_INPUTS]
            own = set(_datasets_of(known))
            is_listed = not others <= own or (SOURCES in output.facets and not is_last)
            more = [each for each in received if each not in own]
            budget -= len(more) if is_listed else 0
            if is_listed and budget >= 0:
                self._listed.add(name)
                output = _replace_sources(output, [*known, *source_facet(*more)["inputs"]])
            else:
                truncated += is_listed
                if name in self._listed:  # the sources of all events are united
                    output = _replace_sources(output, [*known, ALL_INPUTS])
            outputs.append(output)
        return outputs, truncated

    def _is_received(self, name: _Name) -> bool:
        if name in self._names or name not in self._moved:
            return name in self._names
        output = self._outputs.get(name)
        mode = mode_of(output.facets) if output is not None else ""
        is_written = replaces_content(mode) and not writes_no_rows(mode)
        return output is None or not is_written or name in _datasets_of(_sources_of(output))


def _directories_of(name: _Name) -> Iterator[_Name]:
    namespace, path = name
    while (parent := os.path.dirname(path)) not in ("", path):
        yield namespace, parent
        path = parent


def _is_sent(output: Dataset) -> bool:
    """Return whether the program sends rows of the output, or may do so."""
    if SOURCES in output.facets:
        return ALL_INPUTS in _sources_of(output)
    return not writes_no_rows(mode_of(output.facets))


def _sources_of(output: Dataset) -> list[Any]:
    """Return the sources in the facet of an output, which the program may have written itself."""
    facet = output.facets.get(SOURCES)
    inputs = facet.get("inputs") if isinstance(facet, dict) else None
    return inputs if isinstance(inputs, list) else []


def _datasets_of(sources: list[Any]) -> Iterator[_Name]:
    for each in sources:
        if isinstance(each, dict) and each.get("type") == "DATASET":
            yield each.get("namespace", ""), each.get("name", "")


def _replace_sources(output: Dataset, inputs: list[Any]) -> Dataset:
    facet = {**output.facets.get(SOURCES, {}), "inputs": inputs}
    return replace(output, facets={**output.facets, SOURCES: facet})
