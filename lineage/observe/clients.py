"""Observe the requests of a client of requests, httpx or aiohttp, by the hooks it has for that."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any, TypeVar

from lineage.errors import UsageError
from lineage.hub.events import Direction, HttpIo
from lineage.observe.guard import record_observations

if TYPE_CHECKING:
    from collections.abc import Mapping

Client = TypeVar("Client")

_STARTED = "lineage_started"


def http(client: Client) -> Client:
    """Record the responses that ``client`` receives in the current run, and return it.

    ``client``: a ``requests.Session``, an ``httpx.Client`` or ``AsyncClient``, or an
    ``aiohttp.ClientSession``. A second call for the same client does nothing. Raises UsageError for
    any other object.
    """
    for module, class_name, observe in (
        ("requests", "Session", _observe_requests),
        ("httpx", "Client", _observe_httpx),
        ("httpx", "AsyncClient", _observe_async_httpx),
        ("aiohttp", "ClientSession", _observe_aiohttp),
    ):
        owner = getattr(sys.modules.get(module), class_name, None)
        if owner is not None and isinstance(client, owner):
            observe(client)
            return client
    raise UsageError(
        f"A {type(client).__module__}.{type(client).__qualname__} cannot be observed.",
        "Pass a requests.Session, an httpx.Client or AsyncClient, or an aiohttp.ClientSession.",
    )


def _describe_response(request: Any, response: Any, duration_ms: float | None) -> HttpIo:
    """Return the observation of objects with the attributes that all these clients use."""
    return HttpIo(
        Direction.CLIENT,
        request.method,
        str(request.url),
        getattr(response, "status_code", None) or response.status,
        request_bytes=_content_length(request.headers),
        response_bytes=_content_length(response.headers),
        duration_ms=duration_ms,
    )


def _content_length(headers: Mapping[str, str]) -> int | None:
    size = headers.get("Content-Length", "")
    return int(size) if size.isascii() and size.isdigit() else None


def _milliseconds_since(started: float | None) -> float | None:
    return None if started is None else round(1000 * (time.perf_counter() - started), 3)


def _add_requests_response(response: Any, *_: Any, **__: Any) -> None:
    record_observations(
        lambda: [
            _describe_response(
                response.request, response, round(1000 * response.elapsed.total_seconds(), 3)
            )
        ]
    )


def _observe_requests(session: Any) -> None:
    hooks = session.hooks.get("response") or []
    hooks = [hooks] if callable(hooks) else list(hooks)  # requests accepts a function alone too
    if _add_requests_response not in hooks:
        session.hooks["response"] = [*hooks, _add_requests_response]


def _start_httpx_request(request: Any) -> None:
    request.extensions = {**request.extensions, _STARTED: time.perf_counter()}


def _add_httpx_response(response: Any) -> None:
    request = response.request
    record_observations(
        lambda: [
            _describe_response(
                request, response, _milliseconds_since(request.extensions.get(_STARTED))
            )
        ]
    )


async def _start_async_httpx_request(request: Any) -> None:
    _start_httpx_request(request)


async def _add_async_httpx_response(response: Any) -> None:
    _add_httpx_response(response)


def _observe_httpx(client: Any) -> None:
    _add_httpx_hooks(client, _start_httpx_request, _add_httpx_response)


def _observe_async_httpx(client: Any) -> None:
    _add_httpx_hooks(client, _start_async_httpx_request, _add_async_httpx_response)


def _add_httpx_hooks(client: Any, on_request: Any, on_response: Any) -> None:
    hooks = client.event_hooks
    if on_response not in hooks["response"]:
        requests, responses = hooks["request"], hooks["response"]
        client.event_hooks = {
            **hooks,
            "request": [*requests, on_request],
            "response": [*responses, on_response],
        }


async def _start_aiohttp_request(_: Any, context: Any, params: Any) -> None:
    context.lineage_started = time.perf_counter()


async def _end_aiohttp_request(_: Any, context: Any, params: Any) -> None:
    started = getattr(context, "lineage_started", None)
    record_observations(
        lambda: [_describe_response(params, params.response, _milliseconds_since(started))]
    )


def _observe_aiohttp(session: Any) -> None:
    import aiohttp

    if any(_end_aiohttp_request in each.on_request_end for each in session.trace_configs):
        return
    config = aiohttp.TraceConfig()
    config.on_request_start.append(_start_aiohttp_request)
    config.on_request_redirect.append(_end_aiohttp_request)
    config.on_request_end.append(_end_aiohttp_request)
    config.freeze()
    session.trace_configs.append(config)
