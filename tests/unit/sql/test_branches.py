"""Values of variables and temporary tables after branches, loops, handlers and inner blocks."""

from __future__ import annotations

import pytest

from lineage.sql import Session, merge_effects, read_statements, statement_from_json
from lineage.sql.records import statement_to_json


def list_sources(dialect: str, text: str) -> dict[str, str]:
    """Return the names of the sources of each table; all statements are read."""
    session = Session(dialect, "db", "dbo")
    effect = merge_effects(map(session.apply_statement, read_statements(text, dialect)))
    assert not effect.unresolved
    return {
        flow.target[-1].lower(): " ".join(sorted(name[-1].lower() for name in flow.sources))
        for flow in effect.flows
    }


INSERTS = "INSERT INTO t SELECT a FROM s1; INSERT INTO u SELECT a FROM s2;"


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("postgres", f"DO $$ DECLARE BEGIN {INSERTS} END $$"),
        (
            "postgres",
            (
                f"CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$ DECLARE -- "
                f"none\nBEGIN {INSERTS} "
                "END $$; SELECT f()"
            ),
        ),
        ("postgres", f"DO $$ BEGIN DECLARE BEGIN {INSERTS} END; END $$"),
        ("oracle", f"DECLARE BEGIN {INSERTS} END;\n/"),
        ("snowflake", f"DECLARE BEGIN {INSERTS} END"),
    ],
)
def test_a_block_without_declarations(dialect: str, text: str) -> None:
    assert list_sources(dialect, text) == {"t": "s1", "u": "s2"}


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        (
            "postgres",
            (
                "DO $$ DECLARE x int; BEGIN SELECT a INTO x FROM s1; DECLARE x int; BEGIN "
                "SELECT a INTO x FROM s2; INSERT INTO u VALUES (x); END; INSERT INTO t "
                "VALUES (x); "
                "END $$"
            ),
        ),
        (
            "postgres",
            (
                "DO $$ DECLARE x int; BEGIN SELECT a INTO x FROM s1; DECLARE y int; x int := "
                "(SELECT a FROM s2); BEGIN INSERT INTO u VALUES (x); EXCEPTION WHEN others "
                "THEN NULL; "
                "END; INSERT INTO t VALUES (x); END $$"
            ),
        ),
        (
            "oracle",
            (
                "DECLARE x NUMBER; BEGIN SELECT a INTO x FROM s1; DECLARE x NUMBER; BEGIN "
                "SELECT a INTO x FROM s2; INSERT INTO u VALUES (x); END; INSERT INTO t "
                "VALUES (x); "
                "END;\n/"
            ),
        ),
        (
            "mysql",
            (
                "CREATE PROCEDURE p() BEGIN DECLARE x INT; SELECT a INTO x FROM s1; BEGIN "
                "DECLARE x INT; SELECT a INTO x FROM s2; INSERT INTO u VALUES (x); END; "
                "INSERT INTO t VALUES (x); END; CALL p()"
            ),
        ),
        (
            "snowflake",
            (
                "BEGIN LET x INT := (SELECT a FROM s1); BEGIN LET x INT := (SELECT a FROM s2); "
                "INSERT INTO u VALUES (:x); END; INSERT INTO t VALUES (:x); END"
            ),
        ),
    ],
)
def test_a_variable_of_an_inner_block_hides_that_of_the_outer(dialect: str, text: str) -> None:
    assert list_sources(dialect, text) == {"u": "s2", "t": "s1"}


def test_the_first_value_of_a_variable_may_be_that_which_it_hides() -> None:
    text = (
        "DO $$ DECLARE x int; BEGIN SELECT a INTO x FROM s1; DECLARE x int := x + 1; BEGIN "
        "INSERT INTO t VALUES (x); END; END $$"
    )
    assert list_sources("postgres", text) == {"t": "s1"}


BEGIN = "DO $$ DECLARE x int; l int[]; r record; BEGIN SELECT a INTO x FROM s1; "


