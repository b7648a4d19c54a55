"""Processor time: on a machine that others use it tells more than the clock."""

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
    """Seconds by the clock, and of the processor: in this program and in the server."""

    clock: float
    ours: float
    servers: float


def taken(conn: psycopg.Connection[Any], work: Callable[[], object]) -> Taken:
    """What ``work``, on this connection, takes."""
    server = conn.info.backend_pid
    clock, ours, servers = time.perf_counter(), time.process_time(), of_process(server)
    work()
    return Taken(
        time.perf_counter() - clock, time.process_time() - ours, of_process(server) - servers
    )


def taken_by_all(conn: psycopg.Connection[Any], work: Callable[[], object]) -> Taken:
    """What ``work`` takes of all processes that are ours, and of all that are the server's.

    So it has the connections that others make meanwhile, and what writes pages beside them.
    """
    server = int(_stat(conn.info.backend_pid)[1])
    clock, ours, servers = time.perf_counter(), of_tree(os.getpid()), of_tree(server)
    work()
    return Taken(
        time.perf_counter() - clock, of_tree(os.getpid()) - ours, of_tree(server) - servers
    )


def of_tree(pid: int) -> float:
    """Seconds of a process and its children, also of those that have ended, in hundredths."""
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    children = [child for each in lists for child in each.read_text().split()]
    # Of a child that ended both tell, until it is waited for.
    times = [_stat(pid)[11:15], *(_stat(child)[11:13] for child in children)]
    return sum(int(ticks) for each in times for ticks in each) / _TICKS


def _stat(pid: int | str) -> list[str]:
    # The name, in parentheses, may have spaces.
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def of_process(pid: int) -> float:
    """Seconds that a process, with all its threads, had so far; 0 where it is not told."""
    with suppress(OSError):
        return time.clock_gettime((~pid << 3) | 2)  # as clock_getcpuclockid() of Linux has it
    return 0.0
