"""The configuration files of the private server: settings and client authentication."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from lineage.postgres.state_file import HOST

if TYPE_CHECKING:
    from collections.abc import Mapping

MEGABYTE = 1024 * 1024
# Maximum length of the address of a Unix socket (sockaddr_un), including its file name.
SOCKET_PATH = 90
# Passwords for all connections, because accounts of the operating system prove nothing here: for
# root the server runs under another account, and other users of the machine can connect to the
# port.
HBA = f"""\
local all all scram-sha-256
host all all {HOST}/32 scram-sha-256
"""


def postgresql_conf(port: int, sockets: Path, own: Mapping[str, str]) -> str:
    """Return the text of ``postgresql.conf``; ``own`` settings take precedence.

    The file is written at each start. Settings of ALTER SYSTEM are in another file, which
    PostgreSQL reads after this one.
    """
    values = {
        "listen_addresses": HOST,
        "port": str(port),
        "unix_socket_directories": str(sockets) if len(str(sockets)) < SOCKET_PATH else "",
        "unix_socket_permissions": "0700",
        "password_encryption": "scram-sha-256",
        "max_connections": "100",
        "shared_buffers": f"{_memory_share(8, 128, 1024)}MB",
        "effective_cache_size": f"{_memory_share(2, 256, 65536)}MB",
        "work_mem": "32MB",
        "maintenance_work_mem": "256MB",
        "max_wal_size": "4GB",
        # compilation takes longer than any of our queries
        "jit": "off",
        "timezone": _utc_name(),
        "log_timezone": _utc_name(),
        "log_line_prefix": "%m [%p] %d ",
        **own,
    }
    return "".join(f"{name} = {_quote_value(value)}\n" for name, value in values.items())


def _quote_value(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _memory_share(part: int, minimum: int, maximum: int) -> int:
    """Return a ``part``-th of the memory in megabytes, between ``least`` and ``most``."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // MEGABYTE
    return max(minimum, min(maximum, total // part))


def _utc_name() -> str:
    # Debian's PostgreSQL uses the system's time zones; without them it still has GMT
    return "UTC" if Path("/usr/share/zoneinfo/UTC").exists() else "GMT"
