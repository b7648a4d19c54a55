"""Migrations on a real server: each is applied once, in order, in one transaction."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from psycopg import sql

from lineage.database import migrations as migrate
from lineage.database import rights
from lineage.database.connection import connect, connect_migrated
from lineage.errors import AgeMissing, MigrationError, NotMigrated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from support.fixtures.database import Server

Conn = psycopg.Connection[Any]
# A process that migrates, and prints the number of applied migrations.
APPLY = (
    "import sys, pathlib, psycopg; from lineage.database import migrations as migrate;"
    "conn = psycopg.connect(sys.argv[1], autocommit=True);"
    "print(len(migrate.apply_pending(conn, pathlib.Path(sys.argv[2])))); conn.close()"
)

APPLY_ALL = (
    "import sys, psycopg; from lineage.database import migrations;"
    "conn = psycopg.connect(sys.argv[1], autocommit=True);"
    "migrations.apply_pending(conn); conn.close(); print('done')"
)


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """Create a directory of two migrations, the second of which requires the first."""
    (tmp_path / "0001_make.sql").write_text("CREATE TABLE made (n int);\nSELECT 1;\n")
    (tmp_path / "0002_fill.sql").write_text("INSERT INTO made VALUES (1);\n")
    return tmp_path


@pytest.fixture
def functions(two: Path) -> Path:
    """Add the file of a function that reads the table of these migrations."""
    (two / "functions").mkdir()
    file = two / "functions" / "01_first.sql"
    file.write_text(function("SELECT n FROM made"))
    return file


def function(body: str) -> str:
    return f"CREATE OR REPLACE FUNCTION first_made() RETURNS int LANGUAGE sql RETURN ({body});"


def names(migrations: list[migrate.Migration]) -> list[str]:
    return [migration.name for migration in migrations]


def first_made(conn: Conn) -> int:
    [(n,)] = conn.execute("SELECT first_made()").fetchall()
    return int(n)


def made(conn: Conn) -> list[int]:
    return [n for (n,) in conn.execute("SELECT n FROM made")]


def test_all_are_applied_in_order_and_once(empty: Conn, two: Path) -> None:
    assert names(migrate.pending_migrations(empty, two)) == ["0001_make", "0002_fill"]
    assert migrate.apply_pending(empty, two) == ["0001_make", "0002_fill"]
    assert migrate.apply_pending(empty, two) == []
    assert migrate.pending_migrations(empty, two) == []
    assert made(empty) == [1]


def test_the_history_reports_when(empty: Conn, two: Path) -> None:
    (before,) = empty.execute("SELECT now()").fetchone() or ()
    migrate.apply_pending(empty, two)
    (two / "0003_more.sql").write_text("SELECT 1")
    first, second, third = migrate.migration_history(empty, two)
    assert first.applied_at is not None
    assert second.applied_at is not None
    assert before < first.applied_at == second.applied_at  # one transaction
    assert third.applied_at is None


def test_a_failure_leaves_the_database_as_it_was(empty: Conn, two: Path) -> None:
    migrate.apply_pending(empty, two)
    (two / "0003_more.sql").write_text("INSERT INTO made VALUES (2)")
    (two / "0004_half.sql").write_text("INSERT INTO made VALUES (3);\n\nSELECT no_such_column;\n")
    with pytest.raises(MigrationError, match=r"0004_half fails in line 3\..*no_such_column"):
        migrate.apply_pending(empty, two)
    assert made(empty) == [1]
    assert names(migrate.pending_migrations(empty, two)) == ["0003_more", "0004_half"]


def test_functions_are_created_once_after_the_migrations(
    empty: Conn, two: Path, functions: Path
) -> None:
    assert migrate.apply_pending(empty, two) == ["0001_make", "0002_fill", "functions"]
    assert first_made(empty) == 1
    assert migrate.apply_pending(empty, two) == []


def test_a_changed_function_is_replaced(empty: Conn, two: Path, functions: Path) -> None:
    migrate.apply_pending(empty, two)
    functions.write_text(function("SELECT n + 1 FROM made"))
    with pytest.raises(NotMigrated, match="the SQL functions of another version") as caught:
        migrate.check_schema(empty, two)
    assert caught.value.hint == "Replace them: lineage migrate"

    assert migrate.apply_pending(empty, two) == ["functions"]

    migrate.check_schema(empty, two)
    assert first_made(empty) == 2


def test_a_migration_brings_the_functions_along(empty: Conn, two: Path, functions: Path) -> None:
    migrate.apply_pending(empty, two)
    (two / "0003_drop.sql").write_text("DROP FUNCTION first_made()")
    assert migrate.apply_pending(empty, two) == ["0003_drop", "functions"]
    assert first_made(empty) == 1


def test_a_function_that_fails_takes_the_migrations_back(
    empty: Conn, two: Path, functions: Path
) -> None:
    functions.write_text("\n" + function("SELECT no_such_column FROM made"))
    with pytest.raises(MigrationError, match=r"functions/01_first fails in line 2\."):
        migrate.apply_pending(empty, two)
    assert empty.execute("SELECT to_regclass('made')").fetchall() == [(None,)]


def test_a_development_schema_is_rejected(empty: Conn) -> None:
    for statement in migrate.RECORD:
        statement.execute(empty)
    for number, name in enumerate(("0001_graph", "0002_log"), start=1):
        empty.execute(
            "INSERT INTO lineage.migration (number, name, sha256) VALUES (%s, %s, '')",
            (number, name),
        )
    with pytest.raises(MigrationError, match="has a development schema") as caught:
        migrate.apply_pending(empty)
    assert "lineage events --body --limit 0" in str(caught.value.hint)


def test_all_goes_in_after_a_failure_was_mended(empty: Conn, two: Path) -> None:
    (two / "0003_more.sql").write_text("broken")
    with pytest.raises(MigrationError):
        migrate.apply_pending(empty, two)
    (two / "0003_more.sql").write_text("INSERT INTO made VALUES (2)")
    assert migrate.apply_pending(empty, two) == ["0001_make", "0002_fill", "0003_more"]
    assert made(empty) == [1, 2]


def test_an_edited_file_is_an_error_that_names_it(empty: Conn, two: Path) -> None:
    migrate.apply_pending(empty, two)
    (two / "0001_make.sql").write_text("CREATE TABLE made (n bigint);")
    with pytest.raises(MigrationError, match="0001_make was edited after it was applied") as caught:
        migrate.apply_pending(empty, two)
    assert "in a new migration" in str(caught.value.hint)


def test_an_operator_is_advised_how_to_leave_a_database_with_an_edited_file(
    empty: Conn, two: Path
) -> None:
    """An operator has another version of the package, and has edited nothing."""
    migrate.apply_pending(empty, two)
    (two / "0002_fill.sql").write_text("INSERT INTO made VALUES (3)")
    with pytest.raises(MigrationError, match="0002_fill was edited") as caught:
        migrate.apply_pending(empty, two)
    hint = str(caught.value.hint)
    assert "with the version of lineage that migrated the database" in hint
    assert "lineage events --body --limit 0" in hint
    assert "lineage ingest" in hint


def test_a_renamed_file_is_an_error(empty: Conn, two: Path) -> None:
    migrate.apply_pending(empty, two)
    (two / "0002_fill.sql").rename(two / "0002_pour.sql")
    with pytest.raises(MigrationError, match="0002_pour was applied under the name 0002_fill"):
        migrate.pending_migrations(empty, two)


def test_a_database_of_a_newer_version_is_left_alone(empty: Conn, two: Path) -> None:
    migrate.apply_pending(empty, two)
    (two / "0002_fill.sql").unlink()
    with pytest.raises(MigrationError, match=r"newer .* has migration 0002_fill") as caught:
        migrate.apply_pending(empty, two)
    assert "a newer one" in str(caught.value.hint)
    with pytest.raises(MigrationError, match=r"newer .* has migration 0002_fill") as caught:
        migrate.check_schema(empty, two)
    assert "lineage migrate" not in str(caught.value)


def test_a_gap_is_an_error_before_anything_is_applied(empty: Conn, two: Path) -> None:
    (two / "0004_late.sql").write_text("SELECT 1")
    with pytest.raises(MigrationError, match=r"Expected migration 0003, but found 0004_late"):
        migrate.apply_pending(empty, two)
    assert empty.execute("SELECT to_regclass('made')").fetchall() == [(None,)]


def test_two_files_of_one_number_are_an_error(two: Path) -> None:
    (two / "0002_other.sql").write_text("SELECT 1")
    with pytest.raises(MigrationError, match="Expected migration 0003, but found 0002_other"):
        migrate.available_migrations(two)


@pytest.mark.parametrize("name", ["1_short.sql", "0003-dash.sql", "0003_Upper.sql", "more.sql"])
def test_a_name_of_another_form_is_an_error(two: Path, name: str) -> None:
    (two / name).write_text("SELECT 1")
    with pytest.raises(MigrationError, match="is not a valid name of a migration file"):
        migrate.available_migrations(two)


def test_two_processes_at_once_apply_each_once(empty: Conn, empty_dsn: str, two: Path) -> None:
    """The first migration is slow, so that the second process starts during it."""
    (two / "0001_make.sql").write_text("CREATE TABLE made (n int); SELECT pg_sleep(0.3);")
    command = [sys.executable, "-c", APPLY, empty_dsn, str(two)]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert sorted(process.communicate()[0] for process in both) == ["0\n", "2\n"]
    assert made(empty) == [1]


def test_databases_of_one_server_are_migrated_at_once(database: Callable[[str], str]) -> None:
    """All migrations share the roles and the rights on parameters, which belong to the server."""
    commands = [[sys.executable, "-c", APPLY_ALL, database("template0")] for _ in range(3)]
    all_of_them = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for command in commands
    ]
    assert [process.communicate() for process in all_of_them] == [("done\n", "")] * 3


def test_a_right_that_another_database_grants_meanwhile_is_granted(
    empty: Conn, empty_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL rejects the second of two concurrent grants on a parameter."""
    parameter = "lineage_test.granted_at_once"
    role = f"lineage_test_{empty.info.dbname}"
    grant = f"GRANT SET ON PARAMETER {parameter} TO {role}"
    needed = f"SELECT has_parameter_privilege('{role}', '{parameter}', 'SET')"
    need = rights._Need(needed, sql.SQL(grant))
    monkeypatch.setattr(rights, "_BOUND_FILES", need)
    blocked = "SELECT FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'"
    with psycopg.connect(empty_dsn) as other, ThreadPoolExecutor(1) as pool:
        empty.execute(f"CREATE ROLE {role}")
        try:
            empty.execute(f"GRANT ALTER SYSTEM ON PARAMETER {parameter} TO {role}")
            other.execute(f"GRANT ALTER SYSTEM ON PARAMETER {parameter} TO {role}")
            with psycopg.connect(empty_dsn, autocommit=True) as preparing:
                prepared = pool.submit(rights.prepare_rights, preparing)
                while not empty.execute(blocked).fetchall():
                    assert not prepared.done(), "it does not wait for the other grant"
                other.commit()
                assert prepared.result() == []
            assert empty.execute(needed).fetchall() == [(True,)]
        finally:
            other.rollback()
            empty.execute(f"DROP OWNED BY {role}")
            empty.execute(f"DROP ROLE {role}")


