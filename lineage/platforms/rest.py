"""JSON over HTTP, for the REST interfaces of platforms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from lineage.errors import ServiceUnavailable, UsageError
from lineage.naming import redact_url
from lineage.redaction import redact_text

if TYPE_CHECKING:
    from collections.abc import Sequence

_TIMEOUT = (10, 60)  # seconds: to connect, and between two bytes
# Kafka Connect answers 409 while its workers rebalance.
_RETRIED = (409, 429, 500, 502, 503, 504)


class RestClient:
    """Reads one service. User and password are part of ``url``, or in the file of ``netrc``.

    ``pause``: seconds before the second attempt of a request; each further pause is twice as long.
    Raises UsageError for a URL that is not of HTTP.
    """

    def __init__(self, url: str, pause: float = 0.5) -> None:
        import requests
        from requests.adapters import HTTPAdapter
        from urllib3 import Retry

        self.public_url = redact_url(url)
        if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
            raise UsageError(f"{self.public_url} is not a URL of HTTP, such as http://host:8083.")
        self._url = url.rstrip("/")
        self._session = requests.Session()
        retry = Retry(
            total=3, status_forcelist=_RETRIED, backoff_factor=pause, raise_on_status=False,
            respect_retry_after_header=pause > 0,
        )  # fmt: skip
        for scheme in ("http://", "https://"):
            self._session.mount(scheme, HTTPAdapter(max_retries=retry))

    def get_json(self, *segments: str, missing: Sequence[int] = (), **query: list[str]) -> Any:
        """Return the JSON at a path of ``segments``; None for the statuses in ``missing``.

        Raises ServiceUnavailable.
        """
        import requests

        path = "/".join(["", *(quote(each, safe="") for each in segments)])
        address = f"{self.public_url.rstrip('/')}{path}"
        try:
            response = self._session.get(
                f"{self._url}{path}",
                params=query,
                timeout=_TIMEOUT,
                headers={"Accept": "application/json"},
            )
            if response.status_code in missing:
                return None
            if response.status_code != 200:
                raise ServiceUnavailable(
                    f"{address} answered {response.status_code}: {_message_of(response)}"
                )
            return response.json()
        except requests.exceptions.JSONDecodeError as error:
            raise ServiceUnavailable(f"{address} did not answer with JSON.") from error
        except requests.RequestException as error:
            raise ServiceUnavailable(
                f"{address} cannot be read: {type(error).__name__}.",
                "Check the address, and that the service is running.",
            ) from error


def _message_of(response: Any) -> str:
    """Return the ``message`` that both services put into errors, else the reason of HTTP."""
    try:
        message = response.json()["message"]
    except (ValueError, KeyError, TypeError):
        message = response.reason
    return redact_text(str(message))[:500]
