"""What requests are served with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.requests import Request

    from lineage.database.read_pool import Readers
    from lineage.database.side_connection import Lookups
    from lineage.events.entry import Entry
    from lineage.http.authentication import Access
    from lineage.http.collector.group_commit import Writer
    from lineage.http.collector.run_owners import Owners
    from lineage.http.metrics import Metrics
    from lineage.http.origins import Origins
    from lineage.http.request_body import Room
    from lineage.plan_documents.store import Kept


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
