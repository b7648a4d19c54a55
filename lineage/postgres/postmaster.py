"""The processes of a data directory: the postmaster that serves it, and what one left behind."""

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

# Above the ports that services register, below those that kernels give to outgoing connections:
# a port kept from here is rarely taken by chance.
PORTS = range(20_000, 32_000)


# SSLRequest of PostgreSQL's protocol: its length and its code
_SPEAKS_TLS = struct.pack("!ii", 8, 80877103)


@dataclass(frozen=True)
class Postmaster:
    """A running postmaster, as its pid file tells."""

    pid: int
    port: int


def find_postmaster(data: Path) -> Postmaster | None:
    """The postmaster that serves ``data``; None where there is none or its pid file is stale.

    Raises:
        PermissionError: the data are another user's.
    """
    try:
        lines = (data / "postmaster.pid").read_text().splitlines()
        pid, port = int(lines[0]), int(lines[3])
    except (FileNotFoundError, ValueError, IndexError):
        return None
    return Postmaster(pid, port) if is_server_of(pid, data) else None


def stop_postmaster(postmaster: Postmaster, seconds: float) -> None:
    """End a postmaster and its connections, at once if it takes longer than ``seconds``.

    By signals and not by pg_ctl: its programs may be gone from the cache by now.

    Raises:
        ServerError: it does not end.
    """
    for way in (signal.SIGINT, signal.SIGQUIT):
        with contextlib.suppress(ProcessLookupError):
            os.kill(postmaster.pid, way)
        if _wait_until(lambda: process_start_time(postmaster.pid) is None, seconds):
            return
    raise ServerError(f"The server (process {postmaster.pid}) does not stop.")


def is_server_of(pid: int, data: Path) -> bool:
    """Whether process ``pid`` is a server of ``data``: all of them work in that directory."""
    if not Path("/proc/self/cwd").exists():
        command = ["ps", "-p", str(pid), "-o", "command="]
        result = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        return "postgres" in result and str(data) in result
    process = Path(f"/proc/{pid}")
    try:
        # the name too: an administrator's shell may be in that directory
        named = (process / "comm").read_text() == "postgres\n"
        return named and (process / "cwd").samefile(data)
    except OSError:
        return False


def remove_lock_files(data: Path, sockets: Path) -> None:
    """Remove the lock files of a postmaster that is no more.

    PostgreSQL itself removes those of a dead process, but takes any live process of its own account
    that has the pid now for a postmaster, and a dead one that nobody waited for (process 1 of many
    containers waits for none), and then refuses to start. It still finds left-over shared memory
    without the file, by the inode of the directory.
    """
    if find_postmaster(data) is None and not _orphaned_processes(data):
        for lock in (data / "postmaster.pid", *sockets.glob(".s.PGSQL.*")):
            lock.unlink(missing_ok=True)


def end_orphans(data: Path, seconds: float = 10.0) -> None:
    """End the processes that a killed postmaster left behind: they keep a new one from starting."""
    if find_postmaster(data):
        return
    for pid in _orphaned_processes(data):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGQUIT)
    _wait_until(lambda: not _orphaned_processes(data), seconds)


def is_answering(port: int, seconds: float = 5.0) -> bool:
    """Whether a PostgreSQL on ``port`` answers: one that was killed starts nobody to do so.

    It is asked whether it speaks TLS, which it says before anything else, also while it recovers.
    """
    try:
        with socket.create_connection((HOST, port), seconds) as connection:
            connection.settimeout(seconds)
            connection.sendall(_SPEAKS_TLS)
            return connection.recv(1) in (b"S", b"N")
    except OSError:
        return False


def _wait_until(ended: Callable[[], bool], seconds: float) -> bool:
    """Wait until ``ended``; returns whether it did within ``seconds``."""
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
    """Whether a server can listen on ``port`` of the loopback address."""
    with socket.socket() as attempt:
        # as PostgreSQL does: connections that are only closing do not hold the port
        attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            attempt.bind((HOST, port))
        except OSError:
            return False
    return True


def choose_port() -> int:
    """A port that is free now, another one at each call."""
    start = secrets.randbelow(len(PORTS))
    for port in itertools.chain(PORTS[start:], PORTS[:start]):
        if is_port_free(port):
            return port
    raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE))