def test_a_process_that_is_killed_in_a_migration_leaves_nothing_of_it(
    empty: Conn, empty_dsn: str, two: Path
) -> None:
    (two / "0002_fill.sql").write_text("INSERT INTO made VALUES (1); SELECT pg_sleep(0.5);")
    asleep = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = %s"
    with subprocess.Popen([sys.executable, "-c", APPLY, empty_dsn, str(two)]) as process:
        while not empty.execute(asleep, ["PgSleep"]).fetchall():
            assert process.poll() is None, "it ended before it could be killed"
        process.kill()
    (two / "0002_fill.sql").write_text("INSERT INTO made VALUES (2)")
    assert migrate.apply_pending(empty, two) == ["0001_make", "0002_fill"]
    assert made(empty) == [2]


def test_check_is_silent_once_all_are_there(empty: Conn, two: Path) -> None:
    migrate.apply_pending(empty, two)
    migrate.check_schema(empty, two)


def test_check_says_how_many_are_missing(empty: Conn, two: Path) -> None:
    migrate.apply_pending(empty, two)
    (two / "0003_more.sql").write_text("SELECT 1")
    with pytest.raises(NotMigrated, match="lacks 1 of the migrations") as caught:
        migrate.check_schema(empty, two)
    assert caught.value.hint == "Apply them: lineage migrate"


