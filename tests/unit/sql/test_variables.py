"""Values that go through variables, records and cursors: the tables that they were read from."""

from __future__ import annotations

import pytest

from lineage.sql import Effect, Session, merge_effects, read_statements
from lineage.sql.catalogs import Catalog
from lineage.sql.written_columns import decode_table


def apply_text(dialect: str, text: str) -> Effect:
    """Return what a session did that executes a text."""
    session = Session(dialect, "db", "dbo")
    return merge_effects(map(session.apply_statement, read_statements(text, dialect)))


def list_sources(dialect: str, text: str) -> dict[str, str]:
    """Return the names of the sources of each table; all statements are read."""
    effect = apply_text(dialect, text)
    assert not effect.unresolved
    return {
        flow.target[-1].lower(): " ".join(sorted(name[-1].lower() for name in flow.sources))
        for flow in effect.flows
    }


def block_of(dialect: str, declarations: str, body: str) -> str:
    block = f"DECLARE {declarations} BEGIN {body} END"
    return {
        "postgres": f"DO $$ {block} $$",
        "oracle": f"{block};\n/",
        "mysql": f"CREATE PROCEDURE p() BEGIN {body} END; CALL p()",
        "snowflake": block,
        "bigquery": f"BEGIN {body} END",
    }[dialect]


@pytest.mark.parametrize(
    ("dialect", "declarations", "body"),
    [
        (
            "postgres",
            "r record;",
            "FOR r IN SELECT a FROM s LOOP INSERT INTO t VALUES (r.a); END LOOP;",
        ),
        (
            "postgres",
            "c CURSOR FOR SELECT a FROM s;",
            "FOR r IN c LOOP INSERT INTO t VALUES (r.a); END LOOP;",
        ),
        (
            "postgres",
            "c refcursor; x int;",
            "OPEN c FOR SELECT a FROM s; FETCH c INTO x; INSERT INTO t VALUES (x);",
        ),
        (
            "postgres",
            "c refcursor; x int;",
            "OPEN c NO SCROLL FOR TABLE s; FETCH c INTO x; INSERT INTO t VALUES (x);",
        ),
        ("postgres", "x int;", "SELECT a INTO STRICT x FROM s; INSERT INTO t VALUES (x);"),
        (
            "postgres",
            "x int; y int;",
            "SELECT a, b FROM s LIMIT 1 INTO x, y; INSERT INTO t VALUES (y);",
        ),
        ("postgres", "x int := (SELECT max(a) FROM s);", "INSERT INTO t VALUES (x + 1);"),
        (
            "postgres",
            "x int; y int;",
            "x := (SELECT a FROM s); y := x + 1; INSERT INTO t VALUES (y);",
        ),
        (
            "postgres",
            "l int[]; x int;",
            (
                "SELECT array_agg(a) INTO l FROM s; FOREACH x IN ARRAY l LOOP INSERT INTO t "
                "VALUES (x); END LOOP;"
            ),
        ),
        (
            "oracle",
            "CURSOR c IS SELECT a FROM s; r c%ROWTYPE;",
            (
                "OPEN c; LOOP FETCH c INTO r; EXIT WHEN c%NOTFOUND; INSERT INTO t VALUES "
                "(r.a); END LOOP; CLOSE c;"
            ),
        ),
        (
            "oracle",
            "l tab;",
            (
                "SELECT a BULK COLLECT INTO l FROM s; FORALL i IN 1 .. l.COUNT INSERT INTO t "
                "VALUES (l(i));"
            ),
        ),
        (
            "oracle",
            "x NUMBER;",
            "FOR r IN (SELECT a FROM s) LOOP x := r.a; INSERT INTO t VALUES (x); END LOOP;",
        ),
        (
            "mysql",
            "",
            (
                "DECLARE x INT; DECLARE c CURSOR FOR SELECT a FROM s; OPEN c; l: LOOP FETCH "
                "c INTO x; INSERT INTO t VALUES (x); END LOOP;"
            ),
        ),
        (
            "mysql",
            "",
            "DECLARE x, y INT; SELECT a, b INTO x, y FROM s; INSERT INTO t VALUES (x, y);",
        ),
        ("snowflake", "x INT;", "SELECT a INTO :x FROM s; INSERT INTO t VALUES (:x);"),
        (
            "snowflake",
            "c CURSOR FOR SELECT a FROM s;",
            "FOR r IN c DO LET x := r.a; INSERT INTO t VALUES (:x); END FOR;",
        ),
        (
            "bigquery",
            "",
            "DECLARE x INT64 DEFAULT (SELECT max(a) FROM s); INSERT INTO t VALUES (x);",
        ),
        ("bigquery", "", "FOR r IN (SELECT a FROM s) DO INSERT INTO t VALUES (r.a); END FOR;"),
    ],
)
def test_values_of_variables_are_of_the_tables_that_they_were_read_from(
    dialect: str, declarations: str, body: str
) -> None:
    assert list_sources(dialect, block_of(dialect, declarations, body)) == {"t": "s"}


