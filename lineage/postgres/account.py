"""Which account the server runs as: PostgreSQL refuses to run as root."""

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

# An account made for us, one made for PostgreSQL, the one every system has.
CANDIDATES = ("lineage", "postgres", "nobody")
# Nothing of the caller's environment may reach the server: PGDATA, PGPORT, LD_LIBRARY_PATH, TZ ...
ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C"}


@dataclass(frozen=True)
class Account:
    """An account that server programs run as; ``switch`` where it is not the caller's own."""

    name: str
    uid: int
    gid: int
    switch: bool

    def run_program(
        self, arguments: Sequence[str | os.PathLike[str]], timeout: float = 120.0
    ) -> subprocess.CompletedProcess[str]:
        """Run a program as this account with a clean environment; its output is in the result.

        Raises:
            ServerError: the program cannot be started or takes longer than ``timeout`` seconds.
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

        Raises:
            ServerError: it cannot; names the first directory that is closed to it.
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
    """The account that runs the server of the data directory ``data``.

    The caller's own, but for root: then the owner of the data, or of the accounts that may own it
    the first there is.

    Raises:
        ServerError: none of those accounts exists.
    """
    if os.geteuid() != 0:
        return Account(_own_name(), os.geteuid(), os.getegid(), switch=False)
    entry = _owner_of(data) or next(filter(None, map(_account_named, CANDIDATES)), None)
    if entry is None:
        raise ServerError(
            "PostgreSQL does not run as root, and no account is there to run it instead.",
            "Add one: useradd --system lineage",
        )
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid, switch=True)


def make_directory(path: Path) -> None:
    """Make ``path`` and what is missing above it; as root so that every account can enter.

    Whatever the umask is: the account that runs root's server has to get in.
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
            f"PostgreSQL needs an account with a name, and user {os.geteuid()} has none.",
            "Run it as another user, or set LINEAGE_DSN to the database of a server elsewhere.",
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
