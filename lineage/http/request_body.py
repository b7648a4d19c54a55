"""Read request bodies within limits, unpack them, and split them into JSON texts."""

from __future__ import annotations

import asyncio
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lineage.errors import InvalidEvent
from lineage.http import decompression
from lineage.http.errors import ApiError
from lineage.openlineage.array_items import TooManyItems, split_array

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.requests import Request

MAX_BODY_BYTES = 32 << 20
BODY_BUDGET_BYTES = 128 << 20
SMALL_BODY_BYTES = 1 << 20
_SMALL_BODY_RESERVE_BYTES = 32 << 20
MAX_BODY_SECONDS = 60.0
MAX_EVENTS = 10_000  # in one body
# Bodies up to this size are parsed on the event loop; handing them to a thread takes longer.
MAX_INLINE_BYTES = 1 << 15
_GZIPS = frozenset(("gzip", "x-gzip"))
# Upper bound of the memory of a parsed event, in bytes for each comma of its text.
_BYTES_A_VALUE = 200
MAX_VALUES = 500_000  # in one event
MAX_NAMES = 50_000  # of datasets in one event; projection needs about 2 KB of memory for each


class BodyBudget:
    """The memory for bodies of all requests; small bodies have an additional reserve."""

    def __init__(self) -> None:
        self._reserved = 0
        self._lock = threading.Lock()  # large bodies are unpacked and read in threads

    def reserve(self, size: int, of: int) -> None:
        """Reserve ``size`` bytes for a request, which then has ``of``.

        Raises ApiError if the budget is exhausted.
        """
        budget = (
            BODY_BUDGET_BYTES
            if of > SMALL_BODY_BYTES
            else BODY_BUDGET_BYTES + _SMALL_BODY_RESERVE_BYTES
        )
        with self._lock:
            if self._reserved + size > budget:
                raise ApiError(429, "Too many large requests at once.", "Try again.", retry_after=1)
            self._reserved += size

    def release_bytes(self, size: int) -> None:
        """Release ``size`` bytes."""
        with self._lock:
            self._reserved -= size


class Reservation:
    """The part of the budget that one request has reserved, until its block ends."""

    def __init__(self, budget: BodyBudget) -> None:
        self._budget = budget
        self.size = 0

    def __enter__(self) -> Reservation:
        return self

    def reserve(self, size: int) -> None:
        """Reserve ``size`` more bytes. Raises ApiError if the budget is exhausted."""
        self._budget.reserve(size, self.size + size)
        self.size += size

    @contextmanager
    def reserve_for_parsing(self, text: bytes) -> Iterator[None]:
        """Reserve, for a block, the memory for parsing an event in addition to its text.

        Raises ApiError if the budget is exhausted, or smaller than this event needs.
        """
        if len(text) <= MAX_INLINE_BYTES:
            yield
            return
        values = text.count(b",")
        if values > MAX_VALUES:
            message = f"An event has more than {MAX_VALUES} values."
            raise ApiError(413, message, "Split the event into smaller events.")
        size = values * _BYTES_A_VALUE
        self.reserve(size)
        try:
            yield
        finally:
            self._budget.release_bytes(size)
            self.size -= size

    def release(self) -> None:
        """Release all reserved bytes."""
        self._budget.release_bytes(self.size)
        self.size = 0

    def __exit__(self, *error: object) -> None:
        self.release()


async def receive_body(request: Request, share: Reservation) -> bytes:
    """Return the raw body. Raises ApiError if it is too large, too slow or over the budget."""
    with _InTime():
        return await _receive_chunks(request, share)


def decode_body(body: bytes, encoding: str, share: Reservation) -> bytes:
    """Return a decoded body. Raises ApiError for an unknown encoding or an exceeded limit."""
    encoding = encoding.strip().lower()
    if encoding == "identity":
        return body
    if encoding not in _GZIPS:
        raise ApiError(
            415, f"The Content-Encoding {encoding[:40]!r} is not supported.", "Use gzip or none."
        )
    unpacked = 0

    def accept(size: int) -> None:
        nonlocal unpacked
        unpacked += size
        if unpacked > MAX_BODY_BYTES:
            raise _too_large()
        share.reserve(size)

    return decompression.decompress_gzip(body, accept)


def decode_small_body(body: bytes, encoding: str) -> bytes | None:
    """Return a body decoded if it is small enough for the event loop, else None."""
    if len(body) > MAX_INLINE_BYTES:
        return None
    if encoding == "identity":
        return body
    return decompression.unpack_little(body, MAX_INLINE_BYTES) if encoding in _GZIPS else None


class _InTime:
    """A block with a timeout; asyncio.wait_for would need a task, which takes longer."""

    _over = False

    def __enter__(self) -> None:
        self._task = asyncio.current_task()
        self._timer = asyncio.get_running_loop().call_later(MAX_BODY_SECONDS, self._end_request)

    def _end_request(self) -> None:
        self._over = True
        assert self._task
        self._task.cancel()

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        self._timer.cancel()
        if self._over and kind is asyncio.CancelledError:
            message = f"The request did not arrive within {MAX_BODY_SECONDS:.0f} seconds."
            raise ApiError(408, message) from None


async def _receive_chunks(request: Request, share: Reservation) -> bytes:
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and int(announced) > MAX_BODY_BYTES:
        raise _too_large()
    chunks: list[bytes] = []
    more = True
    while more:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise ApiError(400, "The request ended before its body did.")
        chunk = message.get("body", b"")
        share.reserve(len(chunk))
        if share.size > MAX_BODY_BYTES:
            raise _too_large()
        chunks.append(chunk)
        more = message.get("more_body", False)
    return b"".join(chunks)


def _too_large() -> ApiError:
    return ApiError(
        413, f"The body has more than {MAX_BODY_BYTES >> 20} MiB.", "Send fewer events at a time."
    )


def _too_many() -> ApiError:
    message = f"The body has more than {MAX_EVENTS} events."
    return ApiError(413, message, "Send fewer events at a time.")


def split_events(body: bytes, *, lines: bool) -> list[bytes]:
    """Return the text of each element of an array, or of each line, valid or not.

    Raises ApiError if there are too many, or if the body is not an array.
    """
    if lines:
        if body.count(b"\n") > MAX_EVENTS:
            raise _too_many()
        return [line for line in body.split(b"\n") if line.strip()]
    try:
        return split_array(body, MAX_EVENTS)
    except TooManyItems:
        raise _too_many() from None
    except InvalidEvent as error:
        message = f"The body is not a JSON array of events: {error.message}"
        raise ApiError(400, message) from None