@pytest.mark.parametrize(
    "text",
    [
        "DECLARE @x int; SELECT @x = MAX(a) FROM s; UPDATE t SET b = @x",
        "DECLARE @x int = (SELECT MAX(a) FROM s)\nINSERT INTO t (a) VALUES (@x)",
        "DECLARE @x int, @y int\nSET @x = (SELECT a FROM s)\nSET @y = @x + 1\nINSERT t VALUES (@y)",
        (
            "DECLARE c CURSOR FOR SELECT a FROM s OPEN c FETCH NEXT FROM c INTO @x "
            "WHILE @@FETCH_STATUS = 0 BEGIN INSERT INTO t VALUES (@x) FETCH NEXT FROM c INTO @x END"
        ),
    ],
)
@pytest.mark.parametrize("is_body", [False, True])
def test_variables_of_sql_server(text: str, is_body: bool) -> None:
    text = f"CREATE PROCEDURE p AS BEGIN {text} END\nGO\nEXEC p" if is_body else text
    assert list_sources("tsql", text) == {"t": "s"}


@pytest.mark.parametrize(
    ("body", "sources"),
    [
        # A variable has the values of its last assignment.
        ("SELECT a INTO x FROM s1; SELECT a INTO x FROM s2; INSERT INTO t VALUES (x);", "s2"),
        ("INSERT INTO t VALUES (x); SELECT a INTO x FROM s1;", ""),
        ("SELECT a INTO x FROM s1; x := 0; INSERT INTO t VALUES (x);", ""),
        ("SELECT a INTO x FROM s1; GET DIAGNOSTICS x = ROW_COUNT; INSERT INTO t VALUES (x);", ""),
        # In a branch, it may have those of before.
        (
            (
                "x := (SELECT a FROM s1); IF y THEN SELECT a INTO x FROM s2; END IF; INSERT "
                "INTO t VALUES (x);"
            ),
            "s1 s2",
        ),
        # The next loop has other rows.
        (
            (
                "FOR r IN SELECT a FROM s1 LOOP NULL; END LOOP; FOR r IN SELECT a FROM s2 "
                "LOOP INSERT INTO t VALUES (r.a); END LOOP;"
            ),
            "s2",
        ),
        # Names of columns, and aliases of tables, are no variables.
        ("SELECT a INTO x FROM s1; INSERT INTO t (x) VALUES (1);", ""),
        ("SELECT a INTO x FROM s1; UPDATE t SET x = 1;", ""),
        ("SELECT a INTO x FROM s1; INSERT INTO t SELECT x.a FROM s2 x;", "s2"),
        ("SELECT a INTO x FROM s1; INSERT INTO t SELECT b.a, x FROM s2 b;", "s1 s2"),
        (
            (
                "INSERT INTO log VALUES (1) RETURNING id INTO x; INSERT INTO t SELECT b.a, x "
                "FROM s2 b;"
            ),
            "log s2",
        ),
        (
            "INSERT INTO t VALUES (1) RETURNING id INTO x; UPDATE t SET done = true WHERE id = x;",
            "",
        ),
    ],
)
def test_a_variable_has_the_values_that_it_was_assigned(body: str, sources: str) -> None:
    text = block_of("postgres", "x int; y bool; r record;", body)
    assert list_sources("postgres", text)["t"] == sources


