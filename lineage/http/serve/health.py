"""Health checks and metrics of the collector."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING

from starlette.responses import Response

from lineage.database import migrations
from lineage.errors import DatabaseUnavailable, LineageError
from lineage.http.collector.services import CollectorServices
from lineage.http.metrics import CONTENT_TYPE
from lineage.maintenance.status import read_status

if TYPE_CHECKING:
    from starlette.requests import Request

    from lineage.http.metrics import Metrics
    from lineage.maintenance.status import QueueStatus, Status


# A commit that takes longer has stalled: its connection is lost, or it waits for a lock.
_STALLED_SECONDS = 30.0


async def get_live(request: Request) -> Response:
    """Return 204, because the process runs."""
    return Response(status_code=204)


async def get_ready(request: Request) -> Response:
    """Return 204 if the database responds, has all migrations and commits events."""
    services = CollectorServices.of_request(request)
    seconds = max(services.events.commit_seconds, services.documents.commit_seconds)
    if seconds > _STALLED_SECONDS:
        raise DatabaseUnavailable(f"A commit has not ended for {seconds:.0f} s.")
    await services.lookups.run_query(migrations.check_schema)
    return Response(status_code=204)


async def get_metrics(request: Request) -> Response:
    """Return the metrics for Prometheus."""
    services = CollectorServices.of_request(request)
    try:
        _observe_lag(services.metrics, await services.lookups.run_query(read_status))
    except LineageError:
        _observe_lag(services.metrics, None)
    services.metrics.unwritten_bytes.set(
        services.events.pending_bytes + services.documents.pending_bytes
    )
    return Response(services.metrics.to_text(), media_type=CONTENT_TYPE)


def _observe_lag(metrics: Metrics, status: Status | None) -> None:
    """Set the gauges of the queues; without a database their values are unknown: NaN."""
    for queue, gauge in (
        ("events", metrics.pending_events),
        ("documents", metrics.pending_documents),
    ):
        queue_status: QueueStatus | None = getattr(status, queue, None)
        gauge.set(queue_status.pending if queue_status else nan)
        metrics.oldest_pending.labels(queue).set(
            (queue_status.oldest_seconds or 0) if queue_status else nan
        )
        metrics.rejected.labels(queue).set(queue_status.rejected if queue_status else nan)
    for gauge in metrics.forwarding.values():
        gauge.clear()
    for target in status.forwarding if status else ():
        metrics.forwarding["pending_events"].labels(target.target).set(target.pending)
        metrics.forwarding["oldest_seconds"].labels(target.target).set(target.oldest_seconds)
        metrics.forwarding["rejected_events"].labels(target.target).set(target.rejected)
        metrics.forwarding["failing"].labels(target.target).set(target.error is not None)
