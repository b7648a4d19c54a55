"""Metrics of the collector in the text format of Prometheus."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_FORWARDING = {
    "pending_events": "Events that a target has not received; at most 10,000",
    "oldest_seconds": "Age of the oldest pending event of a target in seconds",
    "rejected_events": "Events that a target rejected",
    "failing": "1 if events cannot be sent to a target, else 0",
}
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class Metrics:
    """The metrics of one collector."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.events = self._result_counters(
            "lineage_events",
            "Events by result: new, known (already stored) or rejected",
        )
        self.documents = self._result_counters(
            "lineage_documents",
            "Plan documents by result: new or known (already stored); rejected requests",
        )
        self._requests = Histogram(
            "lineage_request_seconds",
            "Time from a request to its response",
            ["path", "status"],
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._times: dict[tuple[str, int], Histogram] = {}
        self.unwritten_bytes = Gauge(
            "lineage_unwritten_bytes",
            "Size of the events and plan documents that are not committed yet",
            registry=self.registry,
        )
        self.pending_events = Gauge(
            "lineage_pending_events",
            "Events of the log that are not in the graph yet",
            registry=self.registry,
        )
        self.pending_documents = Gauge(
            "lineage_pending_documents",
            "Plan documents that are not converted yet",
            registry=self.registry,
        )
        self.oldest_pending = Gauge(
            "lineage_oldest_pending_seconds",
            "Age of the oldest pending event or plan document in seconds",
            ["queue"],
            registry=self.registry,
        )
        self.rejected = Gauge(
            "lineage_rejected",
            "Events or plan documents that were rejected",
            ["queue"],
            registry=self.registry,
        )
        self.forwarding = {
            name: Gauge(f"lineage_forward_{name}", what, ["target"], registry=self.registry)
            for name, what in _FORWARDING.items()
        }

    def _result_counters(self, name: str, what: str) -> dict[str, Counter]:
        counter = Counter(name, what, ["result"], registry=self.registry)
        return {result: counter.labels(result) for result in ("new", "known", "rejected")}

    def observe_events(self, new: int, known: int) -> None:
        """Count events that are on disk."""
        if new:
            self.events["new"].inc(new)
        if known:
            self.events["known"].inc(known)

    def observe_request(self, path: str, status: int, seconds: float) -> None:
        """Record the duration of a request."""
        times = self._times.get((path, status))
        if times is None:  # cached, because ``labels`` is slow
            times = self._times[path, status] = self._requests.labels(path, str(status))
        times.observe(seconds)

    def to_text(self) -> bytes:
        """Return all metrics in the text format."""
        return generate_latest(self.registry)


class Timed:
    """Middleware that measures the duration of each request by route and status."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        status = 0

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noting)
        finally:
            # Unknown paths share a label, so that clients cannot create any number of series.
            known = scope["path"] if "endpoint" in scope else "other"
            path = scope.get("template", known)
            self._metrics.observe_request(path, status, time.perf_counter() - started)
