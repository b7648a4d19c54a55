"""Serve the files of the web page, which ``web/build.py`` makes.

Every page has the same document; its script reads the address and asks the read API. The document
holds no data, so it needs no token.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.responses import Response
from starlette.routing import Route

from lineage.http.errors import ApiError
from lineage.http.json_response import accepts_gzip
from lineage.http.operation import EncodedRoute

if TYPE_CHECKING:
    from starlette.requests import Request

STATIC = Path(__file__).parent / "static"
PAGES = (
    "/", "/dataset", "/columns", "/job", "/run", "/runs", "/gantt", "/graph", "/impact", "/order",
    "/sources", "/path", "/compare", "/why", "/cypher", "/health", "/record", "/items",
)  # fmt: skip
_TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html"}
_WITHOUT = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Lineage</title>
<p>This installation was built without the web page. Lineage is served at
<a href="/openapi.json">/api/v1/graph</a> and by the command <code>lineage</code>.
<p>To build the page in a checkout: <code>make setup</code>, where npm can fetch packages.
"""
# Trusted Types: no script of the page turns text into code or HTML.
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "worker-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types lineage",
    )
)
HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_IMMUTABLE = "public, max-age=31536000, immutable"  # the name of a file holds its digest


def get_page(request: Request) -> Response:
    """Return the document of every page."""
    files = _read_files()
    if "index.html" not in files:
        return Response(_WITHOUT, 404, HEADERS, "text/html")
    return _file_response(request, "index.html", "no-cache")


def get_file(request: Request) -> Response:
    """Return a script or a style sheet of the page."""
    name = request.path_params["name"]
    if name not in _read_files() or Path(name).suffix not in (".js", ".css"):
        raise ApiError(404, f'The web page has no file "{name[:100]}".', "Load the page again.")
    return _file_response(request, name, _IMMUTABLE)


ROUTES = (
    *(Route(path, get_page) for path in PAGES),
    EncodedRoute("/ui/{name}", get_file, ["GET"]),
)


@cache
def _read_files() -> dict[str, bytes]:
    """Return the files of the page by name; none if the page was not built."""
    return {file.name: file.read_bytes() for file in STATIC.glob("*") if file.is_file()}


def _file_response(request: Request, name: str, cache_control: str) -> Response:
    headers = {**HEADERS, "Cache-Control": cache_control, "Vary": "Accept-Encoding"}
    packed = accepts_gzip(request.headers.get("accept-encoding", ""))
    if packed:
        headers["Content-Encoding"] = "gzip"
    body = _read_files()[f"{name}.gz" if packed else name]
    return Response(body, headers=headers, media_type=_TYPES[Path(name).suffix])
