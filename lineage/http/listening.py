"""Check an address before a server listens on it."""

from __future__ import annotations

import errno
import socket

from lineage.errors import UsageError


def check_address(host: str, port: int, option: str) -> None:
    """Raise UsageError if a server cannot listen on an address; ``option`` sets the port.

    A web server reports it only after the application has started.
    """
    try:
        places = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise UsageError(
            f'The host "{host}" cannot be resolved.', "Specify an address of this machine."
        ) from error
    for family, kind, protocol, _, place in places:
        try:
            listener = socket.socket(family, kind, protocol)
        except OSError:  # the machine has no addresses of the family; servers pass over it
            continue
        with listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            try:
                listener.bind(place)
            except OSError as error:
                raise _unusable_address(host, port, option, error) from error


def _unusable_address(host: str, port: int, option: str, error: OSError) -> UsageError:
    if error.errno == errno.EADDRINUSE:
        return UsageError(f"Port {port} is in use.", f"Choose another: {option}")
    return UsageError(
        f"No server can listen on {host} port {port}: {error.strerror}.",
        "Specify an address of this machine, and a port that is permitted.",
    )
