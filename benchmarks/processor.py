"""Processor time: on a machine that others use it tells more than the clock."""

from __future__ import annotations

import resource
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    import psycopg

_TICKS = 100  # of user space a second, on Linux: USER_HZ
_CLIENTS = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND backend_type = 'client backend'
"""


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
    """What ``work`` takes with the processes and connections that it makes and ends.

    Of the server that is all that ended meanwhile, its autovacuum too.
    """
    before, own = _of_children(conn), taken(conn, work)
    while conn.execute(_CLIENTS).fetchall() != [(1,)]:  # what ended is counted once it is gone
        pass
    ours, servers = (after - b for after, b in zip(_of_children(conn), before, strict=True))
    return Taken(own.clock, own.ours + ours, own.servers + servers)


def _of_children(conn: psycopg.Connection[Any]) -> tuple[float, float]:
    """Seconds of processes that have ended: our own, and those of the server."""
    ours = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ours.ru_utime + ours.ru_stime, _of_ended(_stat(conn.info.backend_pid)[1])


def _of_ended(parent: str) -> float:
    return sum(map(int, _stat(parent)[13:15])) / _TICKS


def _stat(pid: int | str) -> list[str]:
    # The name, in parentheses, may have spaces.
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def of_process(pid: int) -> float:
    """Seconds that a process, with all its threads, had so far; 0 where it is not told."""
    with suppress(OSError):
        return time.clock_gettime((~pid << 3) | 2)  # as clock_getcpuclockid() of Linux has it
    return 0.0
