"""Numbered SQL, applied once each and in order: the schema of the database and its history."""

from __future__ import annotations

import contextlib
import hashlib
import re
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any

import psycopg

from lineage.database import rights
from lineage.database.errors import errors, translate
from lineage.errors import AgeMissing, MigrationError, NotMigrated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from importlib.abc import Traversable

NAME = re.compile(r"(\d{4})_[a-z0-9_]+\.sql")
EXTENSION = "age"
# Up to this one, migrations grant and create what takes more than the owner of a database.
LAST_WITH_GRANTS = 23
# Any number that no other program of the same database uses: the bytes of "lineage".
LOCK = int.from_bytes(b"lineage", "big")

RECORD = """\
CREATE SCHEMA IF NOT EXISTS lineage;
CREATE TABLE IF NOT EXISTS lineage.migration (
    number int PRIMARY KEY,
    name text NOT NULL,
    sha256 text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
);
"""


@dataclass(frozen=True)
class Migration:
    """One file of SQL; ``applied_at`` once the database has it."""

    number: int
    name: str
    text: str
    applied_at: datetime | None = None

    @property
    def sha256(self) -> str:
        """What the record keeps of the text, to tell an edited file."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def available(directory: Traversable | None = None) -> list[Migration]:
    """The migrations of this version, or those in ``directory``, in order.

    Raises:
        MigrationError: a file has no proper name, or a number is missing or there twice.
    """
    directory = directory or resources.files("lineage.migrations")
    files = sorted(
        (file for file in directory.iterdir() if file.name.endswith(".sql")), key=lambda f: f.name
    )
    found = [_read(file) for file in files]
    for expected, migration in enumerate(found, start=1):
        if migration.number != expected:
            raise MigrationError(
                f"Migration {expected:04} is missing or there twice: {migration.name} comes next.",
                "Install the package again, from its wheel or repository.",
            )
    return found


def _read(file: Traversable) -> Migration:
    match = NAME.fullmatch(file.name)
    if not match:
        raise MigrationError(
            f"{file.name} is no name of a migration.", "Call it like 0001_what_it_does.sql."
        )
    return Migration(int(match[1]), file.name.removesuffix(".sql"), file.read_text("utf-8"))


def history(conn: psycopg.Connection[Any], directory: Traversable | None = None) -> list[Migration]:
    """All migrations of this version, each with when ``conn``'s database got it.

    Raises:
        MigrationError: the database has a migration that this version has not, or has otherwise.
    """
    known = available(directory)
    applied = _applied(conn)
    if len(applied) > len(known):
        newest = applied[max(applied)][0]
        raise MigrationError(
            f"The database is newer than this version of lineage: it has migration {newest}.",
            "Install the version of lineage that migrated it, or a newer one.",
        )
    return [_with_record(migration, applied.get(migration.number)) for migration in known]


def _applied(conn: psycopg.Connection[Any]) -> dict[int, tuple[str, str, datetime]]:
    with errors():
        if conn.execute("SELECT to_regclass('lineage.migration')").fetchall() == [(None,)]:
            return {}
        rows = conn.execute("SELECT number, name, sha256, applied_at FROM lineage.migration")
        return {number: (name, sha256, at) for number, name, sha256, at in rows}


def _with_record(migration: Migration, record: tuple[str, str, datetime] | None) -> Migration:
    if record is None:
        return migration
    name, sha256, applied_at = record
    if name != migration.name:
        raise _changed(f"{migration.name} was applied under the name {name}.")
    if sha256 != migration.sha256:
        raise _changed(f"{migration.name} was edited after it was applied.")
    return Migration(migration.number, migration.name, migration.text, applied_at)


def _changed(what: str) -> MigrationError:
    return MigrationError(
        f"Migration {what}",
        "Put the file back as it was, and make the change in a new migration.",
    )


def pending(conn: psycopg.Connection[Any], directory: Traversable | None = None) -> list[Migration]:
    """The migrations that ``conn``'s database has not got yet, in order."""
    return [each for each in history(conn, directory) if each.applied_at is None]


