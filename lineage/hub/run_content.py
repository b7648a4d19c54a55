"""The datasets of a run, and its other observations."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lineage.hub.change_lock import lock_content
from lineage.hub.configuration import LOG
from lineage.hub.events import OTHER, Dataset, FileIo, Job, TransformSchema
from lineage.hub.loading import loading_modules
from lineage.hub.output_facets import SOURCES, is_removal, merge_writes
from lineage.hub.own_files import OwnFiles
from lineage.hub.received_inputs import ReceivedInputs
from lineage.hub.sql_sessions import ClientSessions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineage.hub.events import Payload

MAX_NAMES = 1000  # datasets of one side of a run; the directories of the others follow
_MAX_ITEMS = 1000  # different requests
# Summed fields of equal items; all other fields are their identity.
_SUMS = ("count", "request_bytes", "response_bytes", "duration_ms")

Side = dict[tuple[str, str], Dataset]


class RunContent:
    """Inputs and outputs of a run, and the items of its facet ``lineage_observed``.

    Threads may add to it at the same time.
    """

    def __init__(self) -> None:
        self.inputs: Side = {}
        self.outputs: Side = {}
        self.counts: dict[str, int] = {}
        self._received = ReceivedInputs(self.inputs, self.outputs)
        self._written: set[tuple[str, str]] = set()  # outputs that were not only described
        self.own_files = OwnFiles(self)
        self._sessions = ClientSessions()
        self._items: dict[tuple[Any, ...], dict[str, Any]] = {}

    def add_input(
        self,
        dataset: Dataset,
        rows: int | None = None,
        bytes: int | None = None,
        *,
        is_received: bool = True,
    ) -> None:
        """Add a read of ``dataset`` to the inputs. ``is_received``: by the program."""
        self._add_dataset(self.inputs, dataset, rows, bytes)
        if is_received:
            self.receive_input((dataset.namespace, dataset.name))

    @lock_content
    def receive_input(self, name: tuple[str, str]) -> None:
        """Record that the program has received the content of an input."""
        self._received.add_read(name)

    @lock_content
    def move_input(self, name: tuple[str, str]) -> None:
        """Record that the run has moved an input, whose content the program may have received."""
        self._received.add_move(name)

    @lock_content
    def receive_sources(self, name: tuple[str, str]) -> None:
        """Record that the program has read the output ``name``, which is no input."""
        self._received.add_sources(name)

    def add_output(
        self, dataset: Dataset, rows: int | None = None, bytes: int | None = None
    ) -> None:
        """Add a write or the removal of ``dataset`` to the outputs."""
        self._add_dataset(self.outputs, dataset, rows, bytes)

    @lock_content
    def forget_sources(self, name: tuple[str, str]) -> None:
        """Forget where the content of an output came from, because it is replaced."""
        self._received.remove_output(name)
        self._written.discard(name)
        if (known := self.outputs.get(name)) is not None:
            facets = {key: each for key, each in known.facets.items() if key != SOURCES}
            self.outputs[name] = replace(known, facets=facets)

    @lock_content
    def remove_output(self, name: tuple[str, str]) -> Dataset | None:
        """Remove an output that was temporary, and return it."""
        self._received.remove_output(name)
        self._written.discard(name)
        return self.outputs.pop(name, None)

    def _add_dataset(
        self,
        side: Side,
        dataset: Dataset,
        rows: int | None = None,
        bytes: int | None = None,
        *,
        is_access: bool = True,
    ) -> None:
        for part in (dataset.namespace, dataset.name):
            if not isinstance(part, str) or not part:  # the event of the run would be rejected
                raise ValueError(f"{part!r} is no name of a dataset")
        counts = _valid_count(rows, "rows"), _valid_count(bytes, "bytes")
        self._merge_dataset(side, dataset, counts, is_access=is_access)

    @lock_content  # without calls of the logger, whose handlers have locks of their own
    def _merge_dataset(
        self,
        side: Side,
        dataset: Dataset,
        counts: tuple[int | None, int | None],
        *,
        is_access: bool,
    ) -> None:
        rows, bytes = counts
        key = (dataset.namespace, dataset.name)
        if key not in side and len(side) >= MAX_NAMES:
            self.add_count("truncated")
            dataset = Dataset(dataset.namespace, os.path.dirname(dataset.name) or "/")
            key, rows, bytes = (dataset.namespace, dataset.name), None, None
        known = side.get(key, replace(dataset, facets={}))
        facets = {**known.facets, **dataset.facets}
        if is_access and side is self.outputs:
            facets = merge_writes(known.facets, dataset.facets, is_written=key in self._written)
            if not is_removal(dataset.facets):
                self._written.add(key)
        if side is self.outputs and SOURCES in facets:
            self._received.add_output(key)
        side[key] = replace(
            known,
            facets=facets,
            rows=_add_counts(known.rows, rows),
            bytes=_add_counts(known.bytes, bytes),
        )

    def add_payload(self, payload: Payload) -> None:
        """Add an observation as if it had been an event of the run."""
        with loading_modules():
            from lineage.hub.observations import Observation, add_payload  # if observing only

            described = Observation(
                OTHER, Job("", ""), None, {}, read_tables=self._sessions.read_tables
            )
            add_payload(described, payload)
        if isinstance(payload, FileIo) and self.own_files.add_operation(payload, described):
            return
        is_access = not isinstance(payload, TransformSchema)
        for side, datasets in (
            (self.inputs, described.inputs),
            (self.outputs, described.outputs),
        ):
            for each in datasets:
                plain, name = replace(each, bytes=None), (each.namespace, each.name)
                self._add_dataset(side, plain, bytes=each.bytes, is_access=is_access)
                if side is self.inputs and name in described.moved:
                    self.move_input(name)
                elif side is self.inputs and name not in described.not_received:
                    self.receive_input(name)
        for item in described.run_facets.get("lineage_observed", {}).get("items", ()):
            self.add_item(item)

    @lock_content
    def add_item(self, item: Mapping[str, Any]) -> None:
        """Count an item, and sum its bytes and durations with those of equal ones."""
        sums = {"count": 1, **{name: item[name] for name in _SUMS if name in item}}
        fields = {name: value for name, value in item.items() if name not in _SUMS}
        identity = tuple(
            (name, tuple(value) if isinstance(value, list) else value)
            for name, value in fields.items()
        )
        known = self._items.get(identity)
        if known is None and len(self._items) >= _MAX_ITEMS:
            self.add_count("items_truncated")
            return
        known = known or fields
        summed = {name: known.get(name, 0) + value for name, value in sums.items()}
        self._items[identity] = {**known, **summed}

    def count_items(self, **criteria: Any) -> int:
        """Return how often items with these values were observed."""
        return sum(
            item["count"]
            for item in self._items.values()
            if all(item.get(name) == value for name, value in criteria.items())
        )

    @lock_content
    def add_count(self, name: str, count: int = 1) -> None:
        """Add to a number of the facet, if it is not 0."""
        if count:
            self.counts[name] = self.counts.get(name, 0) + count

    @lock_content
    def complete_outputs(self, *, is_last: bool) -> tuple[Dataset, ...]:
        """Return the outputs as an event has them. ``is_last``: whether it ends the run."""
        outputs, truncated = self._received.complete_outputs(is_last=is_last)
        if is_last:
            self.add_count("sources_truncated", truncated)
        return tuple(outputs)

    def observed_facet(self) -> dict[str, Any]:
        """Return the run facets of other items than datasets: ``lineage_observed``, or none."""
        facet: dict[str, Any] = dict(self.counts)
        if self._items:
            facet["items"] = list(self._items.values())
        return {"lineage_observed": facet} if facet else {}


def _valid_count(count: Any, unit: str) -> int | None:
    """Return a count as a number of JSON. One that is none, such as NaN, is logged and left out."""
    try:
        return None if count is None else int(count)
    except (TypeError, ValueError, OverflowError):
        LOG.warning("%s=%r is no number, and is not recorded.", unit, count)
        return None


def _add_counts(known: int | None, more: int | None) -> int | None:
    return known if more is None else more + (known or 0)
