"""Rights needed by migrations and by commands of the owner, checked before any change.

An owner of a database who is not a superuser can migrate it after a superuser has run a few
statements. Each is tried first, because the role may have that right: by CREATEROLE, or by the
rules of a managed server.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, NamedTuple

from psycopg import errors as states
from psycopg import sql

from lineage.database.errors import translate_errors
from lineage.database.statements import StatementFile
from lineage.errors import MigrationError, QueryError

if TYPE_CHECKING:
    import psycopg
    from typing_extensions import LiteralString

    Connection = psycopg.Connection[Any]

OLDEST = 16
ROLES = ("lineage_writer", "lineage_reader", "lineage_cypher")
_SETTINGS = {
    "search_path": sql.SQL("ALTER DATABASE {} SET search_path = public, ag_catalog"),
    "session_preload_libraries": sql.SQL("ALTER DATABASE {} SET session_preload_libraries = 'age'"),
    "age.enable_containment": sql.SQL("ALTER DATABASE {} SET age.enable_containment = off"),
}


_SQL = StatementFile(__file__)
_HAS_SETTING = _SQL.statement("has_setting", bool)


_MAY_GRANT_TABLES = """
SELECT coalesce(bool_and(has_table_privilege(c.oid, 'SELECT WITH GRANT OPTION')), true)
FROM pg_class c WHERE c.relnamespace = 'ag_catalog'::regnamespace AND c.relkind = 'r'
"""

_OWNER = """
SELECT current_user, pg_get_userbyid(nspowner), pg_has_role(nspowner, 'USAGE')
FROM pg_namespace WHERE nspname = 'lineage'
"""

_OTHER_OWNER = """
SELECT pg_get_userbyid(nspowner) FROM pg_namespace
WHERE nspname = 'lineage' AND pg_get_userbyid(nspowner) <> current_user
  AND pg_has_role(nspowner, 'SET')