def check(conn: psycopg.Connection[Any], directory: Traversable | None = None) -> None:
    """Check that the database has as many migrations as this version; one cheap query.

    Raises:
        NotMigrated: some are missing.
    """
    missing = len(available(directory))
    with errors(), contextlib.suppress(psycopg.errors.UndefinedTable):
        missing -= conn.execute("SELECT count(*) FROM lineage.migration").fetchall()[0][0]
    if missing > 0:
        raise NotMigrated(
            f'Database "{conn.info.dbname}" lacks {missing} of the migrations of this version.',
            "Apply them: lineage migrate",
        )


def apply(
    conn: psycopg.Connection[Any],
    directory: Traversable | None = None,
    say: Callable[[Migration], None] = lambda _: None,
    advise: Callable[[str], None] = lambda _: None,
) -> list[Migration]:
    """Apply what is pending, each migration in a transaction of its own; returns what was.

    ``conn`` has to be in autocommit mode. Two processes at once are safe: one waits for the other
    and finds nothing to do. ``say`` hears of each migration before it runs, and ``advise`` what a
    superuser might do besides.

    Raises:
        AgeMissing: the server has no Apache AGE.
        MigrationError: a migration fails, the role lacks rights, or the server or the database does
            not fit this version.
    """
    if not conn.autocommit:
        raise ValueError("migrations need a connection in autocommit mode")
    with _alone(conn):
        waiting = pending(conn, directory)
        if waiting:
            rights.require_version(conn.info.server_version)
            _require_age(conn)
            if waiting[0].number <= LAST_WITH_GRANTS:
                for statement in rights.prepare(conn):
                    advise(f"For a superuser to run, if possible: {statement};")
            _record_table(conn)
        for migration in waiting:
            say(migration)
            _apply_one(conn, migration)
    return waiting


@contextlib.contextmanager
def _alone(conn: psycopg.Connection[Any]) -> Iterator[None]:
    with errors():
        conn.execute("SELECT pg_advisory_lock(%s)", [LOCK])
    try:
        yield
    finally:
        # a lost connection has lost its locks, and one that failed must not hide why
        with contextlib.suppress(psycopg.Error):
            conn.execute("SELECT pg_advisory_unlock(%s)", [LOCK])


def _require_age(conn: psycopg.Connection[Any]) -> None:
    with errors():
        found = conn.execute(
            "SELECT FROM pg_available_extensions WHERE name = %s", [EXTENSION]
        ).fetchall()
    if not found:
        raise AgeMissing(
            f"The PostgreSQL server at {conn.info.host} port {conn.info.port} has no Apache AGE.",
            "Install AGE there, or start a private server that has it: lineage up",
        )


def _record_table(conn: psycopg.Connection[Any]) -> None:
    try:
        conn.execute(RECORD)
    except psycopg.Error as error:
        raise _failure("The table of migrations cannot be made", error) from error


def _apply_one(conn: psycopg.Connection[Any], migration: Migration) -> None:
    try:
        with conn.transaction():
            # bytes: the text is a file of this package, not made of parts
            conn.execute(migration.text.encode())
            conn.execute(
                "INSERT INTO lineage.migration (number, name, sha256) VALUES (%s, %s, %s)",
                [migration.number, migration.name, migration.sha256],
            )
    except psycopg.Error as error:
        line = _line(migration.text, error.diag.statement_position)
        raise _failure(f"Migration {migration.name} fails{line}", error) from error


def _line(text: str, position: str | None) -> str:
    return f" in line {text[: int(position) - 1].count(chr(10)) + 1}" if position else ""


def _failure(what: str, error: psycopg.Error) -> MigrationError:
    said = translate(error)
    if error.diag.message_hint:
        hint = error.diag.message_hint
    elif isinstance(error, psycopg.errors.InsufficientPrivilege):
        hint = "Migrate as a superuser of the server or the owner of the database: --dsn"
    else:
        hint = "Nothing of it was kept."
    return MigrationError(f"{what}. {said.message}", hint)
