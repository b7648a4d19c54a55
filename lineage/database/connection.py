"""Resolve the configured database and connect to it."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lineage import settings
from lineage.errors import DatabaseUnavailable, UsageError
from lineage.postgres import running_dsn

if TYPE_CHECKING:
    import psycopg

CONNECT_SECONDS = 10

# Parameters that a DSN may override. Without those of TCP, a connection to a host that disappeared
# would wait for many minutes.
_DEFAULTS = {
    "connect_timeout": CONNECT_SECONDS,
    "application_name": "lineage",
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,  # milliseconds
}

_STARTING = "Wait until the server has started, and try again."
# Remedies by a part of the message of libpq, which has no SQLSTATE for a failed connection.
_REMEDIES = {
    "starting up": _STARTING,
    "not yet accepting connections": _STARTING,
    "password authentication failed": "Check user and password of the DSN.",
    "no password supplied": "Add the password to the DSN, to PGPASSWORD or to ~/.pgpass.",
    "does not exist": "Check user and database of the DSN.",
    "resolve host": "Check the host of the DSN.",
}


@dataclass(frozen=True)
class Target:
    """A DSN and its origin, as named in messages."""

    dsn: str
    origin: str


def resolve_target(dsn: str | None = None) -> Target:
    """Return the database to use: the option, else ``LINEAGE_DSN``, else the private server.

    Raises:
        DatabaseUnavailable: none of them is set; the message lists them.
        UsageError: ``dsn`` is empty, as an unset variable of a script is.
    """
    if dsn == "":
        raise UsageError(
            "The DSN of --dsn is empty.",
            "Give a DSN, or omit --dsn to use LINEAGE_DSN or the private server.",
        )
    configured = os.environ.get("LINEAGE_DSN")
    if dsn and dsn != configured:  # a program may pass on a value of the environment
        return Target(dsn, "--dsn")
    if configured:
        return Target(configured, "LINEAGE_DSN")
    if dsn := running_dsn():
        return Target(dsn, "the private server")
    raise DatabaseUnavailable(
        "No database configured: --dsn and LINEAGE_DSN are not set, and no private server is"
        f" running in {settings.home_directory()}.",
        "Start a private server: lineage up",
    )


def connect(dsn: str | None = None, **options: Any) -> psycopg.Connection[Any]:
    """Connect to ``resolve_target(dsn)``; ``options`` are those of ``psycopg.connect``.

    No statement is sent: search path and libraries are settings of the database. Client encoding
    and isolation level do not depend on such settings.

    Raises:
        UsageError: the DSN is not valid.
        DatabaseUnavailable: the server does not respond or rejects the connection.
    """
    # Imported here, because commands without a database need not load libpq.
    import psycopg

    chosen = resolve_target(dsn)
    parameters = _parse_parameters(chosen)
    try:
        conn = psycopg.connect(**{**parameters, **options})
    except psycopg.OperationalError as error:
        raise _cannot_connect(chosen, parameters, str(error)) from error
    # Part of BEGIN. The projection would be wrong under another default of the server.
    conn.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
    return conn


def connect_migrated(dsn: str | None = None) -> psycopg.Connection[Any]:
    """Connect in autocommit mode to a database with the schema and functions of this version.

    Functions of another version may give another graph, or other answers.

    Raises:
        NotMigrated: the database lacks migrations, or has other functions.
        MigrationError: the database is newer than this version, or its encoding is not UTF-8.
        UsageError, DatabaseUnavailable: as ``connect``.
    """
    from lineage.database import migrations

    conn = connect(dsn, autocommit=True)
    try:
        migrations.check_schema(conn, command=migrate_command(dsn))
    except BaseException:
        conn.close()
        raise
    return conn


def migrate_command(dsn: str | None = None) -> str:
    """Return the command that migrates ``resolve_target(dsn)``, without a password."""
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    from lineage.database.functions import MIGRATE

    chosen = resolve_target(dsn)
    if chosen.origin != "--dsn":
        return MIGRATE
    parameters: dict[str, Any] = conninfo_to_dict(chosen.dsn)
    public = {key: value for key, value in parameters.items() if "password" not in key}
    return f"{MIGRATE} --dsn {shlex.quote(make_conninfo(**public))}"


def _parse_parameters(chosen: Target) -> dict[str, Any]:
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    try:
        parameters = conninfo_to_dict(chosen.dsn)
    except ProgrammingError:
        # The message of libpq quotes the DSN, which may contain the password.
        raise _invalid_dsn(chosen) from None
    ports = str(parameters.get("port") or "").split(",")
    hosts = str(parameters.get("host") or "")
    if any(port and not port.isdigit() for port in ports) or "@" in hosts.lstrip("@"):
        raise _invalid_dsn(chosen)
    # Arrays are sent as UTF-8. In the request to connect, this takes precedence over settings of
    # the role, of the database and of the environment.
    return {**_DEFAULTS, **parameters, "client_encoding": "UTF8"}


def _invalid_dsn(chosen: Target) -> UsageError:
    return UsageError(
        f"The DSN of {chosen.origin} is not valid.",
        "Use the form postgresql://user:password@host:5432/database, and percent-encode special"
        " characters of the password (@ is %40, / is %2F).",
    )


def _find_variable(reason: str) -> str | None:
    """Return the variable of libpq, meant for another server as a rule, that causes a failure."""
    if "SSL" not in reason and "service" not in reason:
        return None
    return next((name for name in ("PGSSLMODE", "PGSERVICE") if name in os.environ), None)


def _cannot_connect(
    chosen: Target, parameters: dict[str, Any], message: str
) -> DatabaseUnavailable:
    reason = message.splitlines()[0].removeprefix("connection failed: ").rstrip(".")
    if password := parameters.get("password"):
        reason = reason.replace(str(password), "***")
    remedy = next((remedy for part, remedy in _REMEDIES.items() if part in reason), None)
    if "password" in reason and "PGPASSWORD" in os.environ and "password" not in parameters:
        hint = "PGPASSWORD takes precedence over password files. Unset it, or correct it."
    elif variable := _find_variable(reason):
        hint = f"{variable} applies to this connection, too. Unset it."
    elif chosen.origin == "the private server" and remedy != _STARTING:
        hint = "Restart it: lineage down && lineage up"
    else:
        hint = remedy or "Check host and port of the DSN, and that the server is running."
    return DatabaseUnavailable(
        f"Cannot connect to the database of {chosen.origin}: {reason}.", hint
    )
