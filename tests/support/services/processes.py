"""Data of processes from Linux."""

from __future__ import annotations

import re
import time
from pathlib import Path

from support.services.polling import PAUSE


def resident(pid: int) -> int:
    """Return the resident memory of a process in bytes."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found
    return int(found[1]) << 10


def spawned(pid: int) -> int:
    """Wait for the multiprocessing child of a Python process, and return its id."""
    while not (found := [each for each in _children(pid) if b"spawn_main" in _command(each)]):
        assert Path(f"/proc/{pid}/task").exists(), f"process {pid} has ended"
        time.sleep(PAUSE)
    [spawned] = found
    return spawned


def _children(pid: int) -> list[int]:
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for each in lists for child in each.read_text().split()]


def _command(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def session_members(session: int) -> dict[int, tuple[int, bytes]]:
    """Return parent and command of each process of a session, by process id."""
    members: dict[int, tuple[int, bytes]] = {}
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            fields = (directory / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == session:
                members[int(directory.name)] = int(fields[1]), _command(int(directory.name))
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended
    return members
