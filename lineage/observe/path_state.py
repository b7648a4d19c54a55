"""Paths as programs name them, and the state of the files at them. Nothing here raises an error."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import PurePath
from typing import Any

from lineage.hub.locations import absolute_path


def path_text(path: Any) -> str | None:
    """Return a path as text. The methods of other classes are not called: they may do anything.

    ``shutil.copytree`` copies instances of ``os.DirEntry``, of which there are no subclasses.
    """
    if isinstance(path, str):
        return str.__str__(path)
    if isinstance(path, bytes):
        return os.fsdecode(path)
    if isinstance(path, os.DirEntry):
        return path_text(path.path)
    return str(path) if isinstance(path, PurePath) else None


def resolve_path(path: Any) -> str | None:
    """Return the absolute path that a program names; None for one of an unknown class."""
    name = path_text(path)
    return plain_path(name) if name else None


def plain_path(path: str) -> str:
    """Return the absolute path without ``.`` and ``..``; soon, because most paths are that."""
    is_plain = path.startswith("/") and "/." not in path and "//" not in path
    return path if is_plain and path[-1] != "/" else absolute_path(path)


def link_status(path: str) -> os.stat_result | None:
    """Return the status of a file, of a symbolic link itself; None if it is not there."""
    try:
        return os.lstat(path)
    except (OSError, ValueError):
        return None


def file_status(path: str) -> os.stat_result | None:
    """Return the status of the file at a path; None if it is not there."""
    try:
        return os.stat(path)
    except (OSError, ValueError):
        return None


def file_state(status: os.stat_result) -> tuple[int, ...]:
    """Return the state that changes if a file is written."""
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def file_identity(status: os.stat_result | None) -> tuple[int, int] | None:
    """Return device and number of a file, which it keeps when it is moved."""
    return None if status is None else (status.st_dev, status.st_ino)


def files_open_to_write() -> set[tuple[int, int]]:
    """Return device and number of the files that this process has open to write, where /proc is."""
    opened: set[tuple[int, int]] = set()
    with suppress(OSError):
        for name in os.listdir("/proc/self/fd"):
            with suppress(OSError, ValueError):  # the list has its own descriptor, closed by now
                flags = fcntl.fcntl(int(name), fcntl.F_GETFL)
                if flags & (os.O_WRONLY | os.O_RDWR):
                    status = os.fstat(int(name))
                    opened.add((status.st_dev, status.st_ino))
    return opened
