"""Bodies packed by gzip: every member is read, within limits of size, number and memory."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from lineage.http.errors import ApiError

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_MEMBERS = 10_000
_GZIP = zlib.MAX_WBITS | 16
_INPUT = 1 << 16  # a member's end copies what is left of its input: of little, little
_OUTPUT = 1 << 20


def decompress_gzip(body: bytes, accept: Callable[[int], None]) -> bytes:
    """Return the content of all members of a gzip file.

    ``accept`` is called with each number of bytes before they are stored, and may raise. Raises
    Problem if the body is no gzip, ends too early or has something else behind a member.
    """
    parts: list[bytes] = []

    def store(part: bytes) -> None:
        accept(len(part))
        parts.append(part)

    view, at, members = memoryview(body), 0, 0
    while at < len(view) or not members:
        members += 1
        if members > MOST_MEMBERS:
            raise ApiError(413, f"The body has more than {MOST_MEMBERS} gzip members.")
        try:
            at = _unpack_member(view, at, store)
        except zlib.error as error:
            if members > 1:
                raise ApiError(400, "The body has something else behind its gzip.") from error
            raise ApiError(400, f"The body is no gzip: {error}.") from error
    return parts[0] if len(parts) == 1 else b"".join(parts)


def unpack_little(body: bytes, most: int) -> bytes | None:
    """Return the content of one good member that has at most ``most`` bytes, else None."""
    unpacker = zlib.decompressobj(_GZIP)
    try:
        content = unpacker.decompress(body, most)
    except zlib.error:
        return None
    return content if unpacker.eof and not unpacker.unused_data else None


def _unpack_member(view: memoryview, at: int, store: Callable[[bytes], None]) -> int:
    """Unpack the member that begins at ``at``; return where it ends."""
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
            raise ApiError(400, "The body is no gzip: it ends too early.")
    return at - len(unpacker.unused_data)
