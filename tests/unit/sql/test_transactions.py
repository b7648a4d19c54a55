"""Transactions of a session: which statements begin and end one, and what a ROLLBACK undoes."""

from __future__ import annotations

import json

import pytest

from lineage.sql import (
    Effect,
    Session,
    merge_effects,
    read_statements,
    statement_from_json,
    statement_to_json,
)


def run_text(text: str, dialect: str) -> tuple[Session, list[Effect]]:
    """Apply the statements of a text as a log stores them."""
    session = Session(dialect, "db", "public")
    stored = [json.loads(json.dumps(statement_to_json(s))) for s in read_statements(text, dialect)]
    return session, [session.apply_statement(statement_from_json(each)) for each in stored]


def written_tables(text: str, dialect: str) -> set[str]:
    """Return the tables that a text wrote and did not roll back, in lower case."""
    _, effects = run_text(text, dialect)
    return {flow.target[-1].lower() for flow in merge_effects(effects).flows}


def edges_of(text: str, dialect: str) -> dict[str, set[str]]:
    """Return the sources of each table that a text wrote or renamed, in lower case."""
    _, effects = run_text(text, dialect)
    merged = merge_effects(effects)
    edges: dict[str, set[str]] = {}
    for flow in merged.flows:
        sources = edges.setdefault(flow.target[-1].lower(), set())
        sources.update(source[-1].lower() for source in flow.sources)
    for old, new in merged.renames:
        edges.setdefault(new[-1].lower(), set()).add(old[-1].lower())
    return edges


@pytest.mark.parametrize(
    ("dialect", "off"),
    [
        ("mysql", "SET AUTOCOMMIT = 0"),
        ("mysql", "SET @@session.autocommit = OFF"),
        ("mysql", "SET SESSION autocommit=0"),
        ("mysql", "SET @@autocommit := 0"),
        ("mysql", "SET NAMES utf8mb4; SET sql_mode = '', autocommit = 'off'"),
        ("snowflake", "ALTER SESSION SET AUTOCOMMIT = FALSE"),
    ],
)
def test_without_autocommit_writes_count_once_committed(dialect: str, off: str) -> None:
    text = f"""{off}; INSERT INTO a SELECT * FROM s; ROLLBACK; INSERT INTO b SELECT * FROM s;
        COMMIT; INSERT INTO c SELECT * FROM s"""
    session, _ = run_text(text, dialect)
    assert written_tables(text, dialect) == {"b"}
    [pending] = session.pending_effects
    assert pending.flows[0].target[-1].lower() == "c"


@pytest.mark.parametrize(
    ("dialect", "on"),
    [
        ("mysql", "SET autocommit = 1"),
        ("mysql", "SET autocommit = DEFAULT"),
        ("mysql", "SET autocommit = @old_autocommit"),
        ("snowflake", "ALTER SESSION SET AUTOCOMMIT = TRUE"),
        ("snowflake", "ALTER SESSION UNSET AUTOCOMMIT"),
    ],
)
def test_autocommit_commits_when_it_is_switched_on(dialect: str, on: str) -> None:
    off = "SET autocommit = 0" if dialect == "mysql" else "ALTER SESSION SET AUTOCOMMIT = FALSE"
    text = f"{off}; INSERT INTO a SELECT * FROM s; {on}; INSERT INTO b SELECT * FROM s; ROLLBACK"
    assert written_tables(text, dialect) == {"a", "b"}


@pytest.mark.parametrize(
    "setting", ["SET GLOBAL autocommit = 0", "SET @@global.autocommit = 0", "SET @autocommit = 0"]
)
def test_other_settings_of_mysql_do_not_begin_a_transaction(setting: str) -> None:
    assert written_tables(f"{setting}; INSERT INTO a SELECT * FROM s; ROLLBACK", "mysql") == {"a"}


def test_autocommit_by_an_expression_is_reported() -> None:
    _, effects = run_text("SET autocommit = (SELECT 1)", "mysql")
    assert merge_effects(effects).unresolved == ("whether autocommit is on is not known",)