@pytest.mark.parametrize(
    ("body", "sources"),
    [
        # A loop and an IF may not be executed, and CASE may have no arm for a value.
        ("FOR r IN SELECT b FROM s2 LOOP x := r.b; END LOOP;", "s1 s2"),
        ("WHILE y LOOP SELECT b INTO x FROM s2; END LOOP;", "s1 s2"),
        ("IF y THEN SELECT b INTO x FROM s2; END IF;", "s1 s2"),
        ("CASE y WHEN 1 THEN SELECT b INTO x FROM s2; END CASE;", "s1 s2"),
        (
            "IF y THEN SELECT b INTO x FROM s2; ELSIF z THEN SELECT c INTO x FROM s3; END IF;",
            "s1 s2 s3",
        ),
        # One of the arms is executed.
        ("IF y THEN SELECT b INTO x FROM s2; ELSE SELECT c INTO x FROM s3; END IF;", "s2 s3"),
        (
            "CASE y WHEN 1 THEN SELECT b INTO x FROM s2; ELSE SELECT c INTO x FROM s3; END CASE;",
            "s2 s3",
        ),
        ("IF y THEN SELECT b INTO x FROM s2; ELSE NULL; END IF;", "s1 s2"),
        # An error leaves the value of before, or that of a part of the block.
        ("BEGIN SELECT b INTO STRICT x FROM s2; EXCEPTION WHEN others THEN NULL; END;", "s1 s2"),
        (
            (
                "BEGIN SELECT b INTO x FROM s2; EXCEPTION WHEN no_data_found THEN "
                "SELECT c INTO x FROM s3; WHEN others THEN SELECT d INTO x FROM s4; END;"
            ),
            "s2 s3 s4",
        ),
        ("BEGIN SELECT b INTO x FROM s2; END;", "s2"),
        # FOREACH of an empty array assigns nothing; FOR of a query without rows assigns NULL.
        (
            (
                "SELECT array_agg(b) INTO l FROM s2; IF y THEN FOREACH x IN ARRAY l LOOP NULL; "
                "END LOOP; END IF;"
            ),
            "s1 s2",
        ),
        ("SELECT array_agg(b) INTO l FROM s2; FOREACH x IN ARRAY l LOOP NULL; END LOOP;", "s1 s2"),
    ],
)
def test_the_values_after_what_may_not_be_executed(body: str, sources: str) -> None:
    text = f"{BEGIN}{body} INSERT INTO t VALUES (x); END $$"
    assert list_sources("postgres", text)["t"] == sources


@pytest.mark.parametrize(
    "around",
    [
        "IF y THEN {} END IF;",
        "IF y THEN NULL; ELSE {} END IF;",
        "FOR i IN 1..3 LOOP {} END LOOP;",
        "BEGIN {} EXCEPTION WHEN others THEN NULL; END;",
        "BEGIN NULL; EXCEPTION WHEN others THEN {} END;",
        "IF y THEN WHILE z LOOP {} END LOOP; END IF;",
    ],
)
def test_the_values_inside_of_a_branch_are_the_last_ones(around: str) -> None:
    body = around.format("SELECT b INTO x FROM s2; INSERT INTO t VALUES (x);")
    assert list_sources("postgres", f"{BEGIN}{body} END $$") == {"t": "s2"}


BATCH = "DECLARE @x int; SELECT @x = a FROM s1; "


@pytest.mark.parametrize(
    ("body", "sources"),
    [
        ("IF @y = 1 SET @x = (SELECT b FROM s2)", "s1 s2"),
        ("IF @y = 1 SET @x = (SELECT b FROM s2) ELSE SELECT @x = c FROM s3", "s2 s3"),
        ("IF @y = 1 BEGIN SELECT @x = b FROM s2 END ELSE BEGIN SELECT @x = c FROM s3 END", "s2 s3"),
        (
            "IF @y = 1 SELECT @x = b FROM s2 ELSE IF @y = 2 SELECT @x = c FROM s3",
            "s1 s2 s3",
        ),
        (
            (
                "IF @y = 1 SELECT @x = b FROM s2 ELSE IF @y = 2 SELECT @x = c FROM s3 "
                "ELSE SELECT @x = d FROM s4"
            ),
            "s2 s3 s4",
        ),
        ("IF @y = 1 IF @z = 1 SELECT @x = b FROM s2 ELSE SELECT @x = c FROM s3", "s1 s2 s3"),
        ("WHILE @y < 3 SELECT @x = b FROM s2", "s1 s2"),
        ("BEGIN TRY SET @x = (SELECT b FROM s2) END TRY BEGIN CATCH PRINT 'x' END CATCH", "s1 s2"),
        (
            (
                "BEGIN TRY SET @x = (SELECT b FROM s2) END TRY "
                "BEGIN CATCH SET @x = (SELECT c FROM s3) END CATCH"
            ),
            "s2 s3",
        ),
        # A query without rows assigns nothing.
        ("SELECT @x = b FROM s2 WHERE c = @y", "s1 s2"),
        ("SELECT @x = MAX(b) FROM s2 WHERE c = @y", "s2"),
        ("SELECT @x = MAX(b) FROM s2 WHERE c = @y GROUP BY d", "s1 s2"),
        ("SELECT @x = MAX(b) OVER (ORDER BY d) FROM s2 WHERE c = @y", "s1 s2"),
        ("SELECT @x = (SELECT MAX(b) FROM s2 WHERE c = 1)", "s2"),
    ],
)
@pytest.mark.parametrize("is_body", [False, True])
def test_values_after_branches_of_sql_server(body: str, sources: str, is_body: bool) -> None:
    text = f"{BATCH}{body}; INSERT INTO t VALUES (@x)"
    text = f"CREATE PROCEDURE p AS BEGIN {text} END\nGO\nEXEC p" if is_body else text
    assert list_sources("tsql", text)["t"] == sources


