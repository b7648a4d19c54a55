"""Transactions in logs: what counts is what the server committed."""

from __future__ import annotations

import json

import pytest
from support.query_logs import fold_rows, later_row, make_row

from lineage.readers.log_source import LogSource
from lineage.readers.query_logs.importing import convert_rows
from lineage.readers.query_logs.rows import Kind, Row
from lineage.readers.report import ImportReport


def session_rows(statements: list[str], **fields: object) -> list[Row]:
    """Return the rows of a session until its end; ``!`` marks what failed."""
    rows = [
        make_row(
            number, text.lstrip("!"), kind=Kind.STATEMENT, position=number,
            failed=text.startswith("!"), **fields,
        )
        for number, text in enumerate(statements)
    ]  # fmt: skip
    return [*rows, make_row(len(rows), kind=Kind.END, position=len(rows))]


def written_tables(statements: list[str], dialect: str) -> set[str]:
    """Return the tables that a session wrote before it ended; ``!`` marks what failed."""
    outputs = fold_rows([*session_rows(statements), later_row()], dialect)["load"].outputs
    return {name.rpartition(".")[2].lower() for name in outputs}


CREATE = "CREATE PROCEDURE d.p AS BEGIN INSERT INTO d.t SELECT * FROM d.s; {} END;"
INSERT = "INSERT INTO t SELECT * FROM s"
PUBLIC = {"sales.public.t": {"sales.public.s"}}
A, B, C = (f"INSERT INTO d.{name} SELECT * FROM d.s" for name in "abc")


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        (["SET autocommit=0", A, "ROLLBACK", B, "COMMIT", C], {"b"}),
        (["SET @@session.autocommit = OFF", A, "SET autocommit = 1", B], {"a", "b"}),
        (["START TRANSACTION", A, "TRUNCATE TABLE d.x"], {"a", "x"}),
        (["BEGIN", A, "CREATE TABLE d.x AS SELECT * FROM d.s", "ROLLBACK"], {"a", "x"}),
        (["BEGIN", A, "!CREATE TABLE d.x AS SELECT * FROM d.s", "ROLLBACK"], {"a"}),
        (["BEGIN", A, "CREATE TEMPORARY TABLE d.x AS SELECT * FROM d.s", "ROLLBACK"], set()),
        (["BEGIN", A, "BEGIN", B, "ROLLBACK"], {"a"}),
        (["BEGIN", A, "COMMIT AND CHAIN", B], {"a"}),
        (["XA START 'x'", A, "XA END 'x'", "XA COMMIT 'x' ONE PHASE", B], {"a", "b"}),
    ],
)
def test_a_session_of_mysql_writes_its_committed_statements(
    statements: list[str], expected: set[str]
) -> None:
    assert written_tables(statements, "mysql") == expected


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ([A, "ROLLBACK", B], {"b"}),
        ([A, "COMMIT", B, "ROLLBACK"], {"a"}),
        ([A, "CREATE TABLE d.x AS SELECT * FROM d.s", B, "ROLLBACK"], {"a", "x"}),
        ([A, "!DROP TABLE d.x", B, "ROLLBACK"], {"a"}),
        ([A, "SAVEPOINT p", B, "ROLLBACK TO p", C], {"a", "c"}),
        ([A, "SAVEPOINT p", "COMMIT", B, "ROLLBACK TO p", C], {"a", "c"}),
        ([CREATE.format("COMMIT;"), A, "CALL d.p()", B, "ROLLBACK"], {"a", "t"}),
        ([CREATE.format(""), A, "CALL d.p()", B, "ROLLBACK", C], {"c"}),
        ([A, "CALL d.unknown()", B, "ROLLBACK"], {"a"}),
    ],
)
def test_a_rollback_of_oracle_undoes_what_follows_the_last_commit(
    statements: list[str], expected: set[str]
) -> None:
    assert written_tables(statements, "oracle") == expected


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        # A COMMIT that fails, by a deferred constraint, ends the transaction.
        (["BEGIN", A, "!COMMIT", "BEGIN", B, "COMMIT"], {"b"}),
        (["BEGIN", A, "!COMMIT", B], {"b"}),
        (["BEGIN", "SAVEPOINT p", A, "!COMMIT", B], {"b"}),
        (["BEGIN", A, "!COMMIT", "ROLLBACK", B], {"b"}),
        # pgaudit logs no ROLLBACK after an error.
        (["BEGIN", A, f"!{B}", "BEGIN", C, "COMMIT"], {"c"}),
        (["BEGIN", A, f"!{B}", C], {"c"}),
        (["BEGIN", A, f"!{B}", "!SELECT 1", "COMMIT", C], {"c"}),
        (["BEGIN", A, "SAVEPOINT p", f"!{B}", "BEGIN", C, "COMMIT"], {"c"}),
        (["BEGIN", A, "SAVEPOINT p", f"!{B}", "DISCARD ALL", C], {"c"}),
        # Nor does it log a ROLLBACK TO.
        (["BEGIN", A, "SAVEPOINT p", B, "!SELECT 1/0", C, "COMMIT"], {"a", "c"}),
        (["BEGIN", A, "SAVEPOINT p", B, "!SELECT 1/0", "RELEASE p", C, "COMMIT"], {"a", "c"}),
        # A BEGIN shows that the statements before it were in no transaction.
        (["BEGIN", A, "SAVEPOINT p", "!SELECT 1/0", B, "BEGIN", C, "ROLLBACK"], {"b"}),
    ],
)
def test_a_statement_that_succeeds_after_an_error_is_in_no_aborted_transaction(
    statements: list[str], expected: set[str]
) -> None:
    assert written_tables(statements, "postgres") == expected