@pytest.mark.parametrize(
    ("dialect", "end", "expected"),
    [
        ("postgres", "COMMIT AND CHAIN", {"a"}),
        ("postgres", "ROLLBACK AND CHAIN", set()),
        ("postgres", "COMMIT AND NO CHAIN", {"a", "b"}),
        ("mysql", "COMMIT WORK AND CHAIN", {"a"}),
        ("mysql", "ROLLBACK AND NO CHAIN", {"b"}),
    ],
)
def test_and_chain_begins_the_next_transaction(dialect: str, end: str, expected: set[str]) -> None:
    begin = "START TRANSACTION" if dialect == "mysql" else "BEGIN"
    text = f"""{begin}; INSERT INTO a SELECT * FROM s; {end};
        INSERT INTO b SELECT * FROM s; ROLLBACK"""
    assert written_tables(text, dialect) == expected


@pytest.mark.parametrize(("end", "expected"), [("COMMIT", {"a"}), ("ROLLBACK", set())])
def test_xa_transactions_of_mysql_end_by_their_commit(end: str, expected: set[str]) -> None:
    text = f"""XA START 'x'; INSERT INTO a SELECT * FROM s; XA END 'x'; XA PREPARE 'x';
        XA {end} 'x'"""
    assert written_tables(text, "mysql") == expected


@pytest.mark.parametrize(
    ("dialect", "statement", "expected"),
    [
        ("mysql", "CREATE TABLE x AS SELECT * FROM s", {"a", "x"}),
        ("mysql", "CREATE TEMPORARY TABLE x AS SELECT * FROM s", set()),
        ("mysql", "DROP TABLE x", {"a"}),
        ("mysql", "DROP TEMPORARY TABLE x", set()),
        ("mysql", "TRUNCATE TABLE x", {"a", "x"}),
        ("mysql", "RENAME TABLE x TO y", {"a"}),
        ("mysql", "BEGIN", {"a"}),
        ("mysql", "START TRANSACTION READ ONLY", {"a"}),
        ("mysql", "LOCK TABLES x WRITE", {"a"}),
        ("mysql", "GRANT SELECT ON x TO u", {"a"}),
        ("snowflake", "CREATE TABLE x (i INT)", {"a", "x"}),
        ("snowflake", "TRUNCATE TABLE x", set()),
        ("snowflake", "BEGIN", set()),
        ("snowflake", "ALTER SESSION SET QUERY_TAG = 'q'", set()),
        ("redshift", "TRUNCATE x", {"a", "x"}),
        ("redshift", "CREATE TABLE x (i INT)", set()),
        ("postgres", "TRUNCATE x", set()),
        ("postgres", "CREATE TABLE x AS SELECT * FROM s", set()),
        ("oracle", "CREATE TABLE x AS SELECT * FROM s", {"a", "x"}),
        ("oracle", "ALTER SESSION SET NLS_DATE_FORMAT = 'YYYY'", set()),
    ],
)
def test_a_definition_commits_what_is_pending_where_the_database_does(
    dialect: str, statement: str, expected: set[str]
) -> None:
    begin = {"oracle": "COMMIT", "mysql": "START TRANSACTION"}.get(dialect, "BEGIN")
    text = f"{begin}; INSERT INTO a SELECT * FROM s; {statement}; ROLLBACK"
    assert written_tables(text, dialect) == expected


def test_in_oracle_what_is_not_rolled_back_counts() -> None:
    text = """INSERT INTO a SELECT * FROM s; COMMIT; INSERT INTO a SELECT * FROM r;
        INSERT INTO b SELECT * FROM s; ROLLBACK; INSERT INTO c SELECT * FROM s; SAVEPOINT p;
        INSERT INTO d SELECT * FROM s; ROLLBACK TO p; INSERT INTO e SELECT * FROM s"""
    assert edges_of(text, "oracle") == {"a": {"s"}, "c": {"s"}, "e": {"s"}}
    assert not run_text(text, "oracle")[0].pending_effects


