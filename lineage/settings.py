"""Where things are: directories, from the environment or by default."""

from __future__ import annotations

import os
from pathlib import Path


def _directory(variable: str, for_root: str, xdg: str, xdg_default: str, name: str) -> Path:
    if given := os.environ.get(variable):
        return Path(given).expanduser().absolute()
    if os.geteuid() == 0:
        return Path(for_root)
    return Path(os.environ.get(xdg) or Path.home() / xdg_default) / name


def home() -> Path:
    """Where the private server keeps its data: ``LINEAGE_HOME``.

    By default ``/var/lib/lineage`` for root, whose home no other user can enter, and
    ``$XDG_DATA_HOME/lineage`` for everybody else.
    """
    return _directory(
        "LINEAGE_HOME", "/var/lib/lineage", "XDG_DATA_HOME", ".local/share", "lineage"
    )


def cache() -> Path:
    """Where the private server's programs are unpacked: ``LINEAGE_CACHE``."""
    return _directory("LINEAGE_CACHE", "/var/cache/lineage", "XDG_CACHE_HOME", ".cache", "lineage")


def postgres() -> Path | None:
    """The directory of the programs to run the private server with: ``LINEAGE_POSTGRES``.

    None where it is not set: they are then looked for, and fetched where there are none.
    """
    given = os.environ.get("LINEAGE_POSTGRES")
    return Path(given).expanduser().absolute() if given else None


def spool() -> Path:
    """Where the listener leaves plan documents when no spool is named: ``LINEAGE_SPOOL``.

    The listener has the same default (``io.lineage.spark.Settings``).
    """
    if given := os.environ.get("LINEAGE_SPOOL"):
        return Path(given).expanduser().absolute()
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state"
    return Path(state) / "lineage" / "spool"
