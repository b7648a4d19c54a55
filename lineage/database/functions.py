"""The SQL function files; all of them are applied again when one of them changes."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING

from lineage.errors import NotMigrated

MIGRATE = "lineage migrate"

if TYPE_CHECKING:
    from importlib.abc import Traversable

_PLACE = "functions"


@dataclass(frozen=True)
class FunctionFile:
    """One file of ``CREATE OR REPLACE FUNCTION`` statements."""

    name: str
    text: str


def read_function_files(migrations: Traversable | None = None) -> list[FunctionFile]:
    """Return the function files of ``migrations``, or of this version, in the order of their names.

    Returns an empty list if the directory has no ``functions``.
    """
    if migrations is None:
        return list(_of_this_version())
    place = migrations / _PLACE
    if not place.is_dir():
        return []
    files = sorted((file for file in place.iterdir() if file.name.endswith(".sql")), key=_file_name)
    return [FunctionFile(_file_name(file), file.read_text("utf-8")) for file in files]


@functools.cache
def _of_this_version() -> tuple[FunctionFile, ...]:
    return tuple(read_function_files(resources.files("lineage.migrations")))


@functools.cache
def checksum_of_this_version() -> str:
    """Return the checksum of the function files of this version."""
    return function_set_checksum(read_function_files())


def other_version(database: str, command: str = MIGRATE) -> NotMigrated:
    """Return the error for a database whose functions are not those of this version."""
    return NotMigrated(
        f'Database "{database}" has the SQL functions of another version.',
        f"Replace them: {command}",
    )


def _file_name(file: Traversable) -> str:
    return f"{_PLACE}/{file.name.removesuffix('.sql')}"


def function_set_checksum(files: list[FunctionFile]) -> str:
    """Compute the SHA-256 of all files, as recorded in ``lineage.function_set``."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.name}\n{len(file.text)}\n{file.text}".encode())
    return digest.hexdigest()
