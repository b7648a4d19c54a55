"""Decompress gzip bodies of any number of members, within limits of size and memory."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from lineage.http.errors import ApiError

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_MEMBERS = 10_000
_GZIP = zlib.MAX_WBITS | 16
_INPUT = 1 << 16  # the rest of the input is copied at the end of a member
_OUTPUT = 1 << 20


def decompress_gzip(body: bytes, accept: Callable[[int], None]) -> bytes:
    """Return the content of all members of a gzip file.

    ``accept`` is called with each number of bytes before they are stored, and may raise. Raises
    ApiError if the body is not gzip, ends too early or has other data after a member.
    """
    parts: list[bytes] = []

    def store(part: bytes) -> None:
        accept(len(part))
        parts.append(part)

    view, at, members = memoryview(body), 0, 0
    while at < len(view) or not members:
        members += 1
        if members > MAX_MEMBERS:
            raise ApiError(413, f"The body has more than {MAX_MEMBERS} gzip members.")
        try:
            at = _unpack_member(view, at, store)
        except zlib.error as error:
            if members > 1:
                raise ApiError(400, "The body has other data after its gzip members.") from error
            raise ApiError(400, f"The body is not valid gzip: {error}.") from error
    return parts[0] if len(parts) == 1 else b"".join(parts)


def unpack_little(body: bytes, max_bytes: int) -> bytes | None:
    """Return the content of a single valid member of at most ``most`` bytes, else None."""
    unpacker = zlib.decompressobj(_GZIP)
    try:
        content = unpacker.decompress(body, max_bytes)
    except zlib.error:
        return None
    return content if unpacker.eof and not unpacker.unused_data else None


def _unpack_member(view: memoryview, at: int, store: Callable[[bytes], None]) -> int:
    """Unpack the member that begins at ``at``; return the index of its end."""
    unpacker = zlib.decompressobj(_GZIP)
    while not unpacker.eof:
        data: bytes | memoryview = unpacker.unconsumed_tail
        if not data:
            data = view[at : at + _INPUT]
            at += len(data)
        part = unpacker.decompress(data, _OUTPUT)
        if part:
            store(part)
        elif not data and not unpacker.eof:
            raise ApiError(400, "The body is not valid gzip: it ends too early.")
    return at - len(unpacker.unused_data)
