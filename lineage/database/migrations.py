"""The schema of a database and its history.

Numbered files are applied once each and in order. The function files are applied again whenever one
of them, or the schema, has changed.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any

import psycopg

from lineage.database import functions, rights
from lineage.database.errors import translate_error, translate_errors
from lineage.database.session_lock import hold_lock
from lineage.database.statements import StatementFile
from lineage.database.writer_lock import lock_exclusively
from lineage.errors import AgeMissing, MigrationError, NotMigrated

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from importlib.abc import Traversable

NAME = re.compile(r"(\d{4})_[a-z0-9_]+\.sql")
EXTENSION = "age"
# Migrations up to this number need rights that the owner of a database does not have.
LAST_WITH_GRANTS = 1
# Name of the first migration of the development schema.
_DEVELOPMENT = "0001_graph"
# Commands that move the log of a database that cannot be migrated into a new one.
_EXPORT = (
    "lineage events --body --limit 0; then create a new database and write the file into it with:"
    " lineage ingest"
)
# Name reported for the function files.
_FUNCTIONS = "functions"
# Advisory lock key: only one session at a time applies migrations to a database.
LOCK = int.from_bytes(b"lineage", "big")


_SQL = StatementFile(__file__)
# Tables that record the migrations and functions of a database.
RECORD = (
    _SQL.statement("create_schema"),
    _SQL.statement("create_migration_table"),
    _SQL.statement("create_function_set_table"),
)


_STATE = """
SELECT (SELECT count(*) FROM lineage.migration), (SELECT max(sha256) FROM lineage.function_set)
"""


@dataclass(frozen=True)
class Migration:
    """A migration file. ``applied_at``: time of its application; None if pending."""

    number: int
    name: str
    text: str
    applied_at: datetime | None = None

    @property
    def checksum(self) -> str:
        """SHA-256 of the text, recorded to detect edited files."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def available_migrations(directory: Traversable | None = None) -> list[Migration]:
    """Return the migrations of this version, or those in ``directory``, in order.

    Raises:
        MigrationError: a file has an invalid name, or a number is missing or used twice.
    """
    directory = directory or resources.files("lineage.migrations")
    files = sorted(
        (file for file in directory.iterdir() if file.name.endswith(".sql")), key=lambda f: f.name
    )
    migrations = [_read_migration(file) for file in files]
    for expected, migration in enumerate(migrations, start=1):
        if migration.number != expected:
            raise MigrationError(
                f"Expected migration {expected:04}, but found {migration.name}:"
                " a number is missing or used twice.",
                "Install the package again, from its wheel or repository.",
            )
    return migrations


def _read_migration(file: Traversable) -> Migration:
    match = NAME.fullmatch(file.name)
    if not match:
        raise MigrationError(
            f"{file.name} is not a valid name of a migration file.",
            "Rename the file: four digits and a description, such as 0001_schema.sql.",
        )
    return Migration(int(match[1]), file.name.removesuffix(".sql"), file.read_text("utf-8"))


def migration_history(
    conn: psycopg.Connection[Any], directory: Traversable | None = None
) -> list[Migration]:
    """Return all migrations of this version with the time of their application to the database.

    Raises:
        MigrationError: the database has a migration that this version lacks or that differs.
    """
    known = available_migrations(directory)
    applied = _read_applied(conn)
    if applied and applied[1][0] == _DEVELOPMENT:
        raise MigrationError(
            "This database has a development schema, which cannot be upgraded.",
            f"Export its log with: {_EXPORT}",
        )
    if len(applied) > len(known):
        newest = applied[max(applied)][0]
        raise MigrationError(
            f"The database is newer than this version of lineage: it has migration {newest}.",
            "Install the version of lineage that migrated it, or a newer one.",
        )
    return [_with_record(migration, applied.get(migration.number)) for migration in known]


def _read_applied(conn: psycopg.Connection[Any]) -> dict[int, tuple[str, str, datetime]]:
    with translate_errors():
        if conn.execute("SELECT to_regclass('lineage.migration')").fetchall() == [(None,)]:
            return {}
        rows = conn.execute("SELECT number, name, sha256, applied_at FROM lineage.migration")
        return {number: (name, sha256, at) for number, name, sha256, at in rows}


def _with_record(migration: Migration, record: tuple[str, str, datetime] | None) -> Migration:
    if record is None:
        return migration
    name, sha256, applied_at = record
    if name != migration.name:
        raise _changed_migration(f"{migration.name} was applied under the name {name}.")
    if sha256 != migration.checksum:
        raise _changed_migration(f"{migration.name} was edited after it was applied.")
    return Migration(migration.number, migration.name, migration.text, applied_at)


def _changed_migration(what: str) -> MigrationError:
    return MigrationError(
        f"Migration {what}",
        "If you edited the file, restore it, and make the change in a new migration. Otherwise,"
        f" export the log with the version of lineage that migrated the database: {_EXPORT}",
    )


def pending_migrations(
    conn: psycopg.Connection[Any], directory: Traversable | None = None
) -> list[Migration]:
    """Return the migrations that are pending in the database, in order."""
    return [each for each in migration_history(conn, directory) if each.applied_at is None]