@pytest.mark.parametrize(
    ("body", "sources"),
    [
        ("FOR r IN SELECT a FROM s1 LOOP INSERT INTO t SELECT * FROM r; END LOOP;", "r"),
        ("FOR t IN SELECT a FROM s1 LOOP UPDATE t SET b = 1; END LOOP;", ""),
        ("FOR t IN SELECT a FROM s1 LOOP INSERT INTO t VALUES (t.a); END LOOP;", "s1"),
        (
            "SELECT a INTO x FROM s1; INSERT INTO t SELECT x.a FROM public.x JOIN s2 ON true;",
            "s2 x",
        ),
        ("SELECT a INTO x FROM s1; INSERT INTO t SELECT b.c FROM s2 b, x;", "s2 x"),
        ("SELECT a INTO x FROM s1; INSERT INTO t SELECT b x FROM s2;", "s2"),
        ("SELECT a INTO x FROM s1; INSERT INTO t SELECT b AS x FROM s2 ORDER BY x;", "s2"),
        ("SELECT a INTO x FROM s1; INSERT INTO t SELECT b::x FROM s2;", "s2"),
        ("SELECT a INTO x FROM s1; INSERT INTO t SELECT v.f(y => b, x => 1) FROM s2;", "s2"),
        ("SELECT a INTO x FROM s1; WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x;", ""),
        ("SELECT a INTO x FROM s1; INSERT INTO t SELECT x AS x FROM s2;", "s1 s2"),
        ("SELECT a INTO x FROM s1; INSERT INTO t (SELECT x FROM s2);", "s1 s2"),
        ("SELECT a INTO x FROM s1; INSERT INTO t SELECT extract(day FROM x) FROM s2;", "s1 s2"),
        ("SELECT a INTO x FROM s1; INSERT INTO t SELECT b FROM s2 JOIN s3 USING (x);", "s2 s3"),
    ],
)
def test_names_of_tables_and_aliases_are_no_variables(body: str, sources: str) -> None:
    text = block_of("postgres", "x int; r record; t record;", body)
    effect = apply_text("postgres", text)
    flow = next(flow for flow in effect.flows if flow.target[-1] == "t")
    assert " ".join(sorted(name[-1] for name in flow.sources)) == sources


def test_execute_of_sqlplus_assigns_variables() -> None:
    text = "VARIABLE n NUMBER\nEXEC SELECT max(a) INTO :n FROM s\nINSERT INTO t VALUES (:n);"
    assert list_sources("oracle", text) == {"t": "s"}


def test_a_call_with_names_of_parameters_assigns_no_variable() -> None:
    text = (
        "DECLARE v DATE; BEGIN SELECT max(d) INTO v FROM etl.wm; etl.load_x(p => v); "
        "INSERT INTO etl.t SELECT * FROM etl.b; END;\n/"
    )
    effect = apply_text("oracle", text)
    assert [flow.sources for flow in effect.flows] == [(("db", "ETL", "B"),)]
    assert effect.unresolved == ("the body of the procedure ETL.LOAD_X is not known",)


@pytest.mark.parametrize(
    "insert",
    ["INSERT INTO t (id, n) SELECT id, n FROM src", "UPDATE t SET n = id"],
)
def test_a_name_that_may_be_of_a_column_has_no_source(insert: str) -> None:
    body = f"SELECT max(x) INTO id FROM seqs; {insert};"
    effect = apply_text("oracle", block_of("oracle", "id NUMBER;", body))
    assert ("db", "dbo", "SEQS") not in {name for flow in effect.flows for name in flow.sources}
    assert effect.unresolved == ("whether a name is of a column or a variable is not known",)


