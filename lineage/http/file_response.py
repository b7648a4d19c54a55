"""Responses with a file, such as a diagram, which browsers save and do not show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lineage.http.json_response import encoded_response

if TYPE_CHECKING:
    from starlette.datastructures import Headers
    from starlette.responses import Response


@dataclass(frozen=True, slots=True)
class File:
    """A file: its name, its media type, and its text."""

    name: str
    media_type: str
    text: str


def file_response(file: File, request_headers: Headers) -> Response:
    """Return the response with a file. A script in it has no rights on this server."""
    response = encoded_response(file.text.encode(), request_headers, file.media_type)
    response.headers["Content-Disposition"] = f'attachment; filename="{file.name}"'
    response.headers["Content-Security-Policy"] = "sandbox"
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response
