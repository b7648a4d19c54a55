"""Processor time: on a machine that others use it tells more than the clock."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
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
    clock, ours, servers = time.perf_counter(), time.process_time(), _backend(conn)
    work()
    return Taken(time.perf_counter() - clock, time.process_time() - ours, _backend(conn) - servers)


def _backend(conn: psycopg.Connection[Any]) -> float:
    """Seconds that the server's process of a connection had so far; 0 where it is not told."""
    with suppress(OSError):
        stat = Path(f"/proc/{conn.info.backend_pid}/schedstat").read_text()
        return int(stat.split()[0]) / 1e9
    return 0.0