@pytest.mark.parametrize(
    ("dialect", "insert", "sources"),
    [
        ("oracle", "INSERT INTO t SELECT id FROM dual", "s"),
        ("oracle", "INSERT INTO t SELECT b.n FROM s2 b WHERE b.n > :id", "s s2"),
        ("snowflake", "INSERT INTO t SELECT id FROM s2", "s2"),
        ("snowflake", "INSERT INTO t SELECT :id FROM s2", "s s2"),
        ("snowflake", "INSERT INTO t SELECT src:id FROM s2", "s2"),
    ],
)
def test_names_that_are_certain(dialect: str, insert: str, sources: str) -> None:
    body = f"SELECT max(x) INTO id FROM s; {insert};"
    assert list_sources(dialect, block_of(dialect, "id NUMBER;", body)) == {"t": sources}


@pytest.mark.parametrize(
    "text",
    [
        "SET @x = (SELECT max(a) FROM s); UPDATE t SET b = @x",
        "SET @x := (SELECT max(a) FROM s); INSERT INTO t VALUES (@x)",
        "SELECT max(a) INTO @x FROM s; INSERT INTO t (a) VALUES (@x)",
        "SELECT @x := max(a) FROM s; INSERT INTO t (a) VALUES (@x)",
    ],
)
def test_variables_of_a_session_of_mysql(text: str) -> None:
    assert list_sources("mysql", text) == {"t": "s"}
    body = f"CREATE PROCEDURE p() BEGIN {text}; END; CALL p()"
    assert list_sources("mysql", body) == {"t": "s"}


@pytest.mark.parametrize(
    ("dialect", "assignment"),
    [
        ("tsql", "DECLARE @x datetime = (SELECT MAX(d) FROM s), @y datetime = GETDATE()"),
        ("tsql", "DECLARE @x datetime = (SELECT MAX(d) FROM s), @y datetime"),
        ("tsql", "SELECT @x = MAX(a), @y = 'prod' FROM s"),
        ("tsql", "SELECT @x = COUNT(*), @y = DATEADD(day, -1, GETDATE()) FROM s"),
        ("tsql", "SELECT @x = a, @y = CONVERT(date, GETDATE()) FROM s WHERE a > 1"),
        ("tsql", "DECLARE @y int = 1, @x int = (SELECT MAX(b) FROM s)"),
        ("tsql", "SELECT TOP 1 @x = a, @y = 5 FROM s ORDER BY a"),
        ("tsql", "SELECT TOP (1) @x = a, @y = 'b' FROM s ORDER BY a"),
        ("mysql", "SET @y = NOW(), @x = (SELECT MAX(a) FROM s)"),
        ("mysql", "SELECT @x := MAX(a), @y := 5 FROM s"),
        ("mysql", "SET x = (SELECT MAX(a) FROM s), y = NOW()"),
        ("mysql", "SET y = NOW(), x = (SELECT MAX(a) FROM s), z = y"),
        ("tsql", "DECLARE @z int = 1, @x int = (SELECT MAX(b) FROM s), @y int = @z"),
    ],
)
def test_each_variable_has_the_tables_of_its_own_value(dialect: str, assignment: str) -> None:
    sign = "@" if "@" in assignment else ""
    inserts = f"INSERT INTO t VALUES ({sign}x); INSERT INTO u VALUES ({sign}y)"
    text = f"{assignment}; {inserts}"
    end = "END\nGO\nEXEC p" if dialect == "tsql" else "; END; CALL p()"
    name = "p AS" if dialect == "tsql" else "p()"
    body = f"CREATE PROCEDURE {name} BEGIN {text} {end}"
    for each in [text, body] if sign else [body]:
        assert list_sources(dialect, each) == {"t": "s", "u": ""}


@pytest.mark.parametrize(
    ("assignment", "tables"),
    [
        ("SET (a, b) = ((SELECT max(x) FROM s1), (SELECT max(x) FROM s2))", {"t": "s1", "u": "s2"}),
        ("SET (a, b) = (SELECT AS STRUCT min(x), max(x) FROM s1)", {"t": "s1", "u": "s1"}),
        (  # a value of before
            "SET a = (SELECT max(x) FROM s1); SET (a, b) = ((SELECT max(x) FROM s2), a)",
            {"t": "s1 s2", "u": "s1 s2"},
        ),
    ],
)
def test_a_tuple_of_bigquery(assignment: str, tables: dict[str, str]) -> None:
    text = f"DECLARE a, b INT64; {assignment}; INSERT INTO t VALUES (a); INSERT INTO u VALUES (b)"
    assert list_sources("bigquery", text) == tables


