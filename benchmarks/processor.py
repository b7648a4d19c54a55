"""Measure processor time, which depends less than elapsed time on other load of the machine."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    import psycopg

_TICKS = 100  # of user space a second, on Linux: USER_HZ


class Taken(NamedTuple):
    """Elapsed seconds, and seconds of the processor in this program and in the server."""

    clock: float
    ours: float
    servers: float


def taken(conn: psycopg.Connection[Any], work: Callable[[], object]) -> Taken:
    """Measure ``work`` in this process and in the session of this connection."""
    server = conn.info.backend_pid
    clock, ours, servers = time.perf_counter(), time.process_time(), of_process(server)
    work()
    return Taken(
        time.perf_counter() - clock, time.process_time() - ours, of_process(server) - servers
    )


def taken_by_all(conn: psycopg.Connection[Any], work: Callable[[], object]) -> Taken:
    """Measure ``work`` in this process, its children, and all processes of the server.

    The server includes other sessions and background processes, such as those that write pages.
    """
    server = int(_stat(conn.info.backend_pid)[1])
    clock, ours, servers = time.perf_counter(), of_tree(os.getpid()), of_tree(server)
    work()
    return Taken(
        time.perf_counter() - clock, of_tree(os.getpid()) - ours, of_tree(server) - servers
    )


def of_tree(pid: int) -> float:
    """Return the seconds of a process and its descendants, with those that have ended."""
    try:
        # utime, stime; cutime and cstime, for children that ended and were waited for.
        seconds = sum(map(int, _stat(pid)[11:15])) / _TICKS
        lists = [file.read_text() for file in Path(f"/proc/{pid}/task").glob("*/children")]
    except OSError:  # it has just ended
        return 0.0
    return seconds + sum(of_tree(int(child)) for each in lists for child in each.split())


def _stat(pid: int | str) -> list[str]:
    # The name, in parentheses, may contain spaces.
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def of_process(pid: int) -> float:
    """Return the seconds of a process with all its threads so far; 0 if they are not available."""
    with suppress(OSError):
        return time.clock_gettime((~pid << 3) | 2)  # the clock id of clock_getcpuclockid() on Linux
    return 0.0
