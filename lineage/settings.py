"""Directories from the environment, and their defaults."""

from __future__ import annotations

import os
import pwd
from pathlib import Path


def user_home() -> Path:
    """Return the user's home: ``$HOME``, else that of the account, else ``/``.

    A user id without an account has ``/`` in containers as well. The listener has the same rule
    (``io.lineage.spark.UserDirectories``), so that a driver and a command find one spool.
    """
    if home := os.environ.get("HOME"):
        return Path(home)
    try:
        return Path(pwd.getpwuid(os.getuid()).pw_dir or "/")
    except KeyError:
        return Path("/")


def expand_home(path: str | os.PathLike[str]) -> Path:
    """Return the absolute path, with ``~`` and ``~/`` expanded to the user's home."""
    first, *below = Path(path).parts or ("",)
    return (user_home().joinpath(*below) if first == "~" else Path(path)).absolute()


def _resolve_directory(variable: str, for_root: str, xdg: str, xdg_default: str, name: str) -> Path:
    if configured := os.environ.get(variable):
        return expand_home(configured)
    if os.geteuid() == 0:
        return Path(for_root)
    return Path(os.environ.get(xdg) or user_home() / xdg_default) / name


def home_directory() -> Path:
    """Return the data directory of the private server: ``LINEAGE_HOME``.

    By default ``/var/lib/lineage`` for root, whose home no other user can enter, and
    ``$XDG_DATA_HOME/lineage`` for everybody else.
    """
    return _resolve_directory(
        "LINEAGE_HOME", "/var/lib/lineage", "XDG_DATA_HOME", ".local/share", "lineage"
    )


def cache_directory() -> Path:
    """Return the directory for unpacked programs of the private server: ``LINEAGE_CACHE``."""
    return _resolve_directory(
        "LINEAGE_CACHE", "/var/cache/lineage", "XDG_CACHE_HOME", ".cache", "lineage"
    )


def postgres_directory() -> Path | None:
    """Return the directory of installed PostgreSQL programs: ``LINEAGE_POSTGRES``.

    None if it is not set: the programs are then searched for, and fetched if there are none.
    """
    configured = os.environ.get("LINEAGE_POSTGRES")
    return expand_home(configured) if configured else None


def spool_directory() -> Path:
    """Return the default spool of plan documents: ``LINEAGE_SPOOL``.

    The listener has the same default (``io.lineage.spark.UserDirectories``).
    """
    if configured := os.environ.get("LINEAGE_SPOOL"):
        return expand_home(configured)
    state = os.environ.get("XDG_STATE_HOME") or user_home() / ".local/state"
    return expand_home(state) / "lineage" / "spool"
