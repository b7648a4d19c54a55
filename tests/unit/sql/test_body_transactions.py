"""Transactions in bodies of routines and in blocks: what remains of what they write."""

from __future__ import annotations

import pytest

from lineage.sql import Effect, Session, merge_effects, read_statements

A, B, C = (f"INSERT INTO {name} SELECT * FROM s" for name in "abc")
CONDITION = "whether the ROLLBACK of a condition was executed is not known"


def run_all(dialect: str, *texts: str) -> Effect:
    """Return what a session did that executes texts, one after the other."""
    session = Session(dialect, "db", "dbo")
    statements = [each for text in texts for each in read_statements(text, dialect)]
    return merge_effects([session.apply_statement(each) for each in statements])


def tables_of(effect: Effect) -> set[str]:
    return {flow.target[-1].lower() for flow in effect.flows}


@pytest.mark.parametrize(
    ("body", "calls", "expected"),
    [
        (f"START TRANSACTION; {A};", "CALL p(); ROLLBACK", set()),
        (f"START TRANSACTION; {A};", "CALL p(); COMMIT", {"a"}),
        (f"{A}; START TRANSACTION; {B};", "CALL p(); ROLLBACK", {"a"}),
        (f"{A}; START TRANSACTION; {B}; ROLLBACK;", "CALL p()", {"a"}),
        (f"START TRANSACTION; {A}; COMMIT;", f"BEGIN; {B}; CALL p(); ROLLBACK", {"a", "b"}),
        (f"START TRANSACTION; {A};", f"START TRANSACTION; {B}; CALL p(); ROLLBACK", {"b"}),
        (f"{A}; ROLLBACK;", "CALL p()", {"a"}),
        (f"{A}; ROLLBACK;", "START TRANSACTION; CALL p(); COMMIT", set()),
        (f"SAVEPOINT s1; {A}; ROLLBACK TO S1;", f"START TRANSACTION; {B}; CALL p(); COMMIT", {"b"}),
        (f"SET autocommit = 0; {A}; ROLLBACK; {B}; COMMIT; SET autocommit = 1;", "CALL p()", {"b"}),
    ],
)  # fmt: skip
def test_transactions_in_a_procedure_of_mysql(body: str, calls: str, expected: set[str]) -> None:
    effect = run_all("mysql", f"CREATE PROCEDURE p() BEGIN {body} END", calls)
    assert (tables_of(effect), effect.unresolved) == (expected, ())


@pytest.mark.parametrize(
    ("body", "calls", "expected"),
    [
        (f"SAVE TRAN s; {A}; ROLLBACK TRAN s; {B}", "EXEC dbo.p", {"b"}),
        (f"BEGIN TRAN; {A}; ROLLBACK; {B}", "EXEC dbo.p", {"b"}),
        (f"BEGIN TRAN; {A}", "EXEC dbo.p; ROLLBACK", set()),
        (f"BEGIN TRAN; {A}; COMMIT; {B}", f"BEGIN TRAN; {C}; EXEC dbo.p; COMMIT", {"a", "b", "c"}),
        (f"BEGIN TRAN; {A}; COMMIT; {B}", f"BEGIN TRAN; {C}; EXEC dbo.p; ROLLBACK", set()),
    ],
)
def test_transactions_in_a_procedure_of_sql_server(
    body: str, calls: str, expected: set[str]
) -> None:
    effect = run_all("tsql", f"CREATE PROC dbo.p AS BEGIN {body} END", *calls.split(";"))
    assert (tables_of(effect), effect.unresolved) == (expected, ())


def routines_of(dialect: str, **bodies: str) -> list[str]:
    if dialect == "oracle":
        return [f"CREATE PROCEDURE {n} IS BEGIN {b} END;\n/\n" for n, b in bodies.items()]
    if dialect == "tsql":
        return [f"CREATE PROC dbo.{name} AS BEGIN {body} END" for name, body in bodies.items()]
    head = "LANGUAGE plpgsql AS $$" if dialect == "postgres" else ""
    tail = "$$" if head else ""
    return [f"CREATE PROCEDURE {n}() {head} BEGIN {b} END {tail}" for n, b in bodies.items()]


@pytest.mark.parametrize(
    ("dialect", "inner", "outer", "expected"),
    [
        ("oracle", f"{A}; COMMIT;", f"{C}; q; {B}; ROLLBACK;", {"a", "c"}),
        ("oracle", f"{A}; COMMIT; {B};", "q; ROLLBACK;", {"a"}),
        ("oracle", f"{A}; ROLLBACK;", f"{C}; q; {B};", {"b"}),
        ("mysql", f"{B}; COMMIT;", f"START TRANSACTION; {A}; CALL q(); {C};", {"a", "b", "c"}),
        ("mysql", f"{A}; ROLLBACK;", f"START TRANSACTION; {B}; CALL q(); {C};", {"c"}),
        ("postgres", "COMMIT;", f"{A}; CALL q(); {B}; ROLLBACK;", {"a"}),
        ("tsql", f"BEGIN TRAN; {B}; COMMIT", f"BEGIN TRAN; {A}; EXEC dbo.q; ROLLBACK", set()),
        ("tsql", f"BEGIN TRAN t1; {A}; ROLLBACK TRAN t1; {B}", f"EXEC dbo.q; {C}", {"b", "c"}),
    ],
)
def test_an_invoked_routine_ends_the_transaction_of_its_caller(
    dialect: str, inner: str, outer: str, expected: set[str]
) -> None:
    call = {"oracle": "EXEC p\n", "tsql": "EXEC dbo.p"}.get(dialect, "CALL p()")
    effect = run_all(dialect, *routines_of(dialect, q=inner, p=outer), call)
    assert (tables_of(effect), effect.unresolved) == (expected, ())


