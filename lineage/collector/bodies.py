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
MOST_TOGETHER = 128 << 20
SMALL = 1 << 20
_MOST_SMALL = 32 << 20
MOST_SECONDS = 60.0
_GZIP = zlib.MAX_WBITS | 16
_ARRAY = msgspec.json.Decoder(list[Raw])


class Room:
    """The memory that bodies of all requests have together. Small ones have some of their own."""

    def __init__(self) -> None:
        self._taken = 0

    def take(self, size: int, of: int) -> None:
        """Take so much more for a body that has ``of`` by then. Raises Problem where it is full."""
        most = MOST_TOGETHER if of > SMALL else MOST_TOGETHER + _MOST_SMALL
        if self._taken + size > most:
            raise Problem(429, "Too many large requests at once.", "Try again.", retry_after=1)
        self._taken += size

    def give_back(self, size: int) -> None:
        """Somebody needs so much no longer."""
        self._taken -= size


class Share:
    """What one request has of the room, until its block ends."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self.size = 0

    def __enter__(self) -> Share:
        return self

    def take(self, size: int) -> None:
        """Take so much more. Raises Problem where the room is full."""
        self._room.take(size, self.size + size)
        self.size += size

    def give_back(self) -> None:
        """Need nothing of it any longer."""
        self._room.give_back(self.size)
        self.size = 0

    def __exit__(self, *error: object) -> None:
        self.give_back()


async def received(request: Request, share: Share) -> bytes:
    """Return the body, unpacked.

    Raises Problem where it is too large, comes too slowly, is packed in another way than gzip, or
    where there is no room for it.
    """
    with _InTime():
        body = await _received(request, share)
    return plain(body, request.headers.get("content-encoding", "identity"), share)


def plain(body: bytes, encoding: str, share: Share) -> bytes:
    """Return a body unpacked. Raises Problem where that is not known, too large, or has no room."""
    encoding = encoding.strip().lower()
    if encoding == "identity":
        return body
    if encoding in ("gzip", "x-gzip"):
        unpacked = _unpacked(body)
        share.take(len(unpacked))
        return unpacked
    raise Problem(415, f"The Content-Encoding {encoding[:40]!r} is not known: use gzip or none.")


class _InTime:
    """A block that is given up after a while: without a task of its own, which takes longer."""

    _over = False

    def __enter__(self) -> None:
        self._task = asyncio.current_task()
        self._timer = asyncio.get_running_loop().call_later(MOST_SECONDS, self._end)

    def _end(self) -> None:
        self._over = True
        assert self._task
        self._task.cancel()

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        self._timer.cancel()
        if self._over and kind is asyncio.CancelledError:
            said = f"The request did not arrive within {MOST_SECONDS:.0f} seconds."
            raise Problem(408, said) from None


async def _received(request: Request, share: Share) -> bytes:
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and int(announced) > MOST_BYTES:
        raise _too_large()
    chunks: list[bytes] = []
    more = True
    while more:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise Problem(400, "The request ended before its body did.")
        chunk = message.get("body", b"")
        share.take(len(chunk))
        if share.size > MOST_BYTES:
            raise _too_large()
        chunks.append(chunk)
        more = message.get("more_body", False)
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