"""


class _Need(NamedTuple):
    """A statement that is needed unless the query ``check`` returns true."""

    check: LiteralString
    statement: sql.Composed | sql.SQL
    parameters: dict[str, str] | None = None


_BOUND_FILES = _Need(
    "SELECT has_parameter_privilege('lineage_cypher', 'temp_file_limit', 'SET')",
    sql.SQL("GRANT SET ON PARAMETER temp_file_limit TO lineage_cypher"),
)
_REFUSALS = (states.InsufficientPrivilege, states.UndefinedObject, states.InvalidSchemaName)
# PostgreSQL has no SQLSTATE for this message and does not translate it.
_CONCURRENT = "tuple concurrently updated"
_ATTEMPTS = 20


def require_version(number: int) -> None:
    """Raise MigrationError if ``number``, a ``server_version_num``, is too old."""
    if number < OLDEST * 10_000:
        raise MigrationError(
            f"The server runs PostgreSQL {number // 10_000}, and lineage needs {OLDEST} or newer.",
            "Upgrade the server, or start a private one: lineage up",
        )


def require_utf8(conn: Connection) -> None:
    """Raise MigrationError if the database has another encoding than UTF-8."""
    encoding = conn.info.parameter_status("server_encoding")
    if encoding not in ("UTF8", None):  # a pooler may not report it
        raise MigrationError(
            f'Database "{conn.info.dbname}" has the encoding {encoding}, and lineage needs UTF8.',
            "Create a database with ENCODING 'UTF8' and TEMPLATE template0.",
        )


def require_owner(conn: Connection, action: str) -> None:
    """Raise QueryError if the role is not the owner of the schema. ``action``: for the message."""
    with translate_errors():
        rows = conn.execute(_OWNER).fetchall()
    for role, owner, is_owner in rows:  # without the schema, the next statement fails by itself
        if not is_owner:
            raise QueryError(
                f'Role "{role}" may not {action}: only the owner of the schema lineage may.',
                f'Connect as "{owner}" or as a member of that role: --dsn or PGOPTIONS.',
            )


def act_as_owner(conn: Connection) -> None:
    """Take the role of the schema's owner until the transaction ends, if this role may do so.

    New functions and tables then belong to the owner, who can upgrade them later.
    """
    with translate_errors():
        for (owner,) in conn.execute(_OTHER_OWNER).fetchall():
            conn.execute(sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(owner)))


def missing_settings(conn: Connection) -> list[str]:
    """Return the statements that create missing settings of the database."""
    with translate_errors():
        database = sql.Identifier(conn.execute("SELECT current_database()").fetchall()[0][0])
        return [
            statement.format(database).as_string(conn)
            for name, statement in _SETTINGS.items()
            if not _HAS_SETTING.fetch_one(conn, name=name)
        ]


def prepare_rights(conn: Connection) -> list[str]:
    """Run the statements that migrations require; return the optional ones that were denied.

    A statement is optional if the migrations work without it. Raises MigrationError with the
    required statements that this role may not run, for a superuser to run.
    """
    with translate_errors():
        role, database = conn.execute("SELECT current_user, current_database()").fetchall()[0]
        required = _denied_statements(conn, _required_statements(role, database))
        optional = _denied_statements(conn, [_BOUND_FILES])
    if required:
        # On one line, because error messages are printed without line feeds.
        listed = "".join(f" {statement};" for statement in [*required, *optional])
        raise MigrationError(
            f'Role "{role}" lacks rights in database "{database}" that migrating needs.',
            f"Have a superuser run this there, then run lineage migrate again:{listed}",
        )
    return optional


def _required_statements(role: str, database: str) -> list[_Need]:
    names = {"role": sql.Identifier(role), "database": sql.Identifier(database)}
    needs = [
        _Need(
            "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'age')",
            sql.SQL("CREATE EXTENSION age"),
        ),
        _Need(
            "SELECT has_database_privilege(current_database(), 'CREATE')",
            sql.SQL("GRANT CREATE ON DATABASE {database} TO {role}").format(**names),
        ),
        _Need(
            "SELECT has_schema_privilege('ag_catalog', 'USAGE WITH GRANT OPTION')",
            sql.SQL("GRANT USAGE ON SCHEMA ag_catalog TO {role} WITH GRANT OPTION").format(**names),
        ),
        _Need(
            _MAY_GRANT_TABLES,
            sql.SQL(
                "GRANT SELECT ON ALL TABLES IN SCHEMA ag_catalog TO {role} WITH GRANT OPTION"
            ).format(**names),
        ),
    ]
    for role_options in ROLES:
        create = sql.SQL("CREATE ROLE {} NOLOGIN").format(sql.Identifier(role_options))
        has_role = "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = %(name)s)"
        needs.append(_Need(has_role, create, {"name": role_options}))
    # Granting it ownership of functions requires membership with SET.
    member = sql.SQL("GRANT lineage_cypher TO {role}").format(**names)
    needs.append(_Need("SELECT pg_has_role('lineage_cypher', 'SET')", member))
    for name, statement in _SETTINGS.items():
        setting = statement.format(sql.Identifier(database))
        needs.append(_Need(_HAS_SETTING.text, setting, {"name": name}))
    return needs


def _denied_statements(conn: Connection, needs: list[_Need]) -> list[str]:
    """Run the statements that are needed; return those that this role may not run."""
    denied = []
    for need in needs:
        if _is_met(conn, need):
            continue
        # The object of a denied statement may be missing, or another session creates the role.
        with contextlib.suppress(*_REFUSALS, states.DuplicateObject, states.UniqueViolation):
            _execute_shared(conn, need.statement)
        if not _is_met(conn, need):
            denied.append(need.statement.as_string(conn))
    return denied


def _execute_shared(conn: Connection, statement: sql.Composed | sql.SQL) -> None:
    """Change a server-wide object; retry if another database's migration changes it, too."""
    for _ in range(_ATTEMPTS):
        try:
            conn.execute(statement)
        except states.InternalError_ as error:
            if _CONCURRENT not in (error.diag.message_primary or ""):
                raise
        else:
            return
    conn.execute(statement)


def _is_met(conn: Connection, need: _Need) -> bool:
    with contextlib.suppress(*_REFUSALS):
        return bool(conn.execute(need.check, need.parameters).fetchall()[0][0])
    return False