@pytest.mark.parametrize(
    ("dialect", "rename"),
    [("postgres", "ALTER TABLE n RENAME TO m"), ("tsql", "EXEC sp_rename 'n', 'm'")],
)
def test_a_rollback_undoes_renames_and_drops(dialect: str, rename: str) -> None:
    begin, create = ("BEGIN TRAN", "SELECT * INTO n FROM s") if dialect == "tsql" else (
        "BEGIN", "CREATE TABLE n AS SELECT * FROM s"
    )  # fmt: skip
    text = f"{create}; {begin}; DROP TABLE other; {rename}; ROLLBACK"
    assert edges_of(text, dialect) == {"n": {"s"}}
    assert not merge_effects(run_text(text, dialect)[1]).drops


@pytest.mark.parametrize(("begin", "end"), [("", ""), ("BEGIN;", "COMMIT;")])
def test_a_commit_keeps_the_order_of_renames_and_writes(begin: str, end: str) -> None:
    text = f"""{begin} INSERT INTO t SELECT * FROM x; ALTER TABLE t RENAME TO t_old;
        CREATE TABLE t AS SELECT * FROM s; {end}"""
    assert edges_of(text, "postgres") == {"t_old": {"x"}, "t": {"s"}}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            """ALTER TABLE t RENAME TO t_old; CREATE TABLE t AS SELECT * FROM s;
            DROP TABLE t_old;""",
            {"t": {"s"}},
        ),
        (
            """INSERT INTO t SELECT * FROM s; ALTER TABLE t RENAME TO t2;
            ALTER TABLE t2 RENAME TO t;""",
            {"t": {"s"}},
        ),
        (
            """INSERT INTO t SELECT * FROM x; ALTER TABLE t RENAME TO t_old;
            CREATE TABLE t AS SELECT * FROM s;""",
            {"t": {"s"}, "t_old": {"x"}},
        ),
    ],
)
@pytest.mark.parametrize(
    "text",
    [
        "DO $$ BEGIN {} END $$",
        "CREATE PROCEDURE p() AS $$ BEGIN {} END $$ LANGUAGE plpgsql; CALL p()",
        "CREATE PROCEDURE p() AS $$ BEGIN {} END $$ LANGUAGE plpgsql; BEGIN; CALL p(); COMMIT",
    ],
)
def test_a_body_keeps_the_order_of_renames_and_writes(
    text: str, body: str, expected: dict[str, set[str]]
) -> None:
    assert edges_of(text.format(body), "postgres") == expected


def test_two_renames_back_and_forth_are_no_exchange() -> None:
    text = "INSERT INTO t SELECT * FROM s; RENAME TABLE t TO u, u TO t"
    assert edges_of(text, "mysql") == {"t": {"s"}}


def test_a_rollback_to_a_savepoint_undoes_the_renames_after_it() -> None:
    text = """BEGIN; CREATE TABLE n AS SELECT * FROM s; SAVEPOINT p; ALTER TABLE n RENAME TO m;
        ROLLBACK TO p; COMMIT"""
    assert edges_of(text, "postgres") == {"n": {"s"}}


def test_a_swap_exchanges_two_tables() -> None:
    text = """INSERT INTO t SELECT * FROM old_src; INSERT INTO t_stage SELECT * FROM s;
        ALTER TABLE t SWAP WITH t_stage"""
    assert edges_of(text, "snowflake") == {"t": {"s"}, "t_stage": {"old_src"}}


def test_a_swap_exchanges_temporary_tables() -> None:
    text = """CREATE TEMP TABLE x AS SELECT * FROM s; CREATE TEMP TABLE y AS SELECT * FROM r;
        ALTER TABLE x SWAP WITH y; CREATE TABLE t AS SELECT * FROM x"""
    assert edges_of(text, "snowflake") == {"t": {"r"}}


