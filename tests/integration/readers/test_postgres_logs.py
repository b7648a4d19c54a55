"""Logs of a real PostgreSQL under a workload, imported into the graph of another database."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest
from click.testing import CliRunner
from lineage_cli import main
from psycopg.types import TypeInfo
from support.fixtures.query_logs import DURATIONS, PLANS, STATEMENTS, logging_server

from lineage import application_name
from lineage.projection.rebuild import graph_fingerprint
from lineage.query.filters import Filters
from lineage.query.graph import Graph
from lineage.sql.system_tables import system_schema
from lineage.sql.user_functions import builtin_functions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.fixtures.query_logs import LoggingServer

NAMESPACE = "postgres://db:5432"
TABLES = (
    "CREATE SCHEMA w",
    *(f"CREATE TABLE w.{name} (id int, v text)" for name in "abcdefghijk"),
    (
        "CREATE FUNCTION w.fill() RETURNS void LANGUAGE plpgsql AS"
        " $$ BEGIN INSERT INTO w.e SELECT * FROM w.d; END $$"
    ),
    (
        "CREATE FUNCTION w.fail() RETURNS void LANGUAGE plpgsql AS"
        " $$ BEGIN INSERT INTO w.g SELECT * FROM w.d; PERFORM 1 / 0; END $$"
    ),
    (
        "CREATE PROCEDURE w.load_all() LANGUAGE plpgsql AS"
        " $$ BEGIN INSERT INTO w.h SELECT * FROM w.a; COMMIT; INSERT INTO w.i SELECT * FROM w.b;"
        " COMMIT; INSERT INTO w.g SELECT * FROM w.d; PERFORM 1 / 0; END $$"
    ),
)
SECRET = "pw=hunter2secret"
MODES = {"durations": DURATIONS, "statements": STATEMENTS}


def run_workload(server: LoggingServer) -> None:
    """Run each kind of statement that PostgreSQL logs in its own way."""
    with server.connect("python_task::load") as conn:
        conn.execute(f"INSERT INTO w.a VALUES (1, '{SECRET}')")
        for number in range(8):
            conn.execute("INSERT INTO w.a VALUES (%s, %s)", [number, SECRET], prepare=True)
        with conn.transaction():
            conn.execute("INSERT INTO w.b SELECT * FROM w.a")
        with pytest.raises(psycopg.errors.UndefinedTable):
            conn.execute("INSERT INTO w.b SELECT * FROM w.missing")
        with pytest.raises(psycopg.errors.InvalidTextRepresentation):
            conn.execute("INSERT INTO w.f VALUES (%s, 'x')", [SECRET])
        conn.execute("BEGIN")
        conn.execute("INSERT INTO w.f SELECT * FROM w.a")
        conn.execute("ROLLBACK")
        conn.execute("BEGIN")
        conn.execute("INSERT INTO w.h SELECT * FROM w.a")
        conn.execute("SAVEPOINT before_f")
        conn.execute("INSERT INTO w.f SELECT * FROM w.b")
        conn.execute("ROLLBACK TO before_f")
        conn.execute("COMMIT")
        conn.execute("BEGIN")
        conn.execute("INSERT INTO w.j SELECT * FROM w.a")
        conn.execute("COMMIT AND CHAIN")
        conn.execute("INSERT INTO w.f SELECT * FROM w.a")
        with pytest.raises(psycopg.errors.DivisionByZero):
            conn.execute("SELECT 1 / 0")
        conn.execute("ROLLBACK")
        conn.execute("PREPARE fill_i (text) AS INSERT INTO w.i SELECT id, $1 FROM w.c")
        conn.execute("PREPARE never AS INSERT INTO w.f SELECT * FROM w.c")
        conn.execute(f"EXECUTE fill_i ('{SECRET}')")
        conn.execute("DEALLOCATE fill_i")
        conn.execute("CREATE TEMP TABLE staged AS SELECT * FROM w.b")
        conn.execute("INSERT INTO w.c SELECT * FROM staged")
        with conn.cursor().copy("COPY w.d FROM STDIN") as copy:
            copy.write(f"1\t{SECRET}\n")
    with server.connect("python_task::aborted") as conn:
        conn.execute("BEGIN")
        conn.execute("INSERT INTO w.f SELECT * FROM w.a")
        with pytest.raises(psycopg.errors.DivisionByZero):
            conn.execute("SELECT 1 / 0")
        conn.execute("COMMIT")  # which PostgreSQL answers with ROLLBACK
    with (
        server.connect("python_task::export") as conn,
        conn.cursor().copy("COPY (SELECT * FROM w.k) TO STDOUT") as copy,
    ):
        assert list(copy) == []
    with server.connect("python_task::broken") as conn, pytest.raises(psycopg.Error):
        conn.execute("INSERT INTO w.f SELECT * FROM w.missing")


def import_log(*arguments: object) -> str:
    """Import a log that can be read completely; return what the command reports."""
    result = CliRunner().invoke(main, ["import", "queries", *map(str, arguments)])
    assert result.exception is None, result.output
    assert result.exit_code == 0, result.output
    return result.output


def sources_of(graph: Graph, table: str) -> set[str]:
    """Return the tables that feed a table directly."""
    lineage = graph.upstream(f"{NAMESPACE}/postgres.w.{table}", depth=1)
    return {each.name.removeprefix("postgres.") for each in lineage.datasets}


@pytest.fixture(scope="module", params=MODES)
def logs(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, Path]]:
    """Yield the jsonlog and the csvlog of the workload, in one mode of logging."""
    with logging_server(MODES[request.param]) as server:
        server.execute_unlogged(*TABLES)
        run_workload(server)
        yield server.stop()


def test_the_directory_of_a_server_is_read(dsn: str, logs: tuple[Path, Path]) -> None:
    """It has the same statements in both forms, and a text with messages of the start."""
    directory = logs[0].parent
    [text] = directory.glob("*.log")
    assert text.stat().st_size
    output = import_log(directory, "--namespace", NAMESPACE, "--dsn", dsn)
    assert f"{text}: left out because it is not a query log" in output
    assert "of 4 runs" in output


@pytest.mark.parametrize("form", [0, 1], ids=["jsonlog", "csvlog"])
def test_the_graph_shows_what_was_committed(dsn: str, logs: tuple[Path, Path], form: int) -> None:
    output = import_log(logs[form], "--namespace", NAMESPACE, "--dsn", dsn)
    assert "of 4 runs" in output
    with Graph(dsn) as graph:
        assert sources_of(graph, "b") == {"w.a"}
        assert sources_of(graph, "c") == {"w.b"}, "the temporary table is passed through"
        assert sources_of(graph, "d") == set(), "COPY FROM STDIN has no source"
        assert sources_of(graph, "h") == {"w.a"}, "written before the savepoint"
        assert sources_of(graph, "j") == {"w.a"}, "committed before the error of the next one"
        assert sources_of(graph, "i") == {"w.c"}, "the prepared statement that was executed"
        [run] = graph.job_runs("python_task/export")
        accesses = graph.run(run.run_id).accesses
        assert [(each.dataset.name, each.is_output) for each in accesses] == [
            ("postgres.w.k", False)
        ]
        names = {each.name for each in graph.datasets()}
        assert "postgres.w.d" in names
        assert "postgres.w.f" not in names, "all its writes failed or were rolled back"
        assert not any("missing" in name or "staged" in name for name in names)
        jobs = ("load", "aborted", "export", "broken")
        states = {job: [run.state for run in graph.job_runs(f"python_task/{job}")] for job in jobs}
        assert states.pop("broken") == ["FAIL"]
        assert states == {job: ["COMPLETE"] for job in ("load", "aborted", "export")}


def test_both_forms_of_a_log_are_the_same_rows(dsn: str, logs: tuple[Path, Path]) -> None:
    """A server that writes both forms, or a log that is imported again, adds nothing."""
    import_log(logs[0], "--namespace", NAMESPACE, "--dsn", dsn)
    with psycopg.connect(dsn) as conn:
        before = graph_fingerprint(conn)
        output = import_log(*logs, "--namespace", NAMESPACE, "--dsn", dsn)
        assert output.startswith("0 events;"), output
        assert graph_fingerprint(conn) == before


def test_no_literal_is_stored(dsn: str, logs: tuple[Path, Path]) -> None:
    import_log(logs[0], "--namespace", NAMESPACE, "--dsn", dsn)
    with psycopg.connect(dsn) as conn:
        tables = conn.execute(
            "SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) FROM pg_tables"
            " WHERE schemaname IN ('lineage', 'provenance')"
        ).fetchall()
        for (table,) in tables:
            query = f"SELECT count(*) FROM {table} AS row WHERE row::text LIKE %s"
            assert conn.execute(query, [f"%{SECRET}%"]).fetchone() == (0,), table  # type: ignore[arg-type]


def test_statements_in_functions_are_those_of_auto_explain(dsn: str, tmp_path: Path) -> None:
    with logging_server({**DURATIONS, **PLANS}) as server:
        server.execute_unlogged(*TABLES)
        with server.connect("python_task::load") as conn:
            conn.execute("INSERT INTO w.b SELECT * FROM w.a")
            conn.execute("SELECT w.fill()")
            with pytest.raises(psycopg.errors.DivisionByZero):
                conn.execute("SELECT w.fail()")
            conn.execute("SELECT 1")  # the run does not end with a failure
        log, _ = server.stop()
        import_log(log, "--namespace", NAMESPACE, "--dsn", dsn)
    with Graph(dsn) as graph:
        assert sources_of(graph, "b") == {"w.a"}
        assert sources_of(graph, "e") == {"w.d"}, "the statement within the function"
        names = {each.name for each in graph.datasets()}
        assert "postgres.w.g" not in names, "the call failed, and its statements with it"


@pytest.mark.parametrize("mode", [DURATIONS, STATEMENTS])
def test_what_a_procedure_committed_before_it_failed_counts(dsn: str, mode: dict[str, str]) -> None:
    with logging_server({**mode, **PLANS}) as server:
        server.execute_unlogged(*TABLES)
        with server.connect("load") as conn:
            with pytest.raises(psycopg.errors.DivisionByZero):
                conn.execute("CALL w.load_all()")
            conn.execute("SELECT 1")  # the run does not end with a failure
        log, _ = server.stop()
        arguments = ["import", "queries", str(log), "--namespace", NAMESPACE, "--dsn", dsn]
        result = CliRunner().invoke(main, [*arguments, "--unread"])
    assert "it is not known which statements of w.load_all its ROLLBACK undid" in result.output
    with Graph(dsn) as graph:
        assert sources_of(graph, "h") == {"w.a"}
        assert sources_of(graph, "i") == {"w.b"}
        assert "postgres.w.g" not in {each.name for each in graph.datasets()}


def test_a_table_is_created_in_the_first_schema_of_the_search_path(dsn: str) -> None:
    with logging_server(DURATIONS) as server:
        server.execute_unlogged(*TABLES)
        with server.connect("load") as conn:
            conn.execute("SET search_path TO w, public")
            conn.execute("CREATE TABLE daily_new AS SELECT * FROM w.a")
            conn.execute("ALTER TABLE daily_new RENAME TO daily")
            conn.execute("INSERT INTO w.b SELECT * FROM daily")
            conn.execute("SET search_path TO public, w")
            conn.execute("SET LOCAL search_path TO w")  # outside of BEGIN, so without effect
            conn.execute("CREATE TABLE hourly AS SELECT * FROM w.c")
        with server.connect("check") as conn:
            rows = conn.execute(
                "SELECT schemaname, tablename FROM pg_tables WHERE tablename IN ('daily', 'hourly')"
            )
            assert set(rows) == {("w", "daily"), ("public", "hourly")}
        log, _ = server.stop()
        import_log(log, "--namespace", NAMESPACE, "--dsn", dsn)
    with Graph(dsn) as graph:
        assert sources_of(graph, "b") == {"w.daily"}
        assert sources_of(graph, "daily") == {"w.daily_new"}
        assert sources_of(graph, "daily_new") == {"w.a"}
        hourly = graph.upstream(f"{NAMESPACE}/postgres.public.hourly", depth=1)
        assert [each.name for each in hourly.datasets] == ["postgres.w.c"]


def test_what_failed_or_was_only_checked_is_no_source(dsn: str) -> None:
    """A text of several statements, a deferred constraint, and the check of a foreign key."""
    with logging_server({**DURATIONS, **PLANS}) as server:
        server.execute_unlogged(
            *TABLES,
            "CREATE TABLE w.parent (id int PRIMARY KEY)",
            "CREATE TABLE w.child (id int REFERENCES w.parent DEFERRABLE INITIALLY DEFERRED)",
            "INSERT INTO w.parent VALUES (1)",
        )
        with server.connect("python_task::load") as conn:
            conn.execute("INSERT INTO w.child VALUES (1)")
            with pytest.raises(psycopg.errors.DivisionByZero):
                conn.execute("INSERT INTO w.b SELECT * FROM w.a; SELECT 1 / 0")
            conn.execute("BEGIN")
            conn.execute("INSERT INTO w.g SELECT * FROM w.a")
            conn.execute("INSERT INTO w.child VALUES (2)")
            with pytest.raises(psycopg.errors.ForeignKeyViolation):
                conn.execute("COMMIT")
            conn.execute("INSERT INTO w.e SELECT * FROM w.d")
        log, _ = server.stop()
        import_log(log, "--namespace", NAMESPACE, "--dsn", dsn)
    with Graph(dsn) as graph:
        assert sources_of(graph, "child") == set()
        assert sources_of(graph, "e") == {"w.d"}
        names = {each.name for each in graph.datasets()}
        assert names.isdisjoint({"postgres.w.b", "postgres.w.g"})


def test_a_function_whose_statements_are_not_logged_is_unresolved(dsn: str) -> None:
    with logging_server(DURATIONS) as server:
        server.execute_unlogged(*TABLES)
        with server.connect("python_task::load") as conn:
            conn.execute("SELECT w.fill()")
            conn.execute("SELECT w.fill(), now(), lower('X'), count(*) FROM generate_series(1, 3)")
            conn.execute("SELECT w.fill()")
        log, _ = server.stop()
        arguments = ["import", "queries", str(log), "--namespace", NAMESPACE, "--dsn", dsn]
        result = CliRunner().invoke(main, [*arguments, "--unread"])
    assert result.exit_code == 1
    calls = [line for line in result.output.splitlines() if "SELECT w.fill()" in line]
    assert len(calls) == 2, "each shape is listed once"
    assert "2 times: SELECT w.fill(): the function w.fill is not known" in calls[0]
    assert "3 not read" in result.output
    with Graph(dsn) as graph:
        assert [each.name for each in graph.datasets()] == []
        [run] = graph.job_runs("python_task/load")
        assert run.state == "COMPLETE"


def test_rows_of_pg_stat_statements_declare_what_ran(dsn: str, tmp_path: Path) -> None:
    """Each row counts calls and shows no run: its lineage is declared, also of several users."""
    settings = {**DURATIONS, "shared_preload_libraries": "pg_stat_statements"}
    export = tmp_path / "statements.csv"
    with logging_server(settings) as server:
        server.execute_unlogged(*TABLES, "CREATE EXTENSION pg_stat_statements")
        with server.connect("python_task::load") as conn:
            for number in range(3):
                conn.execute("INSERT INTO w.b SELECT * FROM w.a WHERE v <> %s", [SECRET])
                conn.execute(f"INSERT INTO w.c SELECT {number}, '{SECRET}' FROM w.b GROUP BY 1")
            query = (
                "COPY (SELECT r.rolname AS user, d.datname AS database, s.query, s.calls"
                " FROM pg_stat_statements AS s JOIN pg_roles AS r ON r.oid = s.userid"
                " JOIN pg_database AS d ON d.oid = s.dbid WHERE s.query LIKE 'INSERT%')"
                " TO STDOUT WITH (FORMAT csv, HEADER)"
            )
            with conn.cursor().copy(query) as copy, export.open("wb") as file:
                for block in copy:
                    file.write(block)
    assert export.read_text().count("INSERT INTO") == 2, "calls are counted by shape"
    import_log(export, "--namespace", NAMESPACE, "--dsn", dsn)
    with Graph(dsn) as graph:
        assert sources_of(graph, "b") == {"w.a"}
        assert sources_of(graph, "c") == {"w.b"}
        observed = graph.upstream(f"{NAMESPACE}/postgres.w.b", filters=Filters(observed=True))
        assert [each.name for each in observed.datasets] == [], "declared lineage only"
    assert SECRET not in export.read_text()


def test_the_application_name_of_a_task_is_its_job_and_run(dsn: str, tmp_path: Path) -> None:
    """PostgreSQL keeps 63 bytes of a name; the name of a task with its run fits."""
    run_id = "0198c9a8-4f6e-7cc3-9d1c-0a8f5d1f2b3c"
    name = application_name("load_orders", run_id)
    with logging_server(DURATIONS) as server:
        server.execute_unlogged(*TABLES)
        with server.connect(name) as conn:
            assert conn.execute("SHOW application_name").fetchone() == (name,)
            conn.execute("INSERT INTO w.b SELECT * FROM w.a")
        log, _ = server.stop()
        import_log(log, "--namespace", NAMESPACE, "--dsn", dsn)
    with Graph(dsn) as graph:
        [run] = graph.job_runs("python_task/load_orders")
        assert run.run_id == run_id
        assert sources_of(graph, "b") == {"w.a"}


def test_what_a_client_looks_up_in_the_system_catalog_is_no_source(
    dsn: str, tmp_path: Path
) -> None:
    """psycopg reads pg_type before it writes values of a type; SQLAlchemy reads pg_class."""
    with logging_server(DURATIONS) as server:
        server.execute_unlogged(*TABLES, "CREATE TYPE w.mood AS ENUM ('calm')")
        with server.connect("load") as conn:
            assert TypeInfo.fetch(conn, "w.mood") is not None
            conn.execute("INSERT INTO w.b VALUES (1)")
        log, _ = server.stop()
        assert "pg_type" in log.read_text()
        import_log(log, "--namespace", NAMESPACE, "--dsn", dsn)
    with Graph(dsn) as graph:
        assert sources_of(graph, "b") == set()
        assert [each.name for each in graph.datasets()] == ["postgres.w.b"]


def test_the_list_of_system_tables_is_that_of_the_server(dsn: str) -> None:
    with psycopg.connect(dsn) as conn:
        tables = {
            name
            for (name,) in conn.execute(
                "SELECT relname FROM pg_class"
                " WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind IN ('r', 'v')"
            )
        }
    assert {name for name in tables if system_schema(name, "postgres") == "pg_catalog"} == tables


def test_the_list_of_functions_is_that_of_the_server(dsn: str) -> None:
    """Without support functions, and without those that execute a text or read a table by name."""
    with psycopg.connect(dsn) as conn:
        functions = {
            name
            for (name,) in conn.execute(
                """SELECT proname FROM pg_proc AS p
                WHERE pronamespace = 'pg_catalog'::regnamespace AND NOT EXISTS (
                    SELECT FROM unnest(proargtypes::oid[] || prorettype) AS t WHERE t IN (
                        'internal'::regtype, 'cstring'::regtype, 'trigger'::regtype,
                        'event_trigger'::regtype))
                AND NOT EXISTS (SELECT FROM pg_operator WHERE oprcode = p.oid)
                AND NOT EXISTS (SELECT FROM pg_amproc WHERE amproc = p.oid)
                AND NOT EXISTS (SELECT FROM pg_cast WHERE castfunc = p.oid)"""
            )
        }
    missing = functions - builtin_functions("postgres")
    executing = {
        *("cursor_to_xml", "cursor_to_xmlschema", "ts_rewrite", "ts_stat"),
        *(f"database_to_xml{end}" for end in ("", "_and_xmlschema", "schema")),
        *(f"query_to_xml{end}" for end in ("", "_and_xmlschema", "schema")),
        *(f"schema_to_xml{end}" for end in ("", "_and_xmlschema", "schema")),
        *(f"table_to_xml{end}" for end in ("", "_and_xmlschema", "schema")),
        *(
            f"pg_logical_slot_{action}_{kind}changes"
            for action in ("get", "peek")
            for kind in ("", "binary_")
        ),
    }
    assert missing == executing
