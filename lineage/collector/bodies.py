"""The body of a request: within limits, unpacked, and as JSON texts of events."""

from __future__ import annotations

import asyncio
import zlib
from typing import TYPE_CHECKING

import msgspec
from msgspec import Raw

from lineage.collector.problems import Problem

if TYPE_CHECKING:
    from starlette.requests import Request

MOST_BYTES = 32 << 20
_SECONDS = 60.0
_GZIP = zlib.MAX_WBITS | 16
_ARRAY = msgspec.json.Decoder(list[Raw])


async def read(request: Request) -> bytes:
    """Return the body, unpacked.

    Raises Problem where it is too large, comes too slowly, or is packed in another way than gzip.
    """
    try:
        body = await asyncio.wait_for(_received(request), _SECONDS)
    except asyncio.TimeoutError:
        raise Problem(408, f"The request did not arrive within {_SECONDS:.0f} seconds.") from None
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding == "identity":
        return body
    if encoding in ("gzip", "x-gzip"):
        return _unpacked(body)
    raise Problem(415, f"The Content-Encoding {encoding[:40]!r} is not known: use gzip or none.")


async def _received(request: Request) -> bytes:
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and int(announced) > MOST_BYTES:
        raise _too_large()
    chunks: list[bytes] = []
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > MOST_BYTES:
            raise _too_large()
        chunks.append(chunk)
    return b"".join(chunks)


def _unpacked(body: bytes) -> bytes:
    unpacker = zlib.decompressobj(_GZIP)
    try:
        unpacked = unpacker.decompress(body, MOST_BYTES + 1)
    except zlib.error as error:
        raise Problem(400, f"The body is no gzip: {error}.") from error
    if len(unpacked) > MOST_BYTES:
        raise _too_large()
    if not unpacker.eof:
        raise Problem(400, "The body is no gzip: it ends too early.")
    return unpacked


def _too_large() -> Problem:
    return Problem(
        413, f"The body has more than {MOST_BYTES >> 20} MiB.", "Send fewer events at a time."
    )


def events(body: bytes) -> list[bytes]:
    """Return the JSON text of each item of an array. Raises Problem where it is none."""
    try:
        return [bytes(item) for item in _ARRAY.decode(body)]
    except RecursionError:
        raise Problem(400, "The body is nested too deeply.") from None
    except msgspec.MsgspecError as error:
        raise Problem(400, f"The body is no JSON array of events: {error}.") from error