def check_schema(
    conn: psycopg.Connection[Any],
    directory: Traversable | None = None,
    command: str = functions.MIGRATE,
) -> None:
    """Check by one query that the database has the schema and the functions of this version.

    ``command`` migrates the database of the connection.

    Raises:
        NotMigrated: some are missing.
        MigrationError: the database is newer than this version, or its encoding is not UTF-8.
    """
    rights.require_utf8(conn)
    number = len(available_migrations(directory))
    applied: int | None = None
    files = functions.read_function_files(directory)
    replaced = bool(files)
    with translate_errors(), contextlib.suppress(psycopg.errors.UndefinedTable):
        applied, sha256 = conn.execute(_STATE).fetchall()[0]
        replaced = sha256 != functions.function_set_checksum(files)
    if applied is None:
        raise NotMigrated(
            f'Database "{conn.info.dbname}" has no schema lineage.',
            f"Check the DSN. If it is the right database: {command}",
        )
    if applied > number:
        migration_history(conn, directory)  # raises the error of a newer database
    if applied < number:
        raise NotMigrated(
            f'Database "{conn.info.dbname}" lacks {number - applied} of the migrations of this'
            " version.",
            f"Apply them: {command}",
        )
    if replaced:
        raise functions.other_version(conn.info.dbname, command)


def apply_pending(
    conn: psycopg.Connection[Any],
    directory: Traversable | None = None,
    say: Callable[[str], None] = lambda _: None,
    advise: Callable[[str], None] = lambda _: None,
) -> list[str]:
    """Apply pending migrations and functions in one transaction; return the names of the files.

    ``conn`` has to be in autocommit mode. Concurrent calls are safe: the second waits for the
    first and then finds no pending files. ``say`` is called with the name of each file before it
    is applied, and ``advise`` with each optional statement that requires a superuser.

    Raises:
        AgeMissing: the server has no Apache AGE.
        MigrationError: a file fails, the role lacks rights, or this version does not support the
            server or the database. Nothing has been changed.
    """
    if not conn.autocommit:
        raise ValueError("Migrations require a connection in autocommit mode.")
    rights.require_utf8(conn)
    with hold_lock(conn, LOCK):
        pending = pending_migrations(conn, directory)
        if not pending and not needs_functions(conn, directory):
            return []
        files = functions.read_function_files(directory)
        rights.require_version(conn.info.server_version)
        _require_age(conn)
        is_first = bool(pending) and pending[0].number <= LAST_WITH_GRANTS
        if is_first:
            for statement in rights.prepare_rights(conn):
                advise(f"Optional statement for a superuser: {statement};")
        with conn.transaction():
            with translate_errors():
                lock_exclusively(conn)  # no batch is written with functions of two versions
            if not is_first:
                rights.act_as_owner(conn)
            _record_table(conn)
            for migration in pending:
                say(migration.name)
                _apply_one(conn, migration)
            applied = [migration.name for migration in pending]
            if files:
                say(_FUNCTIONS)
                applied.append(_FUNCTIONS)
            _replace_functions(conn, files)
    return applied


def _require_age(conn: psycopg.Connection[Any]) -> None:
    with translate_errors():
        available = conn.execute(
            "SELECT FROM pg_available_extensions WHERE name = %s", [EXTENSION]
        ).fetchall()
    if not available:
        raise AgeMissing(
            f"The PostgreSQL server at {conn.info.host} port {conn.info.port} has no Apache AGE.",
            "Install AGE there, or start a private server that has it: lineage up",
        )


def _record_table(conn: psycopg.Connection[Any]) -> None:
    try:
        for statement in RECORD:
            statement.execute(conn)
    except psycopg.Error as error:
        raise _migration_failure("The tables for migrations cannot be created", error) from error


def _apply_one(conn: psycopg.Connection[Any], migration: Migration) -> None:
    _run_text(conn, migration.name, migration.text)
    conn.execute(
        "INSERT INTO lineage.migration (number, name, sha256) VALUES (%s, %s, %s)",
        [migration.number, migration.name, migration.checksum],
    )


def _run_text(conn: psycopg.Connection[Any], name: str, text: str) -> None:
    try:
        # As bytes: in the type annotations of psycopg, a query of type str must be a literal.
        conn.execute(text.encode())
        # The file may have set the search path of the transaction.
        conn.execute("SET LOCAL search_path TO DEFAULT")
    except psycopg.Error as error:
        line = _line_of(text, error.diag.statement_position)
        raise _migration_failure(f"Migration {name} fails{line}", error) from error


def _function_set(conn: psycopg.Connection[Any]) -> str | None:
    with translate_errors(), contextlib.suppress(psycopg.errors.UndefinedTable):
        sha256: str | None = conn.execute(
            "SELECT max(sha256) FROM lineage.function_set"
        ).fetchall()[0][0]
        return sha256
    return None


def needs_functions(conn: psycopg.Connection[Any], directory: Traversable | None = None) -> bool:
    """Return whether the functions of the database are not those of this version."""
    files = functions.read_function_files(directory)
    return _function_set(conn) != functions.function_set_checksum(files)


def _replace_functions(conn: psycopg.Connection[Any], files: list[functions.FunctionFile]) -> None:
    # A function may call a function of a later file.
    conn.execute("SET LOCAL check_function_bodies = off")
    for file in files:
        _run_text(conn, file.name, file.text)
    conn.execute("DELETE FROM lineage.function_set")
    conn.execute(
        "INSERT INTO lineage.function_set (sha256) VALUES (%s)",
        [functions.function_set_checksum(files)],
    )


def _line_of(text: str, position: str | None) -> str:
    return f" in line {text[: int(position) - 1].count(chr(10)) + 1}" if position else ""


def _migration_failure(what: str, error: psycopg.Error) -> MigrationError:
    translated = translate_error(error)
    if error.diag.message_hint:
        hint = error.diag.message_hint
    elif isinstance(error, psycopg.errors.InsufficientPrivilege):
        hint = "Migrate as a superuser of the server or the owner of the database: --dsn"
    else:
        hint = "Nothing was changed."
    return MigrationError(f"{what}. {translated.message}", hint)
