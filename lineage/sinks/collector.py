"""Batches of events to a collector, ``lineage serve``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import requests

from lineage.errors import UsageError
from lineage.forwarding.http_session import Session
from lineage.forwarding.responses import is_about_event, retry_after_seconds
from lineage.hub import Rejected, TryLater
from lineage.hub.documents import encode_document
from lineage.hub.report import map_events

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_PATH = "/api/v1/lineage/batch"
_TIMEOUT = (5, 30)  # seconds to connect, and between two parts of the response


class CollectorSink:
    """Posts to the collector at LINEAGE_URL, with the bearer token LINEAGE_TOKEN if it is set."""

    largest_batch = 1000

    def __init__(self) -> None:
        self._url = ""
        self._session = Session()

    def init(self, settings: Mapping[str, str]) -> None:
        """Read the address. Raises UsageError if there is none."""
        url = settings.get("LINEAGE_URL", "").rstrip("/")
        if not url.startswith(("http://", "https://")):
            raise UsageError(
                "LINEAGE_URL is not the address of a collector.", "Set it to https://HOST:PORT."
            )
        self._url = url + _PATH
        self._session.headers["Content-Type"] = "application/json"
        if token := settings.get("LINEAGE_TOKEN"):
            self._session.headers["Authorization"] = f"Bearer {token}"

    def accept(self, events: Sequence[Any]) -> None:
        """Post ``events``. Raises Rejected, TryLater, and OSError if the collector is not there."""
        body = b"[" + b",".join(map_events(encode_document, events)) + b"]"
        try:
            response = self._session.post(
                self._url, data=body, timeout=_TIMEOUT, allow_redirects=False
            )
        except requests.RequestException as error:
            raise OSError(f"the collector is not reachable: {type(error).__name__}") from None
        if response.status_code == 200:
            _check_report(response, events)
            return
        message = f"the collector responded with {response.status_code} {response.reason}"
        if is_about_event(response.status_code) and len(events) == 1:
            raise Rejected(events[0], message)
        if is_about_event(response.status_code):
            map_events(lambda event: self.accept([event]), events)  # one of them is the reason
            return
        raise TryLater(message, retry_after_seconds(response))

    def shutdown(self) -> None:
        """Close the connections."""
        self._session.close()


def _check_report(response: requests.Response, events: Sequence[Any]) -> None:
    """Raise Rejected for the events that the collector rejected."""
    if failed := response.json().get("failed_events"):
        raise Rejected.for_all([(events[each["index"]], each["reason"]) for each in failed])