def test_check_of_a_database_with_nothing_in_it(empty: Conn, two: Path) -> None:
    with pytest.raises(NotMigrated, match="has no schema lineage") as caught:
        migrate.check_schema(empty, two)
    assert caught.value.hint == "Check the DSN. If it is the right database: lineage migrate"


def test_a_server_without_age_is_reported(
    empty: Conn, two: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every test server has AGE; therefore the test checks for an extension that none has."""
    monkeypatch.setattr(migrate, "EXTENSION", "no_such_extension")
    with pytest.raises(AgeMissing, match="has no Apache AGE") as caught:
        migrate.apply_pending(empty, two)
    assert "lineage up" in str(caught.value.hint)


@pytest.fixture(params=["LATIN1", "SQL_ASCII"])
def other_encoding(request: pytest.FixtureRequest, empty: Conn, server: Server) -> Iterator[str]:
    """Create a database whose encoding is not UTF-8, and return its DSN."""
    name = f"{empty.info.dbname}_{request.param.lower()}"
    empty.execute(
        sql.SQL(
            "CREATE DATABASE {} TEMPLATE template0 ENCODING {} LOCALE_PROVIDER libc LOCALE 'C'"
        ).format(sql.Identifier(name), sql.Literal(request.param))
    )
    yield server.dsn(name)
    server.drop(name)


def test_a_database_of_another_encoding_is_rejected(other_encoding: str) -> None:
    with connect(other_encoding, autocommit=True) as conn:
        with pytest.raises(MigrationError, match=r"has the encoding \w+, and lineage needs UTF8"):
            migrate.apply_pending(conn)
        assert conn.execute("SELECT to_regnamespace('lineage')").fetchall() == [(None,)]
    with pytest.raises(MigrationError, match="lineage needs UTF8"):
        connect_migrated(other_encoding)


def test_a_role_that_may_not_is_reported(empty: Conn, two: Path) -> None:
    role = f"guest_{empty.info.dbname}"
    empty.execute(f"CREATE ROLE {role}")
    try:
        empty.execute(f"SET ROLE {role}")
        with pytest.raises(MigrationError, match="lacks rights in database") as caught:
            migrate.apply_pending(empty, two)
        assert "superuser" in str(caught.value.hint)
    finally:
        empty.execute("RESET ROLE")
        empty.execute(f"DROP ROLE {role}")


def test_the_migrations_of_this_version_apply_to_a_fresh_database(empty: Conn) -> None:
    assert migrate.apply_pending(empty) == [*names(migrate.available_migrations()), "functions"]
    assert migrate.pending_migrations(empty) == []
