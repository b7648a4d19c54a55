"""What the private server is told: its settings, and who may connect."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from lineage.postgres.state_file import HOST

if TYPE_CHECKING:
    from collections.abc import Mapping

MEGABYTE = 1024 * 1024
# A path longer than this is no address of a Unix socket (sockaddr_un), its file name included.
SOCKET_PATH = 90
# Password for everybody, the operating system's accounts prove nothing here: as root we run the
# server under another account, and other users of this machine reach the port as well.
HBA = f"""\
local all all scram-sha-256
host all all {HOST}/32 scram-sha-256
"""


def postgresql_conf(port: int, sockets: Path, own: Mapping[str, str]) -> str:
    """The text of ``postgresql.conf``; ``own`` settings win.

    It is written at each start. What somebody sets with ALTER SYSTEM stands in another file, which
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
        # compiling takes longer than any of our queries runs
        "jit": "off",
        "timezone": _utc_name(),
        "log_timezone": _utc_name(),
        "log_line_prefix": "%m [%p] %d ",
        **own,
    }
    return "".join(f"{name} = {_quote_value(value)}\n" for name, value in values.items())


def _quote_value(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _memory_share(part: int, least: int, most: int) -> int:
    """One ``part``-th of this machine's memory in megabytes, between ``least`` and ``most``."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // MEGABYTE
    return max(least, min(most, total // part))


def _utc_name() -> str:
    # Debian's PostgreSQL reads the system's time zones; without them it still knows GMT
    return "UTC" if Path("/usr/share/zoneinfo/UTC").exists() else "GMT"
