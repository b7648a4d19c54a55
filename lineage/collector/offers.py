"""Requests that offer to go on in another protocol, as HTTP clients of Java do. Nobody takes it up.

The parser takes it that what follows such a head is of the other protocol. uvicorn then drops it,
and with it the body.
"""

from __future__ import annotations

import re

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_END = b"\r\n\r\n"
_METHOD = re.compile(rb"[A-Z]+( |\Z)")  # what begins otherwise is told so at once
_OFFER = re.compile(rb"(?im)^upgrade:.*\n")
# uvicorn takes a head of any length; of a longer one the offer is left in.
_MOST_BYTES = 1 << 16


class WithoutOffers(HttpToolsProtocol):
    """uvicorn's protocol, which gets each request without its offer.

    A head is kept until it is whole. Of requests that do not wait for answers only the first of
    those that come at once is looked at: who offers something waits for the answer.
    """

    _begun = b""
    _is_in_body = False

    def data_received(self, data: bytes) -> None:
        """Take a part of a request."""
        if not self._is_in_body:
            data = self._begun + data
            if _END not in data and len(data) < _MOST_BYTES and _METHOD.match(data):
                self._begun = data
                self._unset_keepalive_if_required()
                return
            self._begun = b""
            data = _without_offer(data)
        super().data_received(data)

    def on_headers_complete(self) -> None:
        """Called by the parser."""
        self._is_in_body = True
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Called by the parser."""
        self._is_in_body = False
        super().on_message_complete()


def _without_offer(data: bytes) -> bytes:
    size = data.find(_END) + 2
    return _OFFER.sub(b"", data[:size]) + data[size:]