@pytest.mark.parametrize(
    "around", ["IF @y = 1 BEGIN {} END", "WHILE @y = 1 BEGIN {} END", "BEGIN TRY {} END TRY"]
)
def test_values_inside_of_branches_of_sql_server(around: str) -> None:
    body = around.format("SET @x = (SELECT b FROM s2); INSERT INTO t VALUES (@x)")
    assert list_sources("tsql", BATCH + body) == {"t": "s2"}


def test_a_query_of_mysql_without_rows_assigns_nothing() -> None:
    body = "SELECT a INTO x FROM s1; SELECT b INTO x FROM s2 WHERE c = 1; INSERT INTO t VALUES (x);"
    assert list_sources("mysql", f"CREATE PROCEDURE p() BEGIN {body} END; CALL p()") == {
        "t": "s1 s2"
    }
    body = body.replace("b INTO", "MAX(b) INTO")
    assert list_sources("mysql", f"CREATE PROCEDURE p() BEGIN {body} END; CALL p()") == {"t": "s2"}


@pytest.mark.parametrize(
    ("dialect", "text", "sources"),
    [
        (
            "postgres",
            (
                "DO $$ BEGIN IF y THEN CREATE TEMP TABLE w AS SELECT a FROM s1; ELSE "
                "CREATE TEMP TABLE w AS SELECT a FROM s2; END IF; INSERT INTO t SELECT a "
                "FROM w; END $$"
            ),
            "s1 s2",
        ),
        (
            "postgres",
            (
                "DO $$ BEGIN CREATE TEMP TABLE w AS SELECT a FROM s1; IF y THEN TRUNCATE w; "
                "END IF; "
                "INSERT INTO t SELECT a FROM w; END $$"
            ),
            "s1",
        ),
        (
            "tsql",
            (
                "SELECT a INTO #w FROM s1; IF @y = 1 BEGIN TRUNCATE TABLE #w; INSERT #w "
                "SELECT a FROM s2 "
                "END INSERT t SELECT a FROM #w"
            ),
            "s1 s2",
        ),
        (
            "tsql",
            (
                "SELECT a INTO #w FROM s1; WHILE @y = 1 BEGIN TRUNCATE TABLE #w; "
                "INSERT #w SELECT a FROM s2; INSERT t SELECT a FROM #w END"
            ),
            "s2",
        ),
        (
            "tsql",
            (
                "SELECT a INTO #w FROM s1; IF OBJECT_ID('tempdb..#w') IS NOT NULL DROP TABLE #w; "
                "SELECT a INTO #w FROM s2; INSERT t SELECT a FROM #w"
            ),
            "s2",
        ),
        (
            "snowflake",
            (
                "BEGIN IF (m = 1) THEN CREATE OR REPLACE TEMPORARY TABLE w AS SELECT a FROM "
                "s1; ELSE "
                "CREATE OR REPLACE TEMPORARY TABLE w AS SELECT a FROM s2; END IF; "
                "INSERT INTO t SELECT a FROM w; END"
            ),
            "s1 s2",
        ),
        (
            "mysql",
            (
                "CREATE PROCEDURE p() BEGIN IF y THEN CREATE TEMPORARY TABLE w AS SELECT a "
                "FROM s1; ELSE "
                "CREATE TEMPORARY TABLE w AS SELECT a FROM s2; END IF; INSERT INTO t SELECT "
                "a FROM w; END; "
                "CALL p()"
            ),
            "s1 s2",
        ),
    ],
)
def test_rows_of_temporary_tables_after_branches(dialect: str, text: str, sources: str) -> None:
    assert list_sources(dialect, text) == {"t": sources}


BODY = "CREATE PROCEDURE p() BEGIN DECLARE x INT; DECLARE y INT; "


