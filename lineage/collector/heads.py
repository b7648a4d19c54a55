"""The head of a request, where it is of a plain post of a single event."""

from __future__ import annotations

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser

from lineage.collector import events
from lineage.collector.bodies import SMALL

_LINE = f"POST {events.PATH} HTTP/1.1\r\n".encode()
_END = b"\r\n\r\n"
# With one of these a body has no length, or the client waits for an answer before it sends more.
_NOT_PLAIN = frozenset((b"transfer-encoding", b"expect"))


class Head:
    """What a post says before its body; ``size`` and ``length`` are bytes of head and body."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.length = 0
        self._fields: dict[bytes, bytes] = {}
        self._complete = False
        self._beyond = False

    @classmethod
    def of(cls, data: bytes) -> Head | None:
        """Return the head that ``data`` begins with, where it is whole, plain and announces little.

        In doubt it is not: uvicorn knows all that HTTP allows.
        """
        if not data.startswith(_LINE):
            return None
        size = data.find(_END) + len(_END)
        head = cls(size)
        return head if size >= len(_END) and head._is_plain(data[:size]) else None

    def _is_plain(self, text: bytes) -> bool:
        parser = HttpRequestParser(self)
        try:
            parser.feed_data(text)
        except HttpParserUpgrade:
            pass  # Java's clients offer one, and take it that nobody wants it
        except HttpParserError:
            return False
        length = self._fields.get(b"content-length", b"")
        self.length = int(length) if length.isdigit() else 0
        return (
            self._complete
            and not self._beyond
            and 0 < self.length <= SMALL
            and parser.should_keep_alive()
            and _NOT_PLAIN.isdisjoint(self._fields)
        )

    def field(self, name: bytes, default: str = "") -> str:
        """Return the first header of a name, which is in small letters."""
        value = self._fields.get(name)
        return default if value is None else value.decode("latin-1")

    def on_header(self, name: bytes, value: bytes) -> None:
        """Note a header, as the parser tells it."""
        self._fields.setdefault(name.lower(), value)

    def on_headers_complete(self) -> None:
        """Note that it ends, where the parser says so."""
        self._complete = True

    def on_body(self, body: bytes) -> None:
        """Note that the parser found its end before we did."""
        self._beyond = True
