"""Files that are no data of a program."""

from __future__ import annotations

import fnmatch
import re
import sys
import sysconfig
from os.path import dirname
from typing import TYPE_CHECKING

from lineage.hub.locations import absolute_path

if TYPE_CHECKING:
    from collections.abc import Iterable

# Kernel interfaces and devices, and files of the system that libraries read: time zones, types.
_SYSTEM = (
    "/proc/", "/sys/", "/dev/", "/usr/lib/", "/usr/lib64/", "/usr/share/", "/lib/", "/lib64/",
    "/etc/ssl/", "/etc/pki/", "/etc/mime.types", "/etc/localtime", "/etc/os-release",
)  # fmt: skip
_LIBRARIES = ("stdlib", "platstdlib", "purelib", "platlib", "include", "scripts")


class IgnoredPaths:
    """Decides which absolute paths are left out.

    These are the libraries and programs of the interpreter, this package, a virtual environment,
    ``__pycache__``, kernel interfaces, ``own`` directories, and what a pattern of ``patterns``
    (``*``, ``?``, ``[…]``) matches. A pattern without ``/`` is compared with the last segment.
    """

    def __init__(self, patterns: Iterable[str] = (), own: Iterable[str] = ()) -> None:
        roots = {f"{absolute_path(root).rstrip('/')}/" for root in (*_interpreter_roots(), *own)}
        roots.discard("/")
        outer = [each for each in roots if not any(map(each.startswith, roots - {each}))]
        self._prefixes = (*_SYSTEM, *sorted(outer))
        whole = [fnmatch.translate(each) for each in patterns if "/" in each]
        last = [fnmatch.translate(each) for each in patterns if "/" not in each]
        self._of_path = re.compile("|".join(whole)) if whole else None
        self._of_name = re.compile("|".join(last)) if last else None

    def is_ignored(self, path: str) -> bool:
        """Return whether the file at an absolute path is left out."""
        if path.startswith(self._prefixes) or "/__pycache__/" in path:
            return True
        name = path[path.rfind("/") + 1 :]
        return bool(
            (self._of_path is not None and self._of_path.match(path))
            or (self._of_name is not None and self._of_name.match(name))
        )


def read_patterns(text: str) -> tuple[str, ...]:
    """Return the patterns of LINEAGE_OBSERVE_IGNORE, which commas separate."""
    return tuple(pattern for each in text.split(",") if (pattern := each.strip()))


def _interpreter_roots() -> Iterable[str]:
    yield from (path for name in _LIBRARIES if (path := sysconfig.get_path(name)))
    yield dirname(dirname(__file__))  # of this package, which may be outside the others
    if sys.prefix != sys.base_prefix:
        yield sys.prefix
    for prefix in {sys.base_prefix, sys.base_exec_prefix}:
        # Not all of the prefix: programs may have data below /usr/local.
        yield from (f"{prefix}/{name}" for name in ("lib", "lib64", "share"))
    site = sys.modules.get("site")
    if site is not None and site.USER_SITE:
        yield site.USER_SITE


def program_path() -> str | None:
    """Return the file that is executed, before the program changes its directory or arguments."""
    return absolute_path(sys.argv[0]) if sys.argv and isinstance(sys.argv[0], str) else None


def loaded_sources() -> set[str]:
    """Return the source files of all loaded modules, which a program reads to run."""
    files = [_file_of(module) for module in list(sys.modules.values())]
    return {absolute_path(each) for each in files if isinstance(each, str)}


def _file_of(module: object) -> object:
    """Return ``__file__`` without loading a module that is loaded by its first attribute."""
    try:
        return object.__getattribute__(module, "__dict__").get("__file__")
    except AttributeError:
        return None
