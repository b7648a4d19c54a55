"""Translation of errors of psycopg: complete, with readable messages for real errors."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from lineage.database.errors import STATES, translate_error, translate_errors
from lineage.errors import DatabaseError, DatabaseUnavailable, LineageError, NotMigrated, QueryError

# Errors that only a bug of ours can cause; they remain plain database errors.
PLAIN = {
    "01": "warning",
    "02": "no data",
    "03": "statement not complete",
    "09": "triggered action",
    "0B": "invalid transaction initiation",
    "0F": "locator",
    "0L": "invalid grantor",
    "0P": "invalid role",
    "0Z": "diagnostics",
    "10": "XQuery",
    "20": "case not found",
    "23": "integrity constraint",
    "24": "cursor state",
    "25": "transaction state",
    "26": "statement name",
    "27": "triggered data change",
    "2B": "dependent privileges",
    "2D": "transaction termination",
    "2F": "SQL routine",
    "34": "cursor name",
    "38": "external routine",
    "39": "external routine invocation",
    "3B": "savepoint",
    "3D": "catalog name",
    "3F": "schema name",
    "44": "with check option",
    "55": "object not in prerequisite state",
    "57": "operator intervention",
    "72": "snapshot",
    "F0": "configuration file",
    "HV": "foreign data",
    "P0": "PL/pgSQL",
}


def with_state() -> list[type[psycopg.Error]]:
    """Return all classes of psycopg for one SQLSTATE."""
    classes = [each for each in vars(psycopg.errors).values() if isinstance(each, type)]
    return [each for each in classes if issubclass(each, psycopg.Error) and each.sqlstate]


def test_every_class_of_states_was_thought_of() -> None:
    classes = {each.sqlstate[:2] for each in with_state()}
    assert classes - {state[:2] for state in STATES} - PLAIN.keys() == set()


@pytest.mark.parametrize("kind", with_state(), ids=lambda kind: f"{kind.sqlstate}-{kind.__name__}")
def test_every_error_becomes_one_of_ours(kind: type[psycopg.Error]) -> None:
    said = translate_error(kind("the text"))
    assert isinstance(said, DatabaseError | QueryError)
    assert said.message == f"The database reports: the text ({kind.sqlstate})."


@pytest.mark.parametrize(
    ("statement", "kind", "message"),
    [
        ("SELEC 1", QueryError, 'syntax error at or near "SELEC" (42601)'),
        ("SELECT 1/0", QueryError, "division by zero (22012)"),
        ("SELECT * FROM no_table", NotMigrated, 'relation "no_table" does not exist (42P01)'),
        ("SELECT no_function(1)", NotMigrated, "function no_function(integer) does not exist"),
        ("SELECT no_column FROM pg_class", NotMigrated, 'column "no_column" does not exist'),
        ("CREATE TABLE no_schema.t (n int)", NotMigrated, 'schema "no_schema" does not exist'),
        ("SET statement_timeout = 5; SELECT pg_sleep(9)", QueryError, "due to statement timeout"),
        (
            "BEGIN READ ONLY; CREATE TABLE t (n int)",
            QueryError,
            "cannot execute CREATE TABLE in a read-only transaction (25006)",
        ),
        ("SELECT pg_terminate_backend(pg_backend_pid())", DatabaseUnavailable, "(57P01)"),
    ],
)
def test_the_message_of_the_server_is_retained(
    empty: psycopg.Connection[Any], statement: str, kind: type[LineageError], message: str
) -> None:
    with pytest.raises(kind) as caught, translate_errors():
        empty.execute(statement)
    assert message in caught.value.message
    assert isinstance(caught.value.__cause__, psycopg.Error)


def test_a_hint_of_the_server_goes_before_ours(empty: psycopg.Connection[Any]) -> None:
    with pytest.raises(QueryError) as caught, translate_errors():
        empty.execute("DO $$ BEGIN RAISE SQLSTATE '22000' USING HINT = 'Take another.'; END $$")
    assert caught.value.hint == "Take another."


def test_where_a_migration_is_missing_the_server_guesses_wrong(
    empty: psycopg.Connection[Any],
) -> None:
    with pytest.raises(NotMigrated) as caught, translate_errors():
        empty.execute("SELECT no_function(1)")  # the server's own hint suggests casts
    assert caught.value.hint == "Bring the database up to date: lineage migrate"


def test_a_lost_connection_is_reported_as_such(empty: psycopg.Connection[Any]) -> None:
    with pytest.raises(DatabaseUnavailable), translate_errors():
        empty.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    with pytest.raises(DatabaseUnavailable) as caught, translate_errors():
        empty.execute("SELECT 1")
    assert caught.value.message == "The database reports: the connection is closed."


def test_what_is_no_error_of_the_database_passes() -> None:
    with pytest.raises(ValueError, match="mine"), translate_errors():
        raise ValueError("mine")
