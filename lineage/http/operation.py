"""Operations of the read API: a path, its parameters and its query."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import unquote

import msgspec
from starlette.routing import Match, Route

from lineage.http import parameters
from lineage.http.errors import ApiError
from lineage.http.file_response import File, file_response
from lineage.http.json_body import receive_object
from lineage.http.json_response import json_response
from lineage.http.services import Services

if TYPE_CHECKING:
    from collections.abc import Callable

    import psycopg
    from starlette.datastructures import Headers
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import Scope

    Query: TypeAlias = Callable[[psycopg.Connection[Any], dict[str, Any]], object]

_PLACE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Operation:
    """A query over HTTP: GET with parameters, or POST with a ``body``.

    Names in braces in ``path`` are parameters, each a percent-encoded segment.
    ``ignore_unknown`` is for paths of Marquez, whose clients send unsupported parameters. ``body``:
    the type of the JSON object that is posted, for values that are too long for a URL.
    ``media_types``: those of the answers.
    """

    path: str
    summary: str
    query: Query
    parameters: tuple[parameters.Text, ...] = ()
    ignore_unknown: bool = False
    body: type[msgspec.Struct] | None = None
    media_types: tuple[str, ...] = ("application/json",)

    @property
    def method(self) -> str:
        """The method of HTTP."""
        return "POST" if self.body else "GET"

    @property
    def path_parameters(self) -> list[str]:
        """The names of the parameters in the path."""
        return _PLACE.findall(self.path)

    async def handle_request(self, request: Request) -> Response:
        """Run the query and return its result as JSON."""
        services = Services.of_request(request)
        await services.access.authenticate_reader(request)
        values = parameters.read_parameters(
            self.parameters, request.query_params, ignore_unknown=self.ignore_unknown
        )
        if self.body:
            values |= msgspec.structs.asdict(await receive_object(request, services, self.body))
        values |= {
            name: _get_parameter(name, request.path_params[name]) for name in self.path_parameters
        }
        # Encoded in the thread too: on the event loop, a large result would delay all requests.
        return await services.readers.run_query(
            lambda conn: _to_response(self.query(conn, values), request.headers)
        )

    def to_route(self) -> Route:
        """Return the route of the operation."""
        return EncodedRoute(self.path, self.handle_request, methods=[self.method])


def _to_response(result: object, request_headers: Headers) -> Response:
    if isinstance(result, File):
        return file_response(result, request_headers)
    return json_response(msgspec.json.encode(result), request_headers)


def _get_parameter(name: str, text: str) -> str:
    if "\x00" in text:
        raise ApiError(400, f"{name} contains a NUL character, which is not allowed.")
    return text


class EncodedRoute(Route):
    """Matches the path as it was sent: names of datasets have slashes, sent as %2F."""

    def __init__(self, path: str, endpoint: Callable[..., Any], methods: list[str]) -> None:
        super().__init__(path, endpoint, methods=methods)
        pieces = _PLACE.split(path)
        self._sent = re.compile(
            "".join(
                f"(?P<{part}>[^/]+)" if at % 2 else re.escape(part)
                for at, part in enumerate(pieces)
            )
        )

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Return whether a request is for this route, and the names in its path."""
        if scope["type"] != "http":
            return Match.NONE, {}
        sent = scope["raw_path"].decode("latin-1").rstrip("/")
        match = self._sent.fullmatch(sent)
        if not match:
            return Match.NONE, {}
        names = {name: unquote(part) for name, part in match.groupdict().items()}
        child = {"endpoint": self.endpoint, "path_params": names, "template": self.path}
        assert self.methods
        return Match.FULL if scope["method"] in self.methods else Match.PARTIAL, child