def test_an_error_in_one_of_several_savepoints_leaves_open_what_is_undone() -> None:
    """A ROLLBACK TO of either savepoint may have been executed, of which pgaudit logs none."""
    statements = ["BEGIN", A, "SAVEPOINT p", B, "SAVEPOINT q", "!SELECT 1/0"]
    rows = session_rows([*statements, C, "COMMIT"])
    run = fold_rows([*rows, later_row()], "postgres")["load"]
    assert run.outputs.keys() == {"sales.d.a", "sales.d.c"}
    assert run.unresolved == {"what was rolled back to a savepoint after an error is not known"}
    assert written_tables([*statements, "RELEASE q", C, "COMMIT"], "postgres") == {"a", "b", "c"}
    rows = session_rows([*statements, "RELEASE p", C, "COMMIT"])
    run = fold_rows([*rows, later_row()], "postgres")["load"]
    assert run.unresolved == {"what was rolled back to a savepoint after an error is not known"}


def test_a_rolled_back_search_path_and_temporary_table_are_gone_after_an_error() -> None:
    statements = ["BEGIN", "SET search_path TO x", "CREATE TEMP TABLE n AS SELECT * FROM d.s"]
    statements += ["!COMMIT", "INSERT INTO m SELECT * FROM n"]
    run = fold_rows([*session_rows(statements, schema="d"), later_row()], "postgres")["load"]
    assert run.outputs == {"sales.d.m": {"sales.d.n"}}


LOCAL_PATH = "SET LOCAL search_path TO core"
LOCAL_CONFIG = "SELECT set_config('search_path', 'core', true)"
LOCAL_TABLE = "CREATE TEMP TABLE s ON COMMIT DROP AS SELECT * FROM u"


@pytest.mark.parametrize(
    ("local", "inside"),
    [
        (LOCAL_PATH, {"sales.core.t": {"sales.core.s"}}),
        (LOCAL_CONFIG, {"sales.core.t": {"sales.core.s"}}),
        (LOCAL_TABLE, {"sales.public.t": {"sales.public.u"}}),
    ],
)
def test_what_is_local_outside_of_begin_ends_with_its_text(
    local: str, inside: dict[str, set[str]]
) -> None:
    """PostgreSQL warns that SET LOCAL can only be used in transaction blocks."""
    for statements, expected in [
        ([local, INSERT], PUBLIC),
        ([f"{local}; {INSERT}"], inside),
        ([f"{local}; SELECT 1", INSERT], PUBLIC),
        (["BEGIN", local, INSERT, "COMMIT"], inside),
        (["BEGIN", local, "SELECT 1", "COMMIT", INSERT], PUBLIC),
    ]:
        rows = session_rows(statements, schema="public")
        assert fold_rows([*rows, later_row()], "postgres")["load"].outputs == expected


def test_what_is_local_lasts_until_the_end_of_a_pipeline() -> None:
    """Its statements have one virtual id until its Sync, also without BEGIN."""
    rows = session_rows([LOCAL_PATH, INSERT, "SELECT 1"], schema="public", transaction="3/7")
    outputs = fold_rows([*rows, later_row()], "postgres")["load"].outputs
    assert outputs == {"sales.core.t": {"sales.core.s"}}
    rows = [row._replace(transaction=f"3/{number}") for number, row in enumerate(rows)]
    assert fold_rows([*rows, later_row()], "postgres")["load"].outputs == PUBLIC


def test_a_rollback_to_a_savepoint_undoes_what_a_driver_began() -> None:
    """The log of SQL Server does not show the BEGIN of its drivers."""
    statements = [A, "SAVE TRAN p", B, "ROLLBACK TRAN p", C]
    assert written_tables(statements, "tsql") == {"a", "c"}


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ([f"{A}; ROLLBACK"], set()),
        ([f"{A}; BEGIN; {B}; ROLLBACK; {C}"], {"c"}),
        ([f"{A}; COMMIT; {B}; ROLLBACK"], {"a"}),
        ([f"{A}; {B}"], {"a", "b"}),
        ([A, f"{B}; ROLLBACK"], {"a"}),
        (["BEGIN", A, f"{B}; COMMIT; {C}; ROLLBACK"], {"a", "b"}),
    ],
)
def test_a_text_of_postgresql_is_one_transaction(statements: list[str], expected: set[str]) -> None:
    assert written_tables(statements, "postgres") == expected


