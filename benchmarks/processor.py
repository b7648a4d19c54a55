"""Processor time: on a machine that others use it tells more than the clock."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import psycopg


@dataclass(frozen=True, slots=True)
class Taken:
    """Seconds by the clock, and of the processor: in this process and in that of the server."""

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


def of_process(pid: int) -> float:
    """Seconds that a process, with all its threads, had so far; 0 where it is not told."""
    with suppress(OSError):
        return time.clock_gettime((~pid << 3) | 2)  # as clock_getcpuclockid() of Linux has it
    return 0.0
