"""The data directory of the private server: how it is made, and who may enter."""

from __future__ import annotations

import contextlib
import secrets
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lineage.errors import ServerError
from lineage.postgres import configuration
from lineage.postgres.state_file import USER

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from lineage.postgres.account import Account
    from lineage.postgres.binaries import Programs

LOG_BYTES = 10 * 1024 * 1024


@dataclass(frozen=True)
class Cluster:
    """The files under ``home``, the programs that work on them and the account they run as."""

    home: Path
    programs: Programs
    account: Account

    @property
    def data(self) -> Path:
        """PostgreSQL's data directory."""
        return self.home / "data"

    @property
    def sockets(self) -> Path:
        """The directory of the server's Unix socket, and of nothing else."""
        return self.home / "run"

    @property
    def log(self) -> Path:
        """What the server has to say."""
        return self.home / "server.log"

    @property
    def passfile(self) -> Path:
        """The password of the server's user, in libpq's form, for the caller's eyes only."""
        return self.home / "passfile"

    def create(self) -> None:
        """Make the data directory, in one step as others see it."""
        for left in self.home.glob("data.new-*"):
            shutil.rmtree(left)
        new = self.home / f"data.new-{secrets.token_hex(4)}"
        new.mkdir(mode=0o700)
        self.account.give(new)
        with self._new_password() as password_file:
            said = self.account.run(
                [
                    *(self.programs["initdb"], "-D", new, "--username", USER),
                    *("--pwfile", password_file, "--auth=scram-sha-256", "--encoding=UTF8"),
                    *_locale(self.programs.major),
                ]
            )
        if said.returncode:
            shutil.rmtree(new, ignore_errors=True)
            raise self._failed("PostgreSQL cannot create its data directory", said.stdout)
        new.rename(self.data)

    def check_version(self) -> None:
        """Check that the programs can read the data.

        Raises:
            ServerError: the data are of another major version.
        """
        version = (self.data / "PG_VERSION").read_text().strip()
        if version != str(self.programs.major):
            raise ServerError(
                f"The data in {self.data} are of PostgreSQL {version}, but the programs in"
                f" {self.programs.directory} are of {self.programs.major}.",
                f"Set LINEAGE_POSTGRES to programs of PostgreSQL {version}, or move the data away.",
            )

    def reset_password(self) -> None:
        """Give the server's user a new password, without the old one; the server must be down."""
        with self._new_password() as password_file:
            statement = f"ALTER ROLE {USER} PASSWORD '{password_file.read_text().strip()}'"
            password_file.write_text(statement + "\n")
            script = '"$1" --single -D "$2" postgres < "$3"'
            said = self.account.run(
                ["/bin/sh", "-c", script, "sh", self.programs["postgres"], self.data, password_file]
            )
        if said.returncode:
            self.passfile.unlink()
            raise self._failed("PostgreSQL cannot set a password", said.stdout)

    def configure(self, port: int, own: Mapping[str, str]) -> None:
        """Write the settings of the server; ``own`` win over ours."""
        self.sockets.mkdir(mode=0o700, exist_ok=True)
        self.account.give(self.sockets)
        # AGE loaded once for all connections; before 1.8 that broke databases without AGE
        preload = {"shared_preload_libraries": "age"} if self.programs.age >= (1, 8) else {}
        # pages that are written whole after a checkpoint: a quarter less, for hardly any time
        compression = {"wal_compression": "lz4"} if self._takes("wal_compression=lz4") else {}
        ours = {**preload, **compression}
        text = configuration.postgresql_conf(port, self.sockets, {**ours, **own})
        for name, content in (("postgresql.conf", text), ("pg_hba.conf", configuration.HBA)):
            (self.data / name).write_text(content)
            self.account.give(self.data / name)

    def start(self, seconds: int) -> str | None:
        """Start the server and wait until it answers; returns why it does not, None if it does."""
        if self.log.exists() and self.log.stat().st_size > LOG_BYTES:
            self.log.replace(self.log.with_name("server.log.1"))
        self.log.touch(mode=0o600)
        self.account.give(self.log)
        before = self.log.stat().st_size
        said = self.account.run(
            [
                *(self.programs["pg_ctl"], "start", "-w", "-t", str(seconds)),
                *("-D", self.data, "-l", self.log),
            ],
            timeout=seconds + 30,
        )
        return self._fatal(before) or said.stdout.strip() if said.returncode else None

    def _takes(self, setting: str) -> bool:
        """Were the programs built with what a setting needs?"""
        name = setting.partition("=")[0]
        postgres = self.programs["postgres"]
        said = self.account.run([postgres, "-C", name, "-c", setting, "-D", self.data])
        return said.returncode == 0

    def _fatal(self, offset: int) -> str:
        """The last fatal error in the log after ``offset``, without time and process."""
        with self.log.open("rb") as log:
            log.seek(offset)
            lines = log.read().decode(errors="replace").splitlines()
        fatal = [line.partition("FATAL:")[2].strip() for line in lines if "FATAL:" in line]
        return fatal[-1] if fatal else ""

    @contextlib.contextmanager
    def _new_password(self) -> Iterator[Path]:
        """A new password: in the password file, and meanwhile in one the server's account reads."""
        password = secrets.token_hex(24)
        _write_secret(self.passfile, f"*:*:*:{USER}:{password}\n")
        shared = self.home / "password.new"
        _write_secret(shared, password + "\n")
        try:
            self.account.give(shared)
            yield shared
        finally:
            shared.unlink()

    def _failed(self, what: str, said: str) -> ServerError:
        lines = [line.strip() for line in said.splitlines() if line.strip()]
        return ServerError(f"{what}: {' '.join(lines[-3:])}")


def _write_secret(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    path.touch(mode=0o600)
    path.write_text(text)


def _locale(major: int) -> list[str]:
    """Sort by code point everywhere, so that an index means the same on every machine."""
    builtin = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    return ["--locale=C", *(builtin if major >= 17 else [])]
