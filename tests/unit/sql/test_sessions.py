"""The state of a session: temporary tables, USE, handles, transactions and routines."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage.sql import (
    Catalog,
    Effect,
    Flow,
    Session,
    merge_effects,
    read_statements,
    statement_from_json,
    statement_to_json,
)

STATEMENTS = [
    "SELECT a INTO #x FROM dbo.s1",
    "INSERT INTO dbo.t (a) SELECT a FROM #x",
    "UPDATE u SET a = 1 FROM dbo.u AS u JOIN dbo.s2 AS s ON s.a = u.a",
    "DELETE FROM dbo.w WHERE a = 'x;y'",
    "WITH s2 AS (SELECT a FROM dbo.s2) SELECT a FROM s2",
    "EXEC sp_executesql N'INSERT INTO dbo.v (a) SELECT a FROM dbo.s3'",
    "MERGE dbo.d AS d USING dbo.s4 AS s ON d.a = s.a WHEN MATCHED THEN UPDATE SET b = s.b;",
]
SPACES = [" ", "\n", "\t", " /* FROM dbo.z */ ", " -- FROM dbo.z\n"]
# Statements whose effects depend on the statements before them.
STATEFUL = [
    *STATEMENTS[:2],
    "USE other",
    "DROP TABLE #x",
    "BEGIN TRAN",
    "ROLLBACK",
    "INSERT INTO u (a) SELECT a FROM s5",
    "EXEC dbo.load_t",
]


def run_text(text: str, dialect: str = "tsql", **start: object) -> tuple[Session, list[Effect]]:
    session = Session(dialect, **start)  # type: ignore[arg-type]
    return session, [session.apply_statement(each) for each in read_statements(text, dialect)]


def test_the_database_of_a_log_is_folded_as_names_in_statements_are() -> None:
    """SQL Server reports Shop, and a statement names it as shop or [SHOP]."""
    text = "INSERT INTO Totals (a) SELECT a FROM [SHOP].Sales.Orders"
    session, [effect] = run_text(text, database="Shop", schema="Sales")
    assert [(flow.target, flow.sources) for flow in effect.flows] == [
        (("shop", "sales", "totals"), (("shop", "sales", "orders"),))
    ]
    [statement] = read_statements(text, "tsql")
    effect = session.apply_statement(statement, database="Other")
    assert effect.flows[0].target == ("other", "sales", "totals")
    [statement] = read_statements('INSERT INTO "T" SELECT * FROM s', "postgres")
    effect = Session("postgres", "Shop", "Sales").apply_statement(statement)
    assert effect.flows[0].target == ("Shop", "Sales", "T")


@given(st.lists(st.sampled_from(STATEMENTS), min_size=1, max_size=6))
def test_joined_statements_are_read_as_single_ones(statements: list[str]) -> None:
    singly = [each for text in statements for each in read_statements(text, "tsql")]
    joined = read_statements("\n".join(statements), "tsql")
    assert [(s.flows, s.reads, s.calls) for s in joined] == [
        (s.flows, s.reads, s.calls) for s in singly
    ]


@given(st.lists(st.lists(st.sampled_from(STATEFUL), max_size=8), min_size=2, max_size=4))
def test_sessions_that_share_a_catalog_do_not_change_each_other(sessions: list[list[str]]) -> None:
    columns = {("shop", "dbo", "s1"): ("a",), ("shop", "dbo", "t"): ("a",)}
    routines = {("shop", "dbo", "load_t"): read_statements(STATEMENTS[1], "tsql")}
    shared = Catalog(columns, routines)
    for statements in sessions:
        alone = Session("tsql", "shop", "dbo", Catalog(columns, routines))
        other = Session("tsql", "shop", "dbo", shared)
        for text in statements:
            for each in read_statements(text, "tsql"):
                effect, expected = other.apply_statement(each), alone.apply_statement(each)
                assert effect == expected
                assert [f.columns for f in effect.flows] == [f.columns for f in expected.flows]


@given(
    st.sampled_from(STATEMENTS),
    st.lists(
        st.sampled_from([" ", "\n", "\t", " /* FROM dbo.z */ ", " -- FROM dbo.z\n"]), min_size=9
    ),
)
def test_comments_and_spaces_change_nothing(text: str, spaces: list[str]) -> None:
    head, _, literal = text.partition("N'")
    words = head.split(" ")
    joined = "".join(w + spaces[n % len(spaces)] for n, w in enumerate(words))
    other = joined + ("N'" + literal if literal else "")
    (one,), (two,) = read_statements(text, "tsql"), read_statements(other, "tsql")
    assert (one.flows, one.reads, one.calls) == (two.flows, two.reads, two.calls)


@pytest.mark.parametrize("text", STATEMENTS)
def test_statements_are_the_same_after_json(text: str) -> None:
    for statement in read_statements(text, "tsql"):
        assert (
            statement_from_json(json.loads(json.dumps(statement_to_json(statement)))) == statement
        )


def test_texts_of_one_shape_with_names_in_literals_are_different() -> None:
    names = [
        read_statements(f"EXEC sp_rename 'dbo.{old}', 'new'", "tsql")[0].renames[0][0]
        for old in ("a", "b", "a")
    ]
    assert names == [("dbo", "a"), ("dbo", "b"), ("dbo", "a")]


def test_no_literal_is_in_a_statement() -> None:
    texts = ["SELECT 'hunter2' FROM t WHERE a = 12345", "NOT SQL 'hunter2' 12345"]
    assert "hunter2" not in repr([read_statements(text, "postgres") for text in texts])
    assert "12345" not in repr([read_statements(text, "postgres") for text in texts])


@pytest.mark.parametrize(
    "dialect", ["postgres", "mysql", "tsql", "snowflake", "bigquery", "oracle"]
)
@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO users VALUES ('bob', 'hunter2",
        "INSERT INTO users VALUES ('bob', E'hunter2",
        "INSERT INTO users VALUES ('bob''hunter2",
        "INSERT INTO users VALUES ('a;b hunter2",
        "INSERT INTO users VALUES ($$hunter2",
        "INSERT INTO users VALUES (/* hunter2",
        "EXEC p 'hunter2",
        "BEGIN INSERT INTO users VALUES ('hunter2",
        "CREATE FUNCTION f() RETURNS int AS $$ BEGIN INSERT INTO u VALUES ('hunter2",
    ],
)
def test_the_literal_of_a_cut_text_is_not_in_its_shape(text: str, dialect: str) -> None:
    statements = read_statements(text, dialect)
    assert "hunter2" not in repr([each.shape for each in statements])
    assert "hunter2" not in repr([each.unresolved for each in statements])


def test_a_rolled_back_transaction_has_no_writes() -> None:
    _, effects = run_text("BEGIN TRAN; INSERT INTO dbo.t SELECT a FROM dbo.s; ROLLBACK")
    assert [effect.ended for effect in effects] == ["", "", "rollback"]
    assert merge_effects(effects).flows == ()
    _, effects = run_text("BEGIN TRAN; INSERT INTO dbo.t SELECT a FROM dbo.s; COMMIT")
    assert merge_effects(effects).flows == (Flow(("dbo", "t"), (("dbo", "s"),), "append"),)


# Begin, set, return to, release, commit.
SAVEPOINTS = {
    "postgres": ("BEGIN", "SAVEPOINT {}", "ROLLBACK TO SAVEPOINT {}", "RELEASE {}", "COMMIT"),
    "mysql": (
        "START TRANSACTION",
        "SAVEPOINT {}",
        "ROLLBACK WORK TO {}",
        "RELEASE SAVEPOINT {}",
        "COMMIT",
    ),
    "tsql": ("BEGIN TRAN", "SAVE TRAN {}", "ROLLBACK TRANSACTION {}", "PRINT '{}'", "COMMIT TRAN"),
}


@pytest.mark.parametrize("dialect", SAVEPOINTS)
def test_what_follows_a_savepoint_is_undone_by_a_rollback_to_it(dialect: str) -> None:
    begin, save, undo, release, commit = SAVEPOINTS[dialect]
    text = ";\n".join(
        [
            *(begin, "INSERT INTO d.a (x) SELECT x FROM d.s", save.format("p1")),
            *("INSERT INTO d.b (x) SELECT x FROM d.s", save.format("p2")),
            *("INSERT INTO d.c (x) SELECT x FROM d.s", undo.format("p2")),
            *("INSERT INTO d.e (x) SELECT x FROM d.s", undo.format("p1")),
            *("INSERT INTO d.f (x) SELECT x FROM d.s", release.format("p1"), commit),
        ]
    )
    _, effects = run_text(text, dialect)
    merged = merge_effects(effects)
    assert [flow.target for flow in merged.flows] == [("d", "a"), ("d", "f")]
    assert not merged.unresolved
    rolled_back = [each for effect in effects for each in effect.rolled_back]
    undone = [flow.target[1] for each in rolled_back for flow in each.flows]
    assert undone == ["c", "b", "e"]


def test_a_rollback_to_a_savepoint_restores_temporary_tables() -> None:
    text = """BEGIN; CREATE TEMP TABLE x AS SELECT a FROM s.one; SAVEPOINT p;
        INSERT INTO x SELECT a FROM s.two; ROLLBACK TO p; INSERT INTO s.t SELECT a FROM x; COMMIT"""
    _, effects = run_text(text, "postgres")
    [flow] = merge_effects(effects).flows
    assert (flow.target, flow.sources) == (("s", "t"), (("s", "one"),))


def test_a_rollback_to_the_name_of_the_transaction_undoes_it() -> None:
    text = """BEGIN TRAN load; INSERT INTO dbo.t (a) SELECT a FROM dbo.s; ROLLBACK TRAN load
        INSERT INTO dbo.u (a) SELECT a FROM dbo.s"""
    _, effects = run_text(text)
    assert [flow.target for flow in merge_effects(effects).flows] == [("dbo", "u")]


def test_a_rollback_to_an_unknown_savepoint_is_reported() -> None:
    text = "BEGIN; INSERT INTO s.t SELECT a FROM s.r; ROLLBACK TO p; COMMIT"
    _, effects = run_text(text, "postgres")
    merged = merge_effects(effects)
    assert not merged.flows
    assert merged.unresolved == ("what a ROLLBACK to the savepoint p undoes is not known",)


def test_a_rollback_to_a_savepoint_after_a_condition_is_reported() -> None:
    text = """BEGIN TRAN; SAVE TRAN p; INSERT INTO dbo.t (a) SELECT a FROM dbo.s
        IF @@ERROR <> 0 ROLLBACK TRAN p; COMMIT"""
    _, effects = run_text(text)
    merged = merge_effects(effects)
    assert [flow.target for flow in merged.flows] == [("dbo", "t")]
    assert merged.unresolved == ("whether the ROLLBACK of a condition was executed is not known",)


def test_a_rollback_after_a_condition_is_reported() -> None:
    _, effects = run_text(
        "BEGIN TRAN; INSERT INTO dbo.t SELECT a FROM dbo.s; IF @@ERROR <> 0 ROLLBACK; COMMIT"
    )
    assert merge_effects(effects).flows == (Flow(("dbo", "t"), (("dbo", "s"),), "append"),)
    assert merge_effects(effects).unresolved


def test_a_table_of_a_prepared_statement() -> None:
    text = """PREPARE p(int) AS SELECT a FROM s1 WHERE b = $1; CREATE TABLE x AS EXECUTE p(1);
    CREATE TEMP TABLE w AS EXECUTE P (2); INSERT INTO t SELECT a FROM w;
    PREPARE "P" AS SELECT a FROM s2; CREATE TABLE y AS EXECUTE "P" """
    session = Session("postgres", "db", "public")
    effect = merge_effects(map(session.apply_statement, read_statements(text, "postgres")))
    tables = {flow.target[-1]: [name[-1] for name in flow.sources] for flow in effect.flows}
    assert tables == {"x": ["s1"], "t": ["s1"], "y": ["s2"]}
    assert effect.unresolved == ()
    (unknown,) = read_statements("CREATE TABLE z AS EXECUTE q", "postgres")
    assert session.apply_statement(unknown).unresolved == (
        "the statement with the handle q was prepared before those known",
    )


def test_temporary_tables_of_a_session_of_bigquery() -> None:
    text = """CREATE TEMP TABLE x AS SELECT a FROM d.s; INSERT INTO d.t SELECT a FROM _SESSION.x;
    CREATE TEMP TABLE _SESSION.y AS SELECT a FROM d.r; INSERT INTO d.u SELECT a FROM y"""
    session = Session("bigquery", "p")
    effect = merge_effects(map(session.apply_statement, read_statements(text, "bigquery")))
    tables = {flow.target[-1]: [name[-1] for name in flow.sources] for flow in effect.flows}
    assert tables == {"t": ["s"], "u": ["r"]}
    assert effect.unresolved == ()
    (unknown,) = read_statements("INSERT INTO d.t SELECT a FROM _SESSION.z", "bigquery")
    assert session.apply_statement(unknown).flows[0].sources == ()


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE pg_temp.x AS SELECT a FROM s; INSERT INTO t SELECT a FROM x; DROP TABLE x",
        "CREATE VIEW pg_temp.x AS SELECT a FROM s; INSERT INTO t SELECT a FROM pg_temp.x",
        "SELECT a INTO pg_temp.x FROM s; INSERT INTO t SELECT a FROM x; DROP TABLE pg_temp.x",
    ],
)
def test_tables_of_the_temporary_schema_of_postgresql(text: str) -> None:
    session, effects = run_text(text, "postgres", database="db", schema="public")
    effect = merge_effects(effects)
    assert effect.flows == (Flow(("db", "public", "t"), (("db", "public", "s"),), "append"),)
    assert effect.reads == (("db", "public", "s"),)
    assert effect.drops == effect.unresolved == ()
    (unknown,) = read_statements("INSERT INTO t SELECT a FROM pg_temp.y", "postgres")
    assert session.apply_statement(unknown).unresolved == (
        "the temporary table y was not created by a statement that is known",
    )


@pytest.mark.parametrize(
    ("text", "drops"),
    [
        ("DROP TABLE IF EXISTS x; CREATE TEMP TABLE x AS SELECT a FROM s", set()),
        ("DROP TABLE IF EXISTS x, y; CREATE TEMP TABLE x (a int)", {"y"}),
        ("DO $$ BEGIN DROP TABLE IF EXISTS x; CREATE TEMP TABLE x (a int); END $$", set()),
        ("DROP TABLE x; CREATE TEMP TABLE x (a int)", {"x"}),
        ("DROP TABLE IF EXISTS d.x; CREATE TEMP TABLE x (a int)", {"x"}),
        ("DROP TABLE IF EXISTS x; CREATE TABLE x (a int)", {"x"}),
        (
            "DROP TABLE IF EXISTS x; TABLE x; CREATE TEMP TABLE x (a int)",
            {"x"},
        ),
        ("INSERT INTO x SELECT 1; DROP TABLE IF EXISTS x; CREATE TEMP TABLE x (a int)", {"x"}),
        ("CREATE TEMP TABLE x (a int); DROP TABLE IF EXISTS x; DROP TABLE IF EXISTS x", {"x"}),
    ],
)
def test_a_drop_before_a_temporary_table_is_of_no_table(text: str, drops: set[str]) -> None:
    _, effects = run_text(text, "postgres", database="db", schema="public")
    assert {name[-1] for effect in effects for name in effect.drops} == drops


@pytest.mark.parametrize(
    ("delete", "sources"),
    [
        ("DELETE FROM #x", {"s2"}),
        ("DELETE #x", {"s2"}),
        ("TRUNCATE TABLE #x", {"s2"}),
        ("DELETE FROM #x WHERE a = 1", {"s1", "s2"}),
        ("DELETE TOP (5) FROM #x", {"s1", "s2"}),
        ("DELETE x FROM #x AS x JOIN s3 ON s3.a = x.a", {"s1", "s2", "s3"}),
        ("WITH c AS (SELECT TOP 5 a FROM #x) DELETE FROM c", {"s1", "s2"}),
        ("IF @b = 1 DELETE FROM #x", {"s1", "s2"}),
        ("DELETE FROM #x WHERE CURRENT OF c", {"s1", "s2"}),
        ("SET ROWCOUNT 1; DELETE FROM #x; SET ROWCOUNT 0", {"s1", "s2"}),
    ],
)
def test_a_temporary_table_is_empty_after_a_delete_of_all_rows(
    delete: str, sources: set[str]
) -> None:
    _, effects = run_text(
        f"SELECT a INTO #x FROM s1; {delete}; INSERT #x SELECT a FROM s2; "
        "INSERT INTO t (a) SELECT a FROM #x",
        database="d",
        schema="dbo",
    )
    (flow,) = effects[-1].flows
    assert {name[-1] for name in flow.sources} == sources


def test_a_handle_executes_what_was_prepared() -> None:
    session, _ = run_text(
        "declare @p1 int set @p1=13 exec sp_prepexec @p1 output,N'@a int',"
        "N'INSERT INTO dbo.t SELECT a FROM dbo.s WHERE a = @a',5 select @p1",
        database="sales",
    )
    (again,) = read_statements("exec sp_execute 13, 6", "tsql")
    flow = Flow(("sales", "dbo", "t"), (("sales", "dbo", "s"),), "append")
    assert session.apply_statement(again).flows == (flow,)
    (other,) = read_statements("exec sp_execute 14, 6", "tsql")
    assert session.apply_statement(other).unresolved


def test_a_reset_connection_has_no_temporary_tables() -> None:
    session, _ = run_text("SELECT a INTO #x FROM dbo.s; EXEC sp_reset_connection")
    (statement,) = read_statements("INSERT INTO dbo.t SELECT a FROM #x", "tsql")
    effect = session.apply_statement(statement)
    assert effect.flows == (Flow(("dbo", "t"), (), "append"),)
    assert effect.unresolved


def test_a_procedure_does_what_its_body_does() -> None:
    (body,) = read_statements(
        "CREATE PROCEDURE dbo.p AS SELECT a INTO #x FROM dbo.s; INSERT dbo.t SELECT a FROM #x",
        "tsql",
    )
    assert body.routine is not None
    catalog = Catalog(routines={("sales", "dbo", "p"): body.routine.statements})
    _, effects = run_text("EXEC dbo.p", database="sales", catalog=catalog)
    flow = Flow(("sales", "dbo", "t"), (("sales", "dbo", "s"),), "append")
    assert merge_effects(effects).flows == (flow,)
    _, effects = run_text("EXEC dbo.q", database="sales", catalog=catalog)
    assert merge_effects(effects).unresolved == ("the body of the procedure dbo.q is not known",)


def test_names_are_completed_by_the_search_path() -> None:
    _, effects = run_text("SET search_path TO a, b; SELECT x FROM t", "postgres", database="d")
    assert effects[1].unresolved == ("the schema of t depends on the search path",)
    _, effects = run_text("SET search_path TO a; SELECT x FROM t", "postgres", database="d")
    assert effects[1].reads == (("d", "a", "t"),)


@pytest.mark.parametrize("statement", ["EXECUTE AS USER = 'x'", "EXEC AS LOGIN = 'x'", "REVERT"])
def test_the_user_of_a_session_of_sql_server_changes_no_table(statement: str) -> None:
    _, effects = run_text(f"{statement}\nINSERT INTO dbo.t SELECT a FROM dbo.s")
    merged = merge_effects(effects)
    assert merged.flows == (Flow(("dbo", "t"), (("dbo", "s"),), "append"),)
    assert not merged.unresolved


@pytest.mark.parametrize("rights", ["", "EXECUTE AS CALLER", "EXECUTE AS OWNER"])
def test_a_procedure_of_snowflake_has_its_body_with_any_rights(rights: str) -> None:
    text = f"""
        CREATE PROCEDURE load() RETURNS VARCHAR LANGUAGE SQL {rights} AS
        $$ BEGIN INSERT INTO t SELECT * FROM s; RETURN 'ok'; END; $$;
        CALL load();
    """
    session = Session("snowflake", "D", "P")
    *_, call = map(session.apply_statement, read_statements(text, "snowflake"))
    assert [(flow.target[-1], flow.sources[0][-1]) for flow in call.flows] == [("T", "S")]


@pytest.mark.parametrize(
    "text",
    [
        "EXEC sys.sp_addextendedproperty @name = N'MS_Description', @value = N'Orders'",
        "EXEC @result = sp_getapplock @Resource = 'load', @LockMode = 'Exclusive'",
        "EXECUTE msdb.dbo.sp_send_dbmail @profile_name = 'etl', @query = N'SELECT 1'",
        "EXEC sp_updatestats",
    ],
)
def test_a_system_procedure_without_rows_needs_no_body(text: str) -> None:
    [effect] = map(Session("tsql", "D", "dbo").apply_statement, read_statements(text, "tsql"))
    assert (effect.reads, effect.flows, effect.unresolved) == ((), (), ())
