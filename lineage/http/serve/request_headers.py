"""The headers of a plain post of a single event, for the fast path."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser
from msgspec import Struct

from lineage.http.collector import events
from lineage.http.connection_limits import MAX_HEADERS
from lineage.http.errors import ApiError
from lineage.http.origins import ONCE
from lineage.http.request_body import SMALL_BODY_BYTES

if TYPE_CHECKING:
    from lineage.http.origins import Origins

_LINE = f"POST {events.PATH} HTTP/1.1\r\n".encode()
_END = b"\r\n\r\n"
_LENGTH = b"\r\ncontent-length: "
# Transfer-Encoding: the length is unknown. Expect: the client waits for 100 Continue.
_NOT_PLAIN = frozenset((b"transfer-encoding", b"expect"))
_LINES = b"application/x-ndjson"
_MAX_HEAD_BYTES = 4096
_ONCE = frozenset(name.encode() for name in ONCE)


class RequestHeaders(Struct, frozen=True, gc=False):
    """The headers of a post; ``size`` and ``length`` are the bytes of headers and body."""

    size: int
    length: int
    authorization: str
    encoding: str

    @classmethod
    def from_bytes(cls, data: bytes, origins: Origins) -> RequestHeaders | None:
        """Return the headers at the beginning of ``data``; None if uvicorn has to read them.

        This is so unless they are complete and plain, announce a small body, and pass ``origins``.
        """
        if not data.startswith(_LINE):
            return None
        size = data.find(_END, 0, _MAX_HEAD_BYTES) + len(_END)
        text = data[:size]
        start = text.lower().find(_LENGTH) + len(_LENGTH)
        end = text.find(b"\r\n", start)
        length = _body_length(text[start:end])
        fields = _read_header_pair(text[:start], text[end:], origins) if length else None
        return cls(size, length, *fields) if fields else None


def _body_length(text: bytes) -> int:
    """Return the length of a small body, else 0."""
    length = int(text) if text.isdigit() and len(text) < 10 else 0
    return length if length <= SMALL_BODY_BYTES else 0


@lru_cache(1024)  # the headers of a client differ only in the length
def _read_header_pair(before: bytes, after: bytes, origins: Origins) -> tuple[str, str] | None:
    """Return Authorization and Content-Encoding; None if uvicorn has to read the headers.

    ``before`` and ``after`` are the headers without the value of Content-Length.
    """
    parsed = _Parsed()
    parser = HttpRequestParser(parsed)
    try:
        parser.feed_data(b"%b1%b" % (before, after))
    except HttpParserUpgrade:
        pass  # Java's clients offer an upgrade, which servers may ignore
    except HttpParserError:
        return None
    fields = parsed.fields
    if not parsed.is_head or parsed.is_more or parsed.is_twice or parsed.count > MAX_HEADERS:
        return None
    if not _NOT_PLAIN.isdisjoint(fields):
        return None
    if not parser.should_keep_alive():
        return None
    if fields.get(b"content-type", b"").lower().startswith(_LINES):
        return None
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in fields.items()}
    try:
        origins.check_request(events.PATH, headers, has_body=True)
    except ApiError:
        return None
    return headers.get("authorization", ""), headers.get("content-encoding", "identity")


class _Parsed:
    """The parsed headers: the first of each name, and whether they are complete, without data."""

    def __init__(self) -> None:
        self.fields: dict[bytes, bytes] = {}
        self.is_head = self.is_more = self.is_twice = False
        self.count = 0

    def on_header(self, name: bytes, value: bytes) -> None:
        self.count += 1
        name = name.lower()
        self.is_twice = self.is_twice or (name in self.fields and name in _ONCE)
        self.fields.setdefault(name, value)

    def on_headers_complete(self) -> None:
        self.is_head = True

    def on_body(self, body: bytes) -> None:
        self.is_more = True
