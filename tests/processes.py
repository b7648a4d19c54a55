"""What Linux tells of processes."""

from __future__ import annotations

import re
from pathlib import Path


def resident(pid: int) -> int:
    """Bytes that a process has in memory."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found
    return int(found[1]) << 10


def spawned(pid: int) -> list[int]:
    """The processes that a process of Python has started through multiprocessing."""
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    children = [int(child) for each in lists for child in each.read_text().split()]
    return [each for each in children if b"spawn_main" in _command(each)]


def _command(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()
