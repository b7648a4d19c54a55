"""The observer ``http``: requests of ``http.client``, which urllib, urllib3 and requests use.

An audit event precedes its request, so neither status nor size is known. A request of a client
that ``lineage.observe.http`` observes is counted there, and not here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from lineage.hub.locations import dataset_at
from lineage.observe.audit import listen_for

if TYPE_CHECKING:
    from lineage.hub.active_run import ActiveRun
    from lineage.hub.run_content import RunContent

_MAX_REQUESTS = 1000  # different ones
# The first line of a request; the connection then has parts of its body.
_REQUEST = re.compile(rb"([A-Z]+) (\S+) HTTP/1\.[01]\r\n")
_HOST = re.compile(rb"(?i)\r\nhost:[ \t]*([^\s]+)\r\n")


class RequestCollector:
    """The requests of one run, counted by method and URL."""

    def __init__(self) -> None:
        self.requests: dict[tuple[str, str], int] = {}
        self.failures = 0
        self._omitted = 0

    def send_data(self, event: tuple[Any, Any]) -> None:
        """Take an ``http.client.send`` event: the connection, and the bytes sent."""
        connection, data = event
        if not isinstance(data, bytes) or b"\r\n\r\n" not in data:
            return
        if (line := _REQUEST.match(data)) is None:
            return
        method, target = line[1].decode(), line[2].decode("latin-1")
        if method == "CONNECT":  # to a proxy; the request itself follows
            return
        key = (method, _url_of(connection, target, _HOST.search(data)))
        if key in self.requests or len(self.requests) < _MAX_REQUESTS:
            self.requests[key] = self.requests.get(key, 0) + 1
        else:
            self._omitted += 1

    def report_to(self, content: RunContent) -> None:
        """Add the requests as items, which state no dataset: their status is not known."""
        for (method, url), count in self.requests.items():
            resource = dataset_at(url)
            item = {
                "kind": "HTTP_IO",
                "direction": "CLIENT",
                "method": method,
                "url": f"{resource.namespace}{resource.name}",
            }
            unseen = count - content.count_items(**item)
            if unseen > 0:
                content.add_item({**item, "count": unseen})
        content.add_count("items_truncated", self._omitted)
        content.add_count("failures", self.failures)


def _url_of(connection: Any, target: str, host: re.Match[bytes] | None) -> str:
    """Return the URL without its query. Only attributes that http.client itself sets are read."""
    path = target.partition("?")[0]
    if not target.startswith("/"):  # the whole URL, to a proxy
        return path
    scheme = "https" if getattr(connection, "default_port", 80) == 443 else "http"
    authority = host[1].decode("latin-1") if host else f"{connection.host}:{connection.port}"
    return urlsplit(f"{scheme}://{authority}{path}").geturl()


def observe_requests(run: ActiveRun) -> RequestCollector:
    """Return the collector of the requests of a run."""
    requests = RequestCollector()
    listen_for(run, {"http.client.send": requests.send_data})
    return requests
