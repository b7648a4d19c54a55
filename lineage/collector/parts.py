"""What requests are served with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.requests import Request

    from lineage.collector.access import Access
    from lineage.collector.bodies import Room
    from lineage.collector.lookups import Lookups
    from lineage.collector.metrics import Metrics
    from lineage.collector.origins import Origins
    from lineage.collector.owners import Owners
    from lineage.collector.readers import Readers
    from lineage.collector.writer import Writer
    from lineage.graph.log import Entry
    from lineage.plans.kept import Kept


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a collector that handlers call."""

    origins: Origins
    access: Access
    owners: Owners
    room: Room
    events: Writer[Entry]
    documents: Writer[Kept]
    readers: Readers
    lookups: Lookups
    metrics: Metrics

    @classmethod
    def of(cls, request: Request) -> Parts:
        """Return those of the application that serves a request."""
        parts = request.app.state.parts
        assert isinstance(parts, cls)
        return parts
