"""The session of a transport over HTTP: what the environment says of a target is read once."""

from __future__ import annotations

from typing import Any

import requests


class Session(requests.Session):
    """Asks the environment for proxies and certificates when it first sends to an address.

    ``requests`` asks before each request, and goes through all variables twice for it: an eighth of
    what sending an event of 5 KB takes.
    """

    def __init__(self) -> None:
        super().__init__()
        self._environment_settings: dict[Any, dict[str, Any]] = {}

    def merge_environment_settings(self, url: Any, proxies: Any, *options: Any) -> dict[str, Any]:
        """Return what holds for a request to ``url``, as was found for the first of its kind."""
        if proxies:
            return super().merge_environment_settings(url, proxies, *options)
        if (url, options) not in self._environment_settings:
            self._environment_settings[url, options] = super().merge_environment_settings(
                url, proxies, *options
            )
        return dict(self._environment_settings[url, options])
