"""Create the data directory of the private server, and control access to it."""

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
    """The files under ``home``, the server's programs, and the account that runs them."""

    home: Path
    programs: Programs
    account: Account

    @property
    def data_directory(self) -> Path:
        """PostgreSQL's data directory."""
        return self.home / "data"

    @property
    def socket_directory(self) -> Path:
        """The directory that contains only the server's Unix socket."""
        return self.home / "run"

    @property
    def log_file(self) -> Path:
        """The server's log."""
        return self.home / "server.log"

    @property
    def password_file(self) -> Path:
        """The password of the server's user, in libpq's format, readable by the caller only."""
        return self.home / "passfile"

    def create_directory(self) -> None:
        """Create the data directory; it appears complete to other processes."""
        for left in self.home.glob("data.new-*"):
            shutil.rmtree(left)
        new = self.home / f"data.new-{secrets.token_hex(4)}"
        new.mkdir(mode=0o700)
        self.account.give_path(new)
        with self._new_password() as password_file:
            result = self.account.run_program(
                [
                    *(self.programs["initdb"], "-D", new, "--username", USER),
                    *("--pwfile", password_file, "--auth=scram-sha-256", "--encoding=UTF8"),
                    *_locale_options(self.programs.major),
                ]
            )
        if result.returncode:
            shutil.rmtree(new, ignore_errors=True)
            raise self._failure_of("PostgreSQL cannot create its data directory", result.stdout)
        new.rename(self.data_directory)

    def check_version(self) -> None:
        """Check that the programs can read the data.

        Raises ServerError if the data are of another major version.
        """
        version = (self.data_directory / "PG_VERSION").read_text().strip()
        if version != str(self.programs.major):
            raise ServerError(
                f"The data in {self.data_directory} are of PostgreSQL {version}, but the programs"
                f" in {self.programs.directory} are of {self.programs.major}.",
                f"Set LINEAGE_POSTGRES to programs of PostgreSQL {version}, or move the data away.",
            )

    def reset_password(self) -> None:
        """Set a new password without the old one; the server must be stopped."""
        with self._new_password() as password_file:
            statement = f"ALTER ROLE {USER} PASSWORD '{password_file.read_text().strip()}'"
            password_file.write_text(statement + "\n")
            script = '"$1" --single -D "$2" postgres < "$3"'
            result = self.account.run_program(
                [
                    "/bin/sh",
                    "-c",
                    script,
                    "sh",
                    self.programs["postgres"],
                    self.data_directory,
                    password_file,
                ]
            )
        if result.returncode:
            self.password_file.unlink()
            raise self._failure_of("PostgreSQL cannot set a password", result.stdout)

    def write_settings(self, port: int, own: Mapping[str, str]) -> None:
        """Write the settings of the server; ``own`` take precedence over ours."""
        self.socket_directory.mkdir(mode=0o700, exist_ok=True)
        self.account.give_path(self.socket_directory)
        # Before version 1.8, AGE in shared_preload_libraries breaks databases without AGE.
        preload = {"shared_preload_libraries": "age"} if self.programs.age >= (1, 8) else {}
        # After a checkpoint, PostgreSQL logs whole pages; lz4 makes them smaller at little cost.
        compression = (
            {"wal_compression": "lz4"} if self._supports_setting("wal_compression=lz4") else {}
        )
        ours = {**preload, **compression}
        text = configuration.postgresql_conf(port, self.socket_directory, {**ours, **own})
        for name, content in (("postgresql.conf", text), ("pg_hba.conf", configuration.HBA)):
            (self.data_directory / name).write_text(content)
            self.account.give_path(self.data_directory / name)

    def start_server(self, seconds: int) -> str | None:
        """Start the server and wait until it answers; return None, or the reason of a failure."""
        if self.log_file.exists() and self.log_file.stat().st_size > LOG_BYTES:
            self.log_file.replace(self.log_file.with_name("server.log.1"))
        self.log_file.touch(mode=0o600)
        self.account.give_path(self.log_file)
        before = self.log_file.stat().st_size
        result = self.account.run_program(
            [
                *(self.programs["pg_ctl"], "start", "-w", "-t", str(seconds)),
                *("-D", self.data_directory, "-l", self.log_file),
            ],
            timeout=seconds + 30,
        )
        return (
            self._last_fatal_error(before) or result.stdout.strip() if result.returncode else None
        )

    def _supports_setting(self, setting: str) -> bool:
        """Return whether the programs were built with the support that a setting needs."""
        name = setting.partition("=")[0]
        postgres = self.programs["postgres"]
        result = self.account.run_program(
            [postgres, "-C", name, "-c", setting, "-D", self.data_directory]
        )
        return result.returncode == 0

    def _last_fatal_error(self, offset: int) -> str:
        """Return the last fatal error in the log after ``offset``, without time and process."""
        with self.log_file.open("rb") as log:
            log.seek(offset)
            lines = log.read().decode(errors="replace").splitlines()
        fatal = [line.partition("FATAL:")[2].strip() for line in lines if "FATAL:" in line]
        return fatal[-1] if fatal else ""

    @contextlib.contextmanager
    def _new_password(self) -> Iterator[Path]:
        """Write a new password into the password file, and temporarily into one for the server."""
        password = secrets.token_hex(24)
        _write_secret(self.password_file, f"*:*:*:{USER}:{password}\n")
        shared = self.home / "password.new"
        _write_secret(shared, password + "\n")
        try:
            self.account.give_path(shared)
            yield shared
        finally:
            shared.unlink()

    def _failure_of(self, what: str, output: str) -> ServerError:
        lines = [line.strip() for line in output.splitlines() if line.strip()]
        return ServerError(f"{what}: {' '.join(lines[-3:])}")


def _write_secret(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    path.touch(mode=0o600)
    path.write_text(text)


def _locale_options(major: int) -> list[str]:
    """Sort by code point, so that an index has the same order on every machine."""
    builtin = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    return ["--locale=C", *(builtin if major >= 17 else [])]
