"""Locks between processes, held on a file and released by the kernel when a holder dies."""

from __future__ import annotations

import contextlib
import fcntl
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextlib.contextmanager
def lock_exclusively(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on ``path``; wait while another process holds it.

    The file is not removed: otherwise two processes could lock two files of the same name.
    """
    # Python opens it close-on-exec, so that a server started meanwhile does not inherit the lock
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