@pytest.mark.parametrize("query", ["'SELECT x FROM s1 WHERE y = :b' USING 3", "'SELECT x FROM s1'"])
def test_a_cursor_of_oracle_for_a_literal(query: str) -> None:
    text = (
        f"DECLARE c SYS_REFCURSOR; v NUMBER; BEGIN OPEN c FOR {query}; LOOP FETCH c INTO v; "
        "EXIT WHEN c%NOTFOUND; INSERT INTO t VALUES (v); END LOOP; CLOSE c; END;\n/"
    )
    assert list_sources("oracle", text) == {"t": "s1"}


def test_a_cursor_of_oracle_for_a_variable_is_reported() -> None:
    text = "DECLARE c SYS_REFCURSOR; BEGIN OPEN c FOR q; FETCH c INTO v; END;\n/"
    assert apply_text("oracle", text).unresolved == (
        "a statement that is composed at run time is not known",
    )


def test_two_queries_of_one_declaration() -> None:
    text = (
        "DECLARE @x int = (SELECT MAX(s2) FROM s1), @y int = (SELECT MAX(a) FROM dbo.s2), @z int; "
        "SELECT @z = @x + 1, @x = 5; "
        "INSERT t VALUES (@x); INSERT u VALUES (@y); INSERT v VALUES (@z)"
    )
    assert list_sources("tsql", text) == {"t": "", "u": "s2", "v": "s1"}


def test_variables_of_sql_server_are_those_of_their_batch() -> None:
    text = "DECLARE @x int = (SELECT a FROM s)\nGO\nDECLARE @x int\nINSERT INTO t VALUES (@x)"
    assert list_sources("tsql", text) == {"t": ""}


@pytest.mark.parametrize("end", ["", "DROP TABLE w;", "TRUNCATE w;"])
def test_a_value_of_a_temporary_table_that_is_gone(end: str) -> None:
    begin = "CREATE TEMP TABLE w AS SELECT a FROM s; SELECT a INTO x FROM w;"
    insert = "INSERT INTO t VALUES (x);"
    text = block_of("postgres", "x int;", begin + end + insert)
    assert list_sources("postgres", text) == {"t": "s"}


def test_a_temporary_table_gives_a_variable_the_rows_that_it_had() -> None:
    text = (
        "CREATE TABLE #w (a int); INSERT #w SELECT a FROM s1; DECLARE @x int; "
        "SELECT @x = a FROM #w; INSERT #w SELECT a FROM s2; INSERT t VALUES (@x); "
        "TRUNCATE TABLE #w; INSERT #w SELECT a FROM s3; SELECT @x = a FROM #w; INSERT u VALUES (@x)"
    )
    assert list_sources("tsql", text) == {"t": "s1", "u": "s3"}


def test_rows_of_a_temporary_table_that_may_be_replaced_stay() -> None:
    text = (
        "SELECT a INTO #w FROM s1; IF @y = 1 TRUNCATE TABLE #w; INSERT #w SELECT a FROM s2; "
        "DECLARE @x int = (SELECT MAX(a) FROM #w); DROP TABLE #w; INSERT t VALUES (@x)"
    )
    assert list_sources("tsql", text) == {"t": "s1 s2"}


@pytest.mark.parametrize("end", ["DROP TABLE #w;", "TRUNCATE TABLE #w;"])
def test_a_value_of_an_unknown_temporary_table_that_is_gone_is_reported(end: str) -> None:
    text = (
        "SELECT a INTO #w FROM s; EXEC fill; DECLARE @x int, @y int; SELECT @x = a FROM #w; "
        f"SELECT @y = a FROM s2; {end} INSERT t VALUES (@x, @y)"
    )
    effect = apply_text("tsql", text)
    reason = "a variable has values of a temporary table that was dropped or written again"
    assert reason in effect.unresolved
    assert [flow.sources for flow in effect.flows] == [(("db", "dbo", "s2"),)]


