"""Find the files of a directory, and the endings of their names."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

# The endings of compressed files.
PACKED = (".gz", ".bz2", ".zst", ".zstd")
# The end of the name of a file that logrotate has rotated.
_ROTATED = re.compile(r"(\.\d{1,4}|-\d{8})$")


def list_files(directory: Path, on_error: Callable[[OSError], None]) -> list[Path]:
    """Return the files of a directory and of those below it, sorted.

    Links are followed, and each directory is listed once, so that links in a circle end.
    ``on_error`` is called if a directory cannot be listed.
    """
    files = []
    listed = set()
    for place, below, names in os.walk(directory, onerror=on_error, followlinks=True):
        identity = _identity_of(place)
        if identity in listed:
            below.clear()
            continue
        listed.add(identity)
        below.sort()
        files += [Path(place, name) for name in names]
    return sorted(files)


def _identity_of(directory: str) -> tuple[int, int]:
    status = os.stat(directory)
    return status.st_dev, status.st_ino


def unpacked_name(name: str) -> str:
    """Return the name of a file in lower case, without the ending of a compressed file."""
    lower = name.lower()
    return next((lower.removesuffix(ending) for ending in PACKED if lower.endswith(ending)), lower)


def unrotated_name(name: str) -> str:
    """Return the same also without the ending of a rotated file, such as .1 or -20260131."""
    return _ROTATED.sub("", unpacked_name(name))


def by_rotation(file: Path) -> tuple[Path, str, int, int]:
    """Return a sort key of the files of a log: the oldest first, and the current one last."""
    match = _ROTATED.search(unpacked_name(file.name))
    number = int(match[0][1:]) if match else 0
    is_date = match is not None and match[0].startswith("-")
    return (
        file.parent,
        unrotated_name(file.name),
        int(match is None),
        number if is_date else -number,
    )