@pytest.mark.parametrize(("end", "expected"), [("COMMIT", "abc"), ("ROLLBACK", "bc")])
def test_an_implicit_transaction_begins_at_the_next_statement(end: str, expected: str) -> None:
    on, off = (f"SET IMPLICIT_TRANSACTIONS {word}" for word in ("ON", "OFF"))
    assert tables_of(run_all("tsql", on, A, end, off, B, C)) == set(expected)
    body = f"{on}; {A}; {end}; {off}; {B}"
    assert tables_of(run_all("tsql", f"CREATE PROC dbo.p AS {body}", "EXEC dbo.p", C)) == set(
        expected
    )


def test_a_rollback_to_a_savepoint_of_the_caller_is_reported() -> None:
    effect = run_all("mysql", f"CREATE PROCEDURE p() BEGIN {A}; ROLLBACK TO x; END", "CALL p()")
    assert effect.unresolved == ("what a ROLLBACK to the savepoint x undoes is not known",)


def test_a_rollback_in_a_branch_of_a_procedure_is_reported() -> None:
    body = f"START TRANSACTION; {A}; IF @e THEN ROLLBACK; ELSE COMMIT; END IF;"
    effect = run_all("mysql", f"CREATE PROCEDURE p() BEGIN {body} END", "CALL p()")
    assert (tables_of(effect), effect.unresolved) == ({"a"}, (CONDITION,))


def test_a_block_in_a_script_of_snowflake_hides_no_transaction() -> None:
    text = f"{A}; START TRANSACTION; {B}; ROLLBACK; BEGIN LET n := 1; {C}; END;"
    assert tables_of(run_all("snowflake", text)) == {"a", "c"}


def test_a_savepoint_in_a_block_of_oracle_keeps_what_precedes_it() -> None:
    text = f"{A};\nBEGIN SAVEPOINT x; {B}; ROLLBACK TO x; {C}; END;\n/\n"
    assert tables_of(run_all("oracle", text)) == {"a", "c"}


@pytest.mark.parametrize("end", ["COMMIT", "ROLLBACK"])
def test_an_autonomous_transaction_is_not_that_of_its_caller(end: str) -> None:
    body = f"IS PRAGMA AUTONOMOUS_TRANSACTION; BEGIN {A}; {end}; END;\n/\n"
    text = f"CREATE PROCEDURE p {body}{B};\nEXEC p\nROLLBACK;\n{C};"
    assert tables_of(run_all("oracle", text)) == {"c"} | ({"a"} if end == "COMMIT" else set())


@pytest.mark.parametrize(
    ("text", "expected", "reasons"),
    [
        (f"IF OBJECT_ID('w') IS NULL PRINT 1; BEGIN TRAN; {A}; ROLLBACK; BEGIN TRAN; {B}; COMMIT",
         {"b"}, ()),
        (f"BEGIN TRY SELECT 1 END TRY BEGIN CATCH PRINT 1 END CATCH; BEGIN TRAN; {A}; ROLLBACK",
         set(), ()),
        (f"BEGIN TRAN; {A}; IF @@ERROR > 0 BEGIN PRINT 1; ROLLBACK; END BEGIN TRAN; {B}; COMMIT",
         {"a", "b"}, (CONDITION,)),
        (f"BEGIN TRAN; {A}; IF @x > 0 PRINT 1 ELSE ROLLBACK; COMMIT", {"a"}, (CONDITION,)),
        (f"SET IMPLICIT_TRANSACTIONS ON; {A}; ROLLBACK; {B}; COMMIT", {"b"}, ()),
        (f"SET IMPLICIT_TRANSACTIONS OFF; {A}", {"a"}, ()),
    ],
)  # fmt: skip
def test_a_rollback_of_sql_server_counts_unless_it_is_conditional_itself(
    text: str, expected: set[str], reasons: tuple[str, ...]
) -> None:
    effect = run_all("tsql", text)
    assert (tables_of(effect), effect.unresolved) == (expected, reasons)


@pytest.mark.parametrize(
    ("dialect", "expected"), [("postgres", set()), ("mysql", {"a"}), ("oracle", {"a"})]
)
def test_a_second_savepoint_of_one_name_replaces_or_hides_the_first(
    dialect: str, expected: set[str]
) -> None:
    # Released by PostgreSQL, the second savepoint uncovers the first.
    begin = "" if dialect == "oracle" else "BEGIN;"
    release = "RELEASE SAVEPOINT s;" if dialect == "postgres" else ""
    text = f"{begin} SAVEPOINT s; {A}; SAVEPOINT s; {B}; {release} ROLLBACK TO SAVEPOINT s; COMMIT"
    assert tables_of(run_all(dialect, text)) == expected


def test_a_rollback_of_mysql_keeps_a_temporary_table() -> None:
    begin = "BEGIN; CREATE TEMPORARY TABLE t AS SELECT * FROM s; ROLLBACK"
    [flow] = run_all("mysql", begin, "INSERT INTO a SELECT * FROM t").flows
    assert flow.sources == (("db", "s"),)


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("snowflake", "ALTER SCHEMA live SWAP WITH stage"),
        ("snowflake", "ALTER DATABASE live SWAP WITH stage"),
        ("postgres", "ALTER SCHEMA live RENAME TO old"),
    ],
)
def test_other_names_of_a_schema_are_reported(dialect: str, text: str) -> None:
    reasons = ("the new names of the tables of a schema are not followed",)
    assert run_all(dialect, text).unresolved == reasons