@pytest.mark.parametrize(
    ("before", "source"),
    [("CREATE OR REPLACE TABLE t_stage AS SELECT * FROM s;", "s"), ("", "t_stage")],
)
def test_a_table_that_was_swapped_and_dropped_leaves_no_trace(before: str, source: str) -> None:
    text = f"{before} ALTER TABLE t SWAP WITH t_stage; DROP TABLE t_stage"
    assert edges_of(text, "snowflake") == {"t": {source}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("RENAME TABLE a TO b; RENAME TABLE b TO c; DROP TABLE c", {}),
        ("RENAME TABLE a TO b; RENAME TABLE b TO c", {"b": {"a"}, "c": {"b"}}),
        ("RENAME TABLE t TO t_old; RENAME TABLE n TO t; DROP TABLE t_old", {"t": {"n"}}),
        (
            """RENAME TABLE a TO b; CREATE TABLE t AS SELECT * FROM b; RENAME TABLE b TO c;
            DROP TABLE c""",
            {"b": {"a"}, "t": {"b"}},
        ),
    ],
)
def test_a_table_that_was_renamed_and_dropped_leaves_no_trace(
    text: str, expected: dict[str, set[str]]
) -> None:
    assert edges_of(text, "mysql") == expected


def test_renames_of_mysql_are_one_after_the_other() -> None:
    text = """CREATE TABLE b AS SELECT * FROM new_src; INSERT INTO a SELECT * FROM old_src;
        RENAME TABLE a TO tmp, b TO a, tmp TO b"""
    assert edges_of(text, "mysql") == {"a": {"new_src"}, "b": {"old_src"}}


MAYBE = "whether the ROLLBACK of a condition was executed is not known"


@pytest.mark.parametrize(
    ("dialect", "text", "reasons"),
    [
        (
            "bigquery",
            """BEGIN BEGIN TRANSACTION; INSERT INTO d.t SELECT * FROM d.s; COMMIT TRANSACTION;
            EXCEPTION WHEN ERROR THEN SELECT 1; ROLLBACK TRANSACTION; END""",
            (),
        ),
        (
            "bigquery",
            """BEGIN BEGIN TRANSACTION; INSERT INTO d.t SELECT * FROM d.s;
            IF n = 0 THEN ROLLBACK; ELSE COMMIT; END IF; END""",
            (MAYBE,),
        ),
        (
            "snowflake",
            """BEGIN BEGIN TRANSACTION; INSERT INTO t SELECT * FROM s; REPEAT n := 1; UNTIL (n > 0)
            END REPEAT; IF (n = 0) THEN ROLLBACK; END IF; COMMIT;
            EXCEPTION WHEN OTHER THEN ROLLBACK; RAISE; END""",
            (MAYBE,),
        ),
        (
            "snowflake",
            """BEGIN BEGIN TRANSACTION; INSERT INTO u SELECT * FROM s; REPEAT n := 1; UNTIL (n > 0)
            END REPEAT; ROLLBACK; INSERT INTO t SELECT * FROM s; END""",
            (),
        ),
        (
            "databricks",
            """BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION ROLLBACK; BEGIN TRANSACTION;
            INSERT INTO t SELECT * FROM s; COMMIT; END""",
            (),
        ),
        (
            "databricks",
            """BEGIN BEGIN TRANSACTION; INSERT INTO t SELECT * FROM s;
            BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END; END;
            COMMIT; END""",
            (),
        ),
    ],
)  # fmt: skip
def test_a_rollback_of_a_branch_undoes_nothing(
    dialect: str, text: str, reasons: tuple[str, ...]
) -> None:
    assert written_tables(text, dialect) == {"t"}
    assert merge_effects(run_text(text, dialect)[1]).unresolved == reasons


@pytest.mark.parametrize(
    "text", ["{}", "CREATE PROCEDURE p AS {}\nGO\nEXEC p"], ids=["script", "procedure"]
)
def test_a_rollback_in_catch_undoes_nothing(text: str) -> None:
    body = """BEGIN TRAN; BEGIN TRY INSERT INTO t SELECT * FROM s END TRY
        BEGIN CATCH ROLLBACK; THROW END CATCH COMMIT"""
    assert written_tables(text.format(body), "tsql") == {"t"}
    merged = merge_effects(run_text(text.format(body), "tsql")[1])
    assert MAYBE in merged.unresolved


