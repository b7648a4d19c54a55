"""Sinks with defined behaviour, and hubs for tests."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from lineage.hub import Hub, Rejected, Retries, Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

QUICK = Retries(first=0.001, longest=0.002, total=0.02, probe=0.001)


class MemorySink:
    """Records the batches that it accepts. ``gate`` is closed to let it hang."""

    def __init__(self) -> None:
        self.batches: list[list[Any]] = []
        self.error: BaseException | None = None
        self.gate = threading.Event()
        self.gate.set()
        self.reached = threading.Event()
        self.closed = 0
        self.passed = 0

    @property
    def events(self) -> list[Any]:
        return [event for batch in self.batches for event in batch]

    def init(self, settings: Mapping[str, str]) -> None:
        """Need no preparation."""

    def accept(self, events: Sequence[Any]) -> None:
        """Record the batch, or fail as the test defines."""
        self.reached.set()
        self.gate.wait()
        if self.error is not None:
            raise self.error
        self.passed += len(events)
        marked = [each for each in events if isinstance(each, dict) and each.get("reject")]
        if marked:
            raise Rejected.for_all([(event, "it is marked") for event in marked])
        self.batches.append(list(events))

    def shutdown(self) -> None:
        """Count the calls."""
        self.closed += 1


def start_hub(
    sinks: Mapping[str, Callable[[], Any]],
    spool: Path,
    *,
    retries: Retries = QUICK,
    **settings: Any,
) -> Hub:
    """Return an enabled hub that sends batches without lingering, unless defined otherwise."""
    defaults = {"linger_ms": 0, "flush_seconds": 20.0}
    return Hub(sinks, Settings(enabled=True, spool=spool, **{**defaults, **settings}), retries)


def event(number: int, kind: str = "OTHER", /, **more: Any) -> dict[str, Any]:
    """Return a document of OpenLineage of a run of its own."""
    return {
        "eventType": kind,
        "eventTime": f"2026-01-01T00:{number // 60 % 60:02}:{number % 60:02}Z",
        "run": {"runId": f"01938a8e-7b1c-7d1f-8a55-{number:012d}"},
        "job": {"namespace": "test", "name": "job"},
        "inputs": [{"namespace": "file", "name": "/in"}],
        "outputs": [{"namespace": "file", "name": "/out"}],
        "producer": "urn:test",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        **more,
    }
