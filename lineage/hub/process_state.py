"""Whether a process still runs."""

from __future__ import annotations

import os
from pathlib import Path


def read_start(process_id: int) -> str:
    """Return when a process started, in ticks of the kernel; empty if it is not known."""
    return _read_stat(process_id)[1]


def is_running(process_id: int, start: str) -> bool:
    """Return whether the process that started at ``start`` still runs.

    A process that nobody has waited for keeps its number after its end; later, another process may
    get it. Without ``/proc`` such a process runs.
    """
    state, known = _read_stat(process_id)
    if state:
        return state not in "XZ" and start in ("", known)
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _read_stat(process_id: int) -> tuple[str, str]:
    """Return the state and the start of a process; empty if Linux does not show them."""
    try:
        content = Path(f"/proc/{process_id}/stat").read_bytes()
    except OSError:
        return "", ""
    # The name of the program, in parentheses, may have any character.
    fields = content.rpartition(b")")[2].decode().split()
    return fields[0], fields[19]