@pytest.mark.parametrize("begin", ["lab: LOOP", "lab: WHILE n > 0 DO", "lab: REPEAT"])
def test_a_label_of_mysql_hides_no_statement(begin: str) -> None:
    end = {"LOOP": "END LOOP", "REPEAT": "UNTIL n END REPEAT"}.get(begin[5:], "END WHILE")
    body = f"{begin} INSERT INTO t SELECT * FROM s; {end} lab;"
    text = f"CREATE PROCEDURE p() BEGIN {body} END; CALL p()"
    assert written_tables(text, "mysql") == {"t"}


@pytest.mark.parametrize(
    ("dialect", "body", "expected"),
    [
        ("oracle", "INSERT INTO t SELECT * FROM s; COMMIT;", {"a", "t"}),
        ("oracle", "EXECUTE IMMEDIATE 'TRUNCATE TABLE t';", {"a", "t"}),
        ("oracle", "EXECUTE IMMEDIATE v;", {"a"}),
        ("oracle", "q();", {"a"}),
        ("oracle", "INSERT INTO t SELECT * FROM s;", set()),
        ("oracle", "PRAGMA AUTONOMOUS_TRANSACTION; BEGIN COMMIT;", set()),
        ("mysql", "INSERT INTO t SELECT * FROM s; COMMIT;", {"a", "t"}),
        ("mysql", "CREATE TABLE t AS SELECT * FROM s;", {"a", "t"}),
        ("mysql", "INSERT INTO t SELECT * FROM s;", set()),
    ],
)
def test_a_routine_that_commits_commits_the_transaction_of_its_caller(
    dialect: str, body: str, expected: set[str]
) -> None:
    if dialect == "mysql":
        create, begin = f"CREATE PROCEDURE p() BEGIN {body} END;", "BEGIN;"
    else:
        begin = "" if body.startswith("PRAGMA") else "BEGIN"
        create, begin = f"CREATE PROCEDURE p AS {begin} {body} END;\n/\n", ""
    text = f"{create} {begin} INSERT INTO a SELECT * FROM s; CALL p(); ROLLBACK;"
    assert written_tables(text, dialect) == expected


@pytest.mark.parametrize(
    ("dialect", "body", "expected"),
    [
        (
            "oracle",
            "INSERT INTO t SELECT * FROM s; ROLLBACK; INSERT INTO u SELECT * FROM s;",
            {"u"},
        ),
        ("oracle", "INSERT INTO t SELECT * FROM s; COMMIT; ROLLBACK;", {"a", "t"}),
        ("oracle", "IF n = 0 THEN ROLLBACK; END IF; INSERT INTO t SELECT * FROM s;", {"a", "t"}),
        ("mysql", "INSERT INTO t SELECT * FROM s; ROLLBACK;", set()),
        ("tsql", "BEGIN TRAN; INSERT INTO t SELECT * FROM s; ROLLBACK", set()),
        ("snowflake", "BEGIN TRANSACTION; INSERT INTO t SELECT * FROM s; ROLLBACK;", {"a"}),
    ],
)
def test_a_rollback_of_a_routine_undoes_what_precedes_it(
    dialect: str, body: str, expected: set[str]
) -> None:
    begin, create = {
        "oracle": ("", f"CREATE PROCEDURE p AS BEGIN {body} END;\n/\n"),
        "mysql": ("BEGIN;", f"CREATE PROCEDURE p() BEGIN {body} END;"),
        "snowflake": ("BEGIN;", f"CREATE PROCEDURE p() AS $$ BEGIN {body} END $$;"),
        "tsql": ("BEGIN TRAN;", f"CREATE PROCEDURE p AS {body}\nGO\n"),
    }[dialect]
    call = "EXEC p" if dialect == "tsql" else "CALL p()"
    text = f"{create} {begin} INSERT INTO a SELECT * FROM s; {call}; COMMIT;"
    assert written_tables(text, dialect) == expected


def test_a_prepared_transaction_of_another_session_is_reported() -> None:
    (statement,) = read_statements("COMMIT PREPARED 'order 7'", "postgres")
    assert "order" not in repr(statement)
    effect = Session("postgres", "db", "public").apply_statement(statement)
    assert effect.unresolved == (
        "what another session wrote in a prepared transaction is not known",
    )
