"""Measure processor time, which depends less than elapsed time on other load of the machine."""

from __future__ import annotations

import os
import threading
import time
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
    with _observed_processes(os.getpid()) as observed:
        clock, ours, servers = time.perf_counter(), of_tree(os.getpid()), of_tree(server)
        before = observed()
        work()
        clock, ours = time.perf_counter() - clock, of_tree(os.getpid()) - ours
        return Taken(clock, max(ours, observed() - before), of_tree(server) - servers)


def of_tree(pid: int) -> float:
    """Return the seconds of a process and its descendants, with those that were waited for."""
    processes = _read_tree(pid)
    # utime, stime; cutime and cstime, for children that ended and were waited for.
    return sum(sum(map(int, stat[11:15])) for stat in processes.values()) / _TICKS


@contextmanager
def _observed_processes(pid: int) -> Iterator[Callable[[], float]]:
    """Yield a function that returns the seconds of a process and its descendants since the start.

    They are read every second, because the time of a process that ended is lost if its parent does
    not wait for it. Spark does not wait for its Python processes, and ends idle ones.
    """
    ticks: dict[tuple[int, str], int] = {}
    is_over = threading.Event()

    def observe() -> float:
        for process, stat in _read_tree(pid).items():
            ticks[process, stat[19]] = int(stat[11]) + int(stat[12])  # by starttime: ids recur
        return sum(ticks.values()) / _TICKS

    def observe_until_over() -> None:
        while not is_over.wait(1):
            observe()

    thread = threading.Thread(target=observe_until_over)
    thread.start()
    try:
        yield observe
    finally:
        is_over.set()
        thread.join()


def _read_tree(pid: int) -> dict[int, list[str]]:
    """Return the fields of /proc/PID/stat of a process and its descendants."""
    try:
        processes = {pid: _stat(pid)}
        lists = [file.read_text() for file in Path(f"/proc/{pid}/task").glob("*/children")]
    except OSError:  # it has just ended
        return {}
    for child in chain.from_iterable(each.split() for each in lists):
        processes |= _read_tree(int(child))
    return processes


def _stat(pid: int | str) -> list[str]:
    # The name, in parentheses, may contain spaces.
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def of_process(pid: int) -> float:
    """Return the seconds of a process with all its threads so far; 0 if they are not available."""
    with suppress(OSError):
        return time.clock_gettime((~pid << 3) | 2)  # the clock id of clock_getcpuclockid() on Linux
    return 0.0