@pytest.mark.parametrize(
    ("text", "tables"),
    [
        (
            (
                f"{BODY}DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN INSERT INTO err VALUES (x); "
                "END; SELECT a INTO x FROM s1; INSERT INTO t VALUES (x); END; CALL p()"
            ),
            {"err": "s1", "t": "s1"},
        ),
        (
            (
                f"{BODY}DECLARE CONTINUE HANDLER FOR 1062 INSERT INTO err VALUES (x); "
                "DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN DECLARE y INT; SELECT a INTO y FROM "
                "s2; ROLLBACK; INSERT INTO log VALUES (y); END; SELECT a INTO x FROM s1; "
                "INSERT INTO t VALUES (x); ROLLBACK; INSERT INTO u VALUES (x); END; CALL p()"
            ),
            {"err": "s1", "log": "s2", "t": "s1", "u": "s1"},
        ),
        (  # the values of an inner block, and of a handler that ends it
            (
                f"{BODY}SELECT a INTO x FROM s1; BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN "
                "INSERT INTO err VALUES (x); SELECT a INTO x FROM s3; END; SELECT a INTO x FROM "
                "s2; END; INSERT INTO t VALUES (x); END; CALL p()"
            ),
            {"err": "s1 s2", "t": "s2 s3"},
        ),
        (  # a handler in a handler
            (
                f"{BODY}DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN DECLARE EXIT HANDLER FOR 9 "
                "INSERT INTO inner_err VALUES (y); SELECT a INTO y FROM s2; INSERT INTO err VALUES "
                "(x); END; SELECT a INTO x FROM s1; END; CALL p()"
            ),
            {"inner_err": "s2", "err": "s1"},
        ),
    ],
)
def test_declared_handlers_follow_the_statements(text: str, tables: dict[str, str]) -> None:
    assert list_sources("mysql", text) == tables


def test_texts_have_their_own_branches() -> None:
    session = Session("tsql", "db", "dbo")
    effects = []
    for text in (
        "SELECT a INTO #w FROM s1",
        "IF @y = 1 BEGIN TRUNCATE TABLE #w; INSERT #w SELECT a FROM s2 END",
        "IF @y = 1 INSERT t SELECT a FROM #w",
    ):
        effects += map(session.apply_statement, read_statements(text, "tsql"))
        session.end_text()
    (flow,) = merge_effects(effects).flows
    assert [name[-1] for name in flow.sources] == ["s1", "s2"]


def test_branches_are_stored_with_a_statement() -> None:
    for statement in read_statements("IF @y = 1 TRUNCATE TABLE #w ELSE DROP TABLE #w", "tsql"):
        assert statement_from_json(statement_to_json(statement)) == statement


CONTINUE = f"{BODY}DECLARE CONTINUE HANDLER FOR NOT FOUND "
LOOKUP = "SELECT a INTO x FROM s1 WHERE k = 1; INSERT INTO t VALUES (x); END; CALL p()"


@pytest.mark.parametrize(
    ("text", "tables"),
    [
        (f"{CONTINUE} SELECT a INTO x FROM s2; {LOOKUP}", {"t": "s1 s2"}),
        (f"{CONTINUE} BEGIN SELECT a INTO x FROM s2; END; {LOOKUP}", {"t": "s1 s2"}),
        (f"{CONTINUE} SET x = (SELECT a FROM s2); {LOOKUP}", {"t": "s1 s2"}),
        (f"{CONTINUE} SET y = 1; {LOOKUP}", {"t": "s1"}),
        # The statement that fails assigns another variable.
        (f"{CONTINUE} SELECT a INTO y FROM s2; {LOOKUP.replace('(x)', '(y)')}", {"t": "s2"}),
        # A variable of the handler itself.
        (f"{CONTINUE} BEGIN DECLARE x INT; SELECT a INTO x FROM s2; END; {LOOKUP}", {"t": "s1"}),
        # A variable of an inner block, with a handler there or outside.
        (
            (
                f"{BODY}BEGIN DECLARE x INT; DECLARE CONTINUE HANDLER FOR NOT FOUND SELECT a INTO "
                f"x FROM s2; {LOOKUP.replace('END;', 'END; INSERT INTO u VALUES (x); END;', 1)}"
            ),
            {"t": "s1 s2", "u": ""},
        ),
        (
            (
                f"{CONTINUE} SELECT a INTO x FROM s2; BEGIN DECLARE x INT; "
                f"{LOOKUP.replace('END;', 'END; INSERT INTO u VALUES (x); END;', 1)}"
            ),
            {"t": "s1", "u": "s2"},
        ),
        # After a lookup that may have no row, the value of before is possible too.
        (
            (
                f"{CONTINUE} SET x = (SELECT a FROM s2); SET x = (SELECT a FROM s3); "
                f"BEGIN {LOOKUP.replace(' END;', 'END; INSERT INTO u VALUES (x); END;', 1)}"
            ),
            {"t": "s1 s2 s3", "u": "s1 s2 s3"},
        ),
        # An EXIT handler ends the block.
        (
            f"{CONTINUE.replace('CONTINUE', 'EXIT')} SELECT a INTO x FROM s2; {LOOKUP}",
            {"t": "s1"},
        ),
    ],
)
def test_values_of_a_continue_handler_reach_the_statements_after_it(
    text: str, tables: dict[str, str]
) -> None:
    assert list_sources("mysql", text) == tables
