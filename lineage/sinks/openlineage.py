"""Events to the backend of any transport of ``openlineage-python``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from openlineage.client import OpenLineageClient

from lineage.errors import UsageError
from lineage.forwarding.responses import is_about_event, retry_after_seconds
from lineage.hub import Rejected, TryLater, to_openlineage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_CLOSE_SECONDS = 5.0


class OpenLineageSink:
    """Emits by the client that OPENLINEAGE_URL, its file or its other variables configure."""

    def __init__(self) -> None:
        self._client: OpenLineageClient | None = None

    def init(self, settings: Mapping[str, str]) -> None:
        """Create the client. Raises UsageError if nothing configures its transport."""
        client = OpenLineageClient()
        if client.transport.kind in ("console", "noop") and not any(
            name.startswith("OPENLINEAGE") for name in settings
        ):
            raise UsageError("No transport of OpenLineage is configured.", "Set OPENLINEAGE_URL.")
        self._client = client

    def accept(self, events: Sequence[Any]) -> None:
        """Emit ``events`` one by one. Raises Rejected and TryLater."""
        assert self._client is not None
        for event, document in zip(events, to_openlineage(events), strict=True):
            try:
                self._client.transport.emit(document)
            except Exception as error:  # noqa: BLE001 - transports raise any exception
                _classify_error(error, event)

    def shutdown(self) -> None:
        """Close the transport, which may wait for events that it queued itself."""
        if self._client is not None:
            self._client.close(_CLOSE_SECONDS)


def _classify_error(error: Exception, event: Any) -> None:
    """Raise Rejected if the error concerns the event, else TryLater."""
    response = getattr(error, "response", None)
    status = getattr(response, "status_code", None)
    if not isinstance(status, int):
        raise TryLater(f"the backend is not reachable: {type(error).__name__}", 0.0) from None
    message = f"the backend responded with {status}"
    if is_about_event(status):
        raise Rejected(event, message) from None
    raise TryLater(message, retry_after_seconds(response)) from None
