"""Select the account that runs the server, as PostgreSQL does not run as root."""

from __future__ import annotations

import os
import pwd
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lineage.errors import ServerError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

# In order: an account for this product, one for PostgreSQL, one that every system has.
CANDIDATES = ("lineage", "postgres", "nobody")
# The server must not inherit the caller's environment: PGDATA, PGPORT, LD_LIBRARY_PATH, TZ ...
ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C"}


@dataclass(frozen=True)
class Account:
    """An account for server programs; ``switch`` is true if it is not that of the caller."""

    name: str
    uid: int
    gid: int
    switch: bool

    def run_program(
        self, arguments: Sequence[str | os.PathLike[str]], timeout: float = 120.0
    ) -> subprocess.CompletedProcess[str]:
        """Run a program as this account in a clean environment; return its result with its output.

        Raises ServerError if the program cannot be started or takes longer than ``timeout``
        seconds.
        """
        identity: dict[str, Any] = {}
        if self.switch:
            identity = {"user": self.uid, "group": self.gid, "extra_groups": []}
        try:
            return subprocess.run(
                arguments,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                check=False,
                timeout=timeout,
                cwd="/",
                env=ENVIRONMENT,
                **identity,
            )
        except OSError as error:
            raise ServerError(
                f"{arguments[0]} cannot be run as {self.name}: {error.strerror}."
            ) from error
        except subprocess.TimeoutExpired as error:
            raise ServerError(f"{arguments[0]} did not end within {timeout:.0f} s.") from error

    def give_path(self, path: Path) -> None:
        """Make this account the owner of ``path``."""
        if self.switch:
            os.chown(path, self.uid, self.gid)

    def require_access(self, directory: Path) -> None:
        """Check that this account can enter ``directory``.

        Raises ServerError, which names the first directory that it cannot enter.
        """
        if not self.switch:
            return
        for step in (*reversed(directory.parents), directory):
            if self.run_program(["test", "-x", step]).returncode:
                raise ServerError(
                    f"The server runs as {self.name}, who cannot enter {step}.",
                    "Set LINEAGE_HOME and LINEAGE_CACHE to directories that every user can enter.",
                )


def for_data(data: Path) -> Account:
    """Return the account that runs the server of the data directory ``data``.

    This is the account of the caller. For root it is the owner of the data, or else the first of
    the candidate accounts that exists. Raises ServerError if none of them exists.
    """
    if os.geteuid() != 0:
        return Account(_own_name(), os.geteuid(), os.getegid(), switch=False)
    entry = _owner_of(data) or next(filter(None, map(_account_named, CANDIDATES)), None)
    if entry is None:
        raise ServerError(
            "PostgreSQL does not run as root, and this system has no account to run it as.",
            "Add an account: useradd --system lineage",
        )
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid, switch=True)


def make_directory(path: Path) -> None:
    """Create ``path`` and its missing parents; for root, such that every account can enter.

    The umask is ignored, because the account that runs root's server needs access.
    """
    missing = [step for step in (path, *path.parents) if not step.exists()]
    path.mkdir(parents=True, exist_ok=True)
    if os.geteuid() == 0:
        for step in missing:
            step.chmod(0o755)


def _own_name() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        raise ServerError(
            f"PostgreSQL requires an account with a name, and user {os.geteuid()} has none.",
            "Run it as another user, or set LINEAGE_DSN to the database of another server.",
        ) from None


def _owner_of(data: Path) -> pwd.struct_passwd | None:
    try:
        entry = pwd.getpwuid(data.stat().st_uid)
    except (OSError, KeyError):
        return None
    return entry if entry.pw_uid else None


def _account_named(name: str) -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(name)
    except KeyError:
        return None
