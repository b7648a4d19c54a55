"""The command on a pseudo-terminal: its output, and key presses."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

_PATIENCE_SECONDS = 60.0


def run_on_terminal(
    *arguments: str, dsn: str | None = None, rows: int = 24, columns: int = 80, **env: str
) -> str:
    """Run ``lineage`` with stdout and stderr on a terminal, and return its output."""
    command = [str(Path(sys.executable).with_name("lineage")), *arguments]
    return run_program_on_terminal(command, dsn=dsn, rows=rows, columns=columns, **env)


def run_program_on_terminal(
    command: list[str], *, dsn: str | None, rows: int = 24, columns: int = 80, **env: str
) -> str:
    """Run ``command`` with stdout and stderr on a terminal, and return its output."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    variables = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "PAGER")}
    variables |= {"TERM": "xterm", "NO_PAGER": "1", **env}
    if dsn is not None:
        variables["LINEAGE_DSN"] = dsn
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=variables) as it:
        os.close(theirs)
        text = _read_all(ours, it)
        it.wait(_PATIENCE_SECONDS)
    os.close(ours)
    return text.decode()


def _read_all(terminal: int, process: subprocess.Popen[bytes]) -> bytes:
    """Read until the other end is closed. Fail the test if the process hangs."""
    text, until = b"", time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < until:
        if not select.select([terminal], [], [], 1.0)[0]:
            continue
        try:
            part = os.read(terminal, 1 << 16)
        except OSError:  # Linux returns EIO when the last process has closed its end
            return text
        if not part:
            return text
        text += part
    process.kill()
    raise TimeoutError(f"The command does not end; it wrote {text[-2000:]!r}")