@pytest.mark.parametrize("change", ["INSERT INTO t SELECT a FROM s", "UPDATE t SET a = s.a FROM s"])
def test_changes_whose_rows_a_query_counts_are_writes(change: str) -> None:
    body = f"WITH c AS ({change} RETURNING 1) SELECT count(*) INTO n FROM c;"
    assert list_sources("postgres", block_of("postgres", "n int;", body)) == {"t": "s"}


def test_columns_of_variables_are_not_traced() -> None:
    text = block_of("postgres", "x int;", "SELECT a INTO x FROM s; INSERT INTO t (a) VALUES (x);")
    effect = apply_text("postgres", text)
    assert [flow.columns for flow in effect.flows] == [None]
    assert effect.columns_unresolved == ("columns: the values of variables are not traced",)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT @x = MAX(d) FROM wm; INSERT INTO t (id, name) SELECT id, name FROM s WHERE d > @x",
        "SET @x = (SELECT MAX(d) FROM wm); INSERT t (id, name, d) SELECT id, name, @x FROM s",
    ],
)
@pytest.mark.parametrize("is_body", [False, True])
def test_columns_of_tables_are_traced_beside_variables(text: str, is_body: bool) -> None:
    text = f"CREATE PROCEDURE p AS BEGIN {text} END\nGO\nEXEC p" if is_body else text
    effect, fields = trace_text(text)
    assert sorted(name[-1] for name in effect.flows[0].sources) == ["s", "wm"]
    assert fields == {"id": [("s", "id")], "name": [("s", "name")]}
    assert effect.columns_unresolved == ("columns: the values of variables are not traced",)


def trace_text(text: str) -> tuple[Effect, dict[str, list[tuple[str, str]]] | None]:
    """Return the effect of a text of T-SQL, and the sources of the columns of its only output."""
    tables = {"s": ("id", "name", "d"), "wm": ("d",), "t": ("id", "name", "d")}
    catalog = Catalog({("db", "dbo", name): columns for name, columns in tables.items()})
    session = Session("tsql", "db", "dbo", catalog)
    effect = merge_effects(map(session.apply_statement, read_statements(text, "tsql")))
    (flow,) = effect.flows
    if flow.columns is None:
        return effect, None
    return effect, {
        name: [(decode_table(each.source.dataset)[-1], each.source.column) for each in deps]
        for name, deps in flow.columns.fields.items()
    }


@pytest.mark.parametrize(
    ("stage", "fields"),
    [
        ("SELECT id INTO #w FROM s WHERE d > @x", {"id": [("s", "id")]}),
        (
            "CREATE TABLE #w (id int); INSERT #w (id) SELECT id FROM s WHERE d > @x",
            {"id": [("s", "id")]},
        ),
        ("SELECT @x AS id INTO #w FROM s", None),
        ("SELECT id, @x AS y INTO #w FROM s", None),
        ("CREATE TABLE #w (id int); INSERT #w (id) SELECT @x FROM s", None),
    ],
)
def test_temporary_tables_with_values_of_variables(
    stage: str, fields: dict[str, list[tuple[str, str]]] | None
) -> None:
    begin = "SELECT @x = MAX(d) FROM wm"
    effect, traced = trace_text(f"{begin}; {stage}; INSERT INTO t (id) SELECT id FROM #w")
    assert sorted(name[-1] for name in effect.flows[0].sources) == ["s", "wm"]
    assert traced == fields


@pytest.mark.parametrize(
    ("dialect", "begin"), [("postgres", "EXECUTE"), ("oracle", "EXECUTE IMMEDIATE")]
)
def test_the_first_literal_of_a_composed_statement_is_no_statement(
    dialect: str, begin: str
) -> None:
    body = f"{begin} 'DROP TABLE t_' || x; {begin} 'DELETE FROM t' USING x;"
    effect = apply_text(dialect, block_of(dialect, "x int;", body))
    assert effect.unresolved == ("a statement that is composed at run time is not known",)
    assert ([flow.mode for flow in effect.flows], effect.drops) == (["delete"], ())
