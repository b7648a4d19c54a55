"""Find and stop the processes of a data directory: its postmaster and orphaned servers."""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import secrets
import signal
import socket
import struct
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lineage.errors import ServerError
from lineage.postgres.state_file import HOST, process_start_time

if TYPE_CHECKING:
    from collections.abc import Callable

# Above the ports that services register and below those that kernels assign to outgoing
# connections: a port from this range is rarely taken by chance.
PORTS = range(20_000, 32_000)


# SSLRequest of PostgreSQL's protocol: its length and its code
_SPEAKS_TLS = struct.pack("!ii", 8, 80877103)


@dataclass(frozen=True)
class Postmaster:
    """A running postmaster, according to its pid file."""

    pid: int
    port: int


def find_postmaster(data: Path) -> Postmaster | None:
    """Return the postmaster that serves ``data``; None if there is none or its pid file is stale.

    Raises PermissionError if the data belong to another user.
    """
    try:
        lines = (data / "postmaster.pid").read_text().splitlines()
        pid, port = int(lines[0]), int(lines[3])
    except (FileNotFoundError, ValueError, IndexError):
        return None
    return Postmaster(pid, port) if is_server_of(pid, data) else None


def stop_postmaster(postmaster: Postmaster, seconds: float) -> None:
    """Stop a postmaster and its connections, immediately if it takes longer than ``seconds``.

    Signals are used instead of pg_ctl, because its programs may have been removed from the cache.
    Raises ServerError if it does not stop.
    """
    for way in (signal.SIGINT, signal.SIGQUIT):
        with contextlib.suppress(ProcessLookupError):
            os.kill(postmaster.pid, way)
        if _wait_until(lambda: process_start_time(postmaster.pid) is None, seconds):
            return
    raise ServerError(f"The server (process {postmaster.pid}) does not stop.")


def is_server_of(pid: int, data: Path) -> bool:
    """Return whether process ``pid`` is a server of ``data``, its working directory."""
    if not Path("/proc/self/cwd").exists():
        command = ["ps", "-p", str(pid), "-o", "command="]
        result = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        return "postgres" in result and str(data) in result
    process = Path(f"/proc/{pid}")
    try:
        # the name is checked too: an administrator's shell may be in that directory
        named = (process / "comm").read_text() == "postgres\n"
        return named and (process / "cwd").samefile(data)
    except OSError:
        return False


def remove_lock_files(data: Path, sockets: Path) -> None:
    """Remove the lock files of a postmaster that has ended.

    PostgreSQL itself removes those of a dead process. However, it does not start if another process
    of its account now has the pid, or a zombie: process 1 of many containers reaps none. Without
    the file, it still detects left-over shared memory by the inode of the directory.
    """
    if find_postmaster(data) is None and not _orphaned_processes(data):
        for lock in (data / "postmaster.pid", *sockets.glob(".s.PGSQL.*")):
            lock.unlink(missing_ok=True)


def end_orphans(data: Path, seconds: float = 10.0) -> None:
    """Stop the processes left by a killed postmaster, which would keep a new one from starting."""
    if find_postmaster(data):
        return
    for pid in _orphaned_processes(data):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGQUIT)
    _wait_until(lambda: not _orphaned_processes(data), seconds)


def is_answering(port: int, seconds: float = 5.0) -> bool:
    """Return whether a PostgreSQL on ``port`` answers; a killed one cannot start a backend.

    The request asks for TLS support. PostgreSQL answers it before anything else, also in recovery.
    """
    try:
        with socket.create_connection((HOST, port), seconds) as connection:
            connection.settimeout(seconds)
            connection.sendall(_SPEAKS_TLS)
            return connection.recv(1) in (b"S", b"N")
    except OSError:
        return False


def _wait_until(ended: Callable[[], bool], seconds: float) -> bool:
    """Wait until ``ended`` returns true; return whether it did within ``seconds``."""
    deadline = time.monotonic() + seconds
    while not ended():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def _orphaned_processes(data: Path) -> list[int]:
    return [int(entry) for entry in _process_ids() if is_server_of(int(entry), data)]


def _process_ids() -> list[str]:
    try:
        return [entry for entry in os.listdir("/proc") if entry.isdigit()]
    except OSError:
        return []


def is_port_free(port: int) -> bool:
    """Return whether a server can listen on ``port`` of the loopback address."""
    with socket.socket() as attempt:
        # as PostgreSQL does: closing connections do not block the port
        attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            attempt.bind((HOST, port))
        except OSError:
            return False
    return True


def choose_port() -> int:
    """Return a port that is free now, a different one on each call."""
    start = secrets.randbelow(len(PORTS))
    for port in itertools.chain(PORTS[start:], PORTS[:start]):
        if is_port_free(port):
            return port
    raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE))