PREPARE, OTHER = "PREPARE TRANSACTION 'g'", "PREPARE TRANSACTION 'h'"


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        (["BEGIN", A, PREPARE, B, "COMMIT PREPARED 'g'"], {"a", "b"}),
        (["BEGIN", A, PREPARE, "BEGIN", B, "COMMIT", "ROLLBACK PREPARED 'g'"], {"b"}),
        (["BEGIN", A, PREPARE, "BEGIN", B, "COMMIT", "COMMIT PREPARED 'g'"], {"a", "b"}),
        (["BEGIN", A, PREPARE, "BEGIN", B, "ROLLBACK", "COMMIT PREPARED 'g'"], {"a"}),
        (
            ["BEGIN", A, PREPARE, "BEGIN", B, OTHER, "COMMIT PREPARED 'h'"],
            {"b"},
        ),
        (["BEGIN", A, "!SELECT 1/0", PREPARE, B], {"b"}),
    ],
)
def test_a_prepared_transaction_of_postgresql(statements: list[str], expected: set[str]) -> None:
    assert written_tables(statements, "postgres") == expected


def test_a_rename_that_was_rolled_back_is_no_output() -> None:
    statements = ["BEGIN", A, "ALTER TABLE d.n RENAME TO m", "SAVEPOINT p", B, "ROLLBACK TO p"]
    assert written_tables([*statements, "COMMIT"], "postgres") == {"a", "m"}
    assert written_tables([*statements, "ROLLBACK"], "postgres") == set()


@pytest.mark.parametrize(
    ("dialect", "before", "after", "expected"),
    [
        ("postgres", ["SET search_path TO core"], [INSERT], {"sales.core.t": {"sales.core.s"}}),
        ("postgres", ["BEGIN", "SET LOCAL search_path TO core", "COMMIT"], [INSERT], PUBLIC),
        ("postgres", ["SET search_path TO core", "DISCARD ALL"], [INSERT], PUBLIC),
        (
            "postgres",
            ["CREATE TEMP TABLE s AS SELECT * FROM u"],
            [INSERT],
            {"sales.public.t": {"sales.public.u"}},
        ),
        ("postgres", ["SET search_path TO core", "END"], [INSERT], PUBLIC),
        ("postgres", ["BEGIN", INSERT], ["COMMIT"], {"sales.public.t": {"sales.public.s"}}),
        ("postgres", ["BEGIN", INSERT, "SELECT 1"], ["ROLLBACK", "COMMIT"], {}),
        ("postgres", ["BEGIN"], [INSERT, "ROLLBACK"], {}),
        ("mysql", ["BEGIN", "COMMIT AND CHAIN"], [INSERT, "ROLLBACK"], {}),
        ("mysql", ["SET autocommit = 0"], [INSERT, "ROLLBACK"], {}),
        ("mysql", ["SET autocommit = 0"], [INSERT, "COMMIT"], {"sales.t": {"sales.s"}}),
        ("mysql", ["SET autocommit = 0", INSERT], ["COMMIT"], {"sales.t": {"sales.s"}}),
    ],
)
def test_a_session_goes_on_after_a_pause(
    dialect: str, before: list[str], after: list[str], expected: dict[str, set[str]]
) -> None:
    """Pools set the search path and autocommit once, when they connect."""
    fields: dict[str, object] = {"process": "", "kind": Kind.STATEMENT, "schema": "public"}
    rows = [make_row(number, text, **fields) for number, text in enumerate(before)]
    if before[-1] == "END":
        rows[-1] = rows[-1]._replace(kind=Kind.END, text="")
    pause = 45 * 60
    rows += [
        make_row(pause + number, text, job="later", **fields) for number, text in enumerate(after)
    ]
    end = later_row()._replace(job="end")
    assert fold_rows([*rows, end], dialect)["later"].outputs == expected


def test_a_body_writes_and_renames_in_its_order() -> None:
    """The table exists at the end, although it was dropped."""
    body = "DROP TABLE d.t; CREATE TABLE d.t AS SELECT * FROM d.s;"
    rows = [make_row(0, f"DO $$ BEGIN {body} END $$", kind=Kind.STATEMENT)]
    source = LogSource("postgres://db:5432", "postgres", "", database="sales")
    placed = (("row", row) for row in [*rows, later_row()])
    events = [json.loads(event) for event in convert_rows(source, placed, ImportReport())]
    modes = {
        output["outputFacets"]["lineage_write"]["mode"]
        for event in events
        for output in event["outputs"]
    }
    assert modes == {"create"}


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("SET search_path TO x, y", "the schema of {} depends on the search path"),
        ("SELECT set_config('search_path', $1, false)", "the schema of {} is not known"),
    ],
)
def test_the_schema_of_a_table_is_unresolved_and_not_its_database(path: str, reason: str) -> None:
    run = fold_rows([*session_rows([path, INSERT], schema="public"), later_row()], "postgres")
    reasons = {each for each in run["load"].unresolved if "set_config" not in each}
    assert reasons == {reason.format(table) for table in "st"}
