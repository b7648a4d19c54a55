"""Runs that are observed in the process of a test, and the content of their last event."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import lineage
from lineage.hub import configure, encode_document, to_openlineage
from lineage.openlineage import parse_event
from support.services.sinks import MemorySink

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass
class Observed:
    """The last event of a run."""

    run: Any
    event: dict[str, Any] = field(default_factory=dict)

    @property
    def inputs(self) -> list[str]:
        return _names(self.event["inputs"])

    @property
    def outputs(self) -> list[str]:
        return _names(self.event["outputs"])

    @property
    def facet(self) -> dict[str, Any]:
        facet = self.event["run"]["facets"].get("lineage_observed", {})
        return {name: value for name, value in facet.items() if not name.startswith("_")}

    @property
    def items(self) -> list[dict[str, Any]]:
        return list(self.facet.get("items", ()))

    def dataset(self, name: str) -> dict[str, Any]:
        """Return the only input or output with this name."""
        every = self.event["inputs"] + self.event["outputs"]
        [dataset] = [each for each in every if name == _full_name(each)]
        assert isinstance(dataset, dict)
        return dataset

    def size(self, name: str) -> int | None:
        """Return the bytes of the only input or output with this name."""
        dataset = self.dataset(name)
        facets = {**dataset.get("inputFacets", {}), **dataset.get("outputFacets", {})}
        [statistics] = [facets[name] for name in facets if name.endswith("Statistics")] or [{}]
        size = statistics.get("size")
        assert size is None or isinstance(size, int)
        return size

    def change(self, name: str) -> str | None:
        """Return the lifecycle of the only output with this name; None if it was appended to."""
        facet = self.dataset(name)["facets"].get("lifecycleStateChange", {})
        change = facet.get("lifecycleStateChange")
        assert change is None or isinstance(change, str)
        return change

    def mode(self, name: str) -> str | None:
        """Return the mode in which the only output with this name was written, if it is stated."""
        [output] = [each for each in self.event["outputs"] if name == _full_name(each)]
        mode = output.get("outputFacets", {}).get("lineage_write", {}).get("mode")
        assert mode is None or isinstance(mode, str)
        return mode

    def sources(self, name: str) -> list[str] | None:
        """Return the explicit sources of the only output with this name."""
        facet = self.dataset(name)["facets"].get("lineage")
        return None if facet is None else _names(facet["inputs"])


def _full_name(dataset: dict[str, Any]) -> str:
    namespace = dataset["namespace"]
    return str(dataset["name"] if namespace == "file" else f"{namespace}|{dataset['name']}")


def _names(datasets: list[dict[str, Any]]) -> list[str]:
    return sorted(map(_full_name, datasets))


@contextmanager
def observe_run(
    spool: Path, *observers: str, process: bool = False, enabled: bool = True
) -> Iterator[Observed]:
    """Run the block as an observed run. Names of files have no namespace, others ``ns|name``."""
    sink = MemorySink()
    hub = configure(
        {"memory": lambda: sink}, spool=spool, linger_ms=0, observe=observers, enabled=enabled
    )
    observed = Observed(None)
    try:
        with lineage.run("job", process=process) as observed.run:
            yield observed
    finally:
        hub.shutdown(20)
        configure({}, enabled=False)
        if enabled:
            last = [event for event in sink.events if event.run.run_id == observed.run.run_id][-1]
            assert parse_event(encode_document(last)).all_omitted() == [], last
            [observed.event] = to_openlineage([last])
