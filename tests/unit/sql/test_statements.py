"""What statements read and write: hand-written cases of each dialect."""

from __future__ import annotations

from collections import Counter

import pytest
from support.cases.statements import FOLDER, MANUALS, Case, find_tables, read_cases

from lineage.sql.records import Flow, Mode, View
from lineage.sql.statements import read_statements

CASES = read_cases()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.identifier)
def test_a_statement_is_never_silently_wrong(case: Case) -> None:
    found = find_tables(case)
    assert case.compare_with(found) != "wrong", (case.sql, found)


def test_there_are_94_first_cases_and_200_of_the_manuals() -> None:
    names = Counter(case.identifier for case in CASES)
    assert names.total() == len(names) == 294
    by_dialect = Counter(case.dialect for case in read_cases(MANUALS))
    assert by_dialect == {
        "tsql": 60,
        "postgres": 40,
        "snowflake": 30,
        "spark": 25,
        "bigquery": 20,
        "mysql": 15,
        "duckdb": 10,
    }


def test_at_least_these_are_read_right() -> None:
    """A lower bound: what is right stays right. Reported cases are neither right nor wrong."""
    right = [case for case in CASES if case.compare_with(find_tables(case)) == "right"]
    assert len(right) >= 94 + 193, FOLDER


@pytest.mark.parametrize("dialect", ["spark", "databricks"])
@pytest.mark.parametrize(
    ("text", "writes", "reads", "drops"),
    [
        (
            "INSERT INTO IDENTIFIER('m.ids') SELECT 1 FROM IDENTIFIER('r.o') AS o",
            "m.ids",
            "r.o",
            "",
        ),
        ("CREATE TABLE identifier('m.`ids`') AS SELECT * FROM r.o", "m.ids", "r.o", ""),
        ("TRUNCATE TABLE IDENTIFIER('m.ids')", "m.ids", "", ""),
        ("DROP TABLE IDENTIFIER('m.ids')", "", "", "m.ids"),
    ],
)
def test_identifier_of_a_literal_is_the_name(
    text: str, writes: str, reads: str, drops: str, dialect: str
) -> None:
    (statement,) = read_statements(text, dialect)
    tables = [statement.written_tables, statement.reads, statement.drops]
    assert [",".join(map(".".join, each)) for each in tables] == [writes, reads, drops]
    assert not statement.unresolved


def test_statements_of_one_shape_have_the_tables_of_their_literals() -> None:
    texts = [f"DELETE FROM IDENTIFIER('{name}') WHERE a = 1" for name in ("t", "u")]
    written = [read_statements(text, "spark")[0].written_tables for text in texts]
    assert written == [(("t",),), (("u",),)]


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        # What is like a clause in a comment or a string is none, and ends neither.
        ("tsql", "UPDATE dbo.t SET a /* n */= b.x, c += 1 FROM dbo.b OPTION (RECOMPILE)"),
        ("tsql", "INSERT dbo.t SELECT b.x + 'OPTION (' FROM dbo.b WITH (INDEX(i)) WHERE y = ')'"),
        ("mysql", "INSERT dbo.t SELECT STRAIGHT_JOIN 'INTO OUTFILE ''x' FROM dbo.b USE KEY (i)"),
        ("snowflake", "INSERT INTO DBO.T SELECT 'AT (A => 1)' FROM DBO.B AT (OFFSET => -60)"),
        ("postgres", "INSERT INTO dbo.t SELECT /* /* FROM a */ */ x FROM dbo.b WHERE U&'a' = y"),
    ],
)  # fmt: skip
def test_a_simplified_statement_has_the_tables_of_the_whole(dialect: str, text: str) -> None:
    [statement] = read_statements(text, dialect)
    assert [".".join(name).lower() for name in statement.reads] == ["dbo.b"]
    assert [".".join(name).lower() for name in statement.written_tables] == ["dbo.t"]
    assert not statement.unresolved


@pytest.mark.parametrize(
    "text",
    [
        "SELECT count(*) INTO n FROM s",
        "SELECT a, b INTO x, @y FROM s WHERE c = 1",
        "SELECT a, b FROM s LIMIT 1 INTO new.x, `y`",
        "WITH c AS (SELECT a FROM s) SELECT max(a) INTO n FROM c FOR UPDATE",
        "SELECT a INTO OUTFILE '/tmp/f' FROM s",
    ],
)
def test_select_into_of_mysql_makes_no_table(text: str) -> None:
    """Logs have the statements of routines, with the names of their variables."""
    [statement] = read_statements(text, "mysql")
    assert (statement.reads, statement.flows, statement.unresolved) == ((("s",),), (), ())


def test_privileges_are_one_statement() -> None:
    text = "GRANT SELECT, UPDATE ON dbo.t TO app\nDENY DELETE ON dbo.t TO app\nDELETE FROM dbo.u"
    statements = read_statements(text, "tsql")
    assert [each.kind for each in statements] == ["OTHER", "OTHER", "DELETE ALL"]
    assert not any(each.unresolved for each in statements)


def test_nothing_of_a_statement_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """sqlglot warns of texts that it does not parse, and of paths in JSON."""
    for text in ("CREATE TABLE t AS SELECT json_value(doc, 'hunter2[') FROM s", "KILL hunter2"):
        for dialect in ("bigquery", "snowflake", "mysql"):
            read_statements(text, dialect)
    assert "hunter2" not in caplog.text


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO :tab SELECT a FROM s",
        "CREATE TABLE :schema.t AS SELECT a FROM s",
        "INSERT INTO t SELECT a FROM s, :tab",
        "UPDATE :tab SET a = 1",
        "DELETE FROM :schema.t",
    ],
)
def test_a_table_whose_name_is_a_variable_is_reported(text: str) -> None:
    [statement] = read_statements(text, "postgres")
    assert "the name of a table is in a variable or an expression" in statement.unresolved


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("INSERT INTO [$(Staging)].dbo.t SELECT a FROM dbo.s", "tsql"),
        ("INSERT INTO t SELECT a FROM $(Source).dbo.s", "tsql"),
        ("INSERT INTO t SELECT a FROM dbo.s_$(Env)", "tsql"),
        ("INSERT INTO ${env}.raw.t SELECT a FROM s", "spark"),
        ("INSERT INTO t SELECT a FROM s_${dt}", "hive"),
        ("INSERT INTO t SELECT a FROM s_{{ env }}", "postgres"),
        ("INSERT INTO t SELECT a FROM {{ ref('s') }} WHERE b = '{{ ds }}'", "snowflake"),
        ("INSERT INTO t SELECT a FROM `${hiveconf:db}`.s", "hive"),
        ("INSERT INTO `{{ params.project }}.d.t` SELECT a FROM s", "bigquery"),
        ("INSERT INTO t SELECT a FROM `${PROJECT}.d.s`", "bigquery"),
        ('INSERT INTO t SELECT a FROM "&{db}".public.s', "snowflake"),
    ],
)
def test_a_placeholder_is_no_name(text: str, dialect: str) -> None:
    [statement] = read_statements(text, dialect)
    assert statement.unresolved == ("the name of a table is in a variable or an expression",)
    names = (*statement.reads, *statement.written_tables)
    assert {name[-1].lower() for name in names} < {"s", "t"}


@pytest.mark.parametrize(
    "text",
    [
        "COPY INTO c.s.t FROM (SELECT $1:a FROM @c.s.stage/x (FILE_FORMAT => ff))",
        "INSERT INTO c.s.t SELECT $1 FROM @stage (FILE_FORMAT => c.s.ff, PATTERN => '.*') AS x",
        "MERGE INTO c.s.t USING (SELECT 1 FROM @s (FILE_FORMAT => f)) WHEN MATCHED THEN DELETE",
    ],
)
def test_a_file_format_is_no_table(text: str) -> None:
    [statement] = read_statements(text, "snowflake")
    assert (statement.reads, statement.written_tables) == ((), (("C", "S", "T"),))
    assert not statement.unresolved


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("CREATE TABLE t (id NUMBER(10), CONSTRAINT p PRIMARY KEY (id) ENABLE)", "oracle"),
        ("CREATE TABLE t (a int) PARTITION BY RANGE (a) (PARTITION p VALUES (9))", "oracle"),
        ("CREATE TABLE t (a int NOT FOR REPLICATION, r uniqueidentifier ROWGUIDCOL)", "tsql"),
        ("CREATE TABLE t (id int PRIMARY KEY NONCLUSTERED, INDEX i CLUSTERED COLUMNSTORE)", "tsql"),
        ("CREATE FOREIGN TABLE t (a int) SERVER s OPTIONS (table_name 'u')", "postgres"),
    ],
)  # fmt: skip
def test_a_table_with_columns_is_new_and_has_no_rows(text: str, dialect: str) -> None:
    [statement] = read_statements(text, dialect)
    assert [(flow.target[-1].lower(), flow.sources, flow.mode) for flow in statement.flows] == [
        ("t", (), "create"),
    ]  # fmt: skip
    assert (statement.reads, statement.unresolved) == ((), ())


@pytest.mark.parametrize(
    "text",
    [
        "ALTER TASK IF EXISTS d.s.t RESUME",
        "ALTER PIPE p REFRESH",
        "ALTER DYNAMIC TABLE t SUSPEND",
        "ALTER EXTERNAL TABLE t REFRESH",
        "CREATE NOTIFICATION INTEGRATION n TYPE = QUEUE",
        "SELECT * FROM TABLE(INFORMATION_SCHEMA.QUERY_HISTORY(RESULT_LIMIT => 10))",
    ],
)
def test_a_statement_of_snowflake_without_rows_of_tables(text: str) -> None:
    [statement] = read_statements(text, "snowflake")
    assert (statement.reads, statement.flows, statement.unresolved) == ((), (), ())


def test_a_dynamic_table_is_refreshed() -> None:
    [statement] = read_statements("ALTER DYNAMIC TABLE t REFRESH", "snowflake")
    assert (statement.kind, statement.flows) == ("REFRESH", (Flow(("T",), (), "overwrite"),))


@pytest.mark.parametrize("variables", [":n", ":n, :m"])
def test_into_assigns_variables_in_snowflake(variables: str) -> None:
    [statement] = read_statements(f"SELECT max(a), min(a) INTO {variables} FROM s", "snowflake")
    assert (statement.reads, statement.flows, statement.unresolved) == ((("S",),), (), ())


@pytest.mark.parametrize("body", ["$$ upper(x) $$", "'CASE WHEN x = 1 THEN 2 END'"])
def test_an_expression_is_the_body_of_a_function_of_snowflake(body: str) -> None:
    text = f"CREATE FUNCTION f(x STRING) RETURNS STRING AS {body}"
    [statement] = read_statements(text, "snowflake")
    assert (statement.reads, statement.unresolved) == ((), ())


@pytest.mark.parametrize(
    "text",
    [
        "COPY INTO c.s.t FROM (SELECT _c0 FROM 's3://b/x') FILEFORMAT = CSV",
        "COPY INTO c.s.t FROM (SELECT a.b FROM '/Volumes/raw/p' AS a) FILEFORMAT = JSON",
    ],
)
def test_the_files_of_copy_are_no_tables(text: str) -> None:
    (statement,) = read_statements(text, "databricks")
    assert (statement.reads, statement.flows) == (
        (),
        (Flow(("c", "s", "t"), (), "append", from_files=True),),
    )


@pytest.mark.parametrize("dialect", ["hive", "spark"])
@pytest.mark.parametrize(("word", "mode"), [("", "append"), ("OVERWRITE", "overwrite")])
def test_load_data_replaces_rows_if_it_says_so(dialect: str, word: str, mode: Mode) -> None:
    (statement,) = read_statements(f"LOAD DATA INPATH '/x' {word} INTO TABLE t", dialect)
    assert statement.flows == (Flow(("t",), (), mode, from_files=True),)


@pytest.mark.parametrize(
    ("dialect", "text", "mode"),
    [
        ("hive", "INSERT OVERWRITE TABLE t PARTITION (k = '1') SELECT a FROM s", "partitions"),
        ("hive", "INSERT OVERWRITE TABLE t PARTITION (k) SELECT a, k FROM s", "partitions"),
        ("hive", "FROM s INSERT OVERWRITE TABLE t PARTITION (k = '1') SELECT a", "partitions"),
        ("spark", "INSERT OVERWRITE t PARTITION (k = '1', m) SELECT a, m FROM s", "partitions"),
        ("spark", "INSERT OVERWRITE t PARTITION (k = '1') (a) SELECT a FROM s", "partitions"),
        ("spark", "INSERT OVERWRITE t PARTITION (k) SELECT a, k FROM s", "whole"),
        ("hive", "INSERT OVERWRITE TABLE t SELECT a FROM s", "whole"),
        ("hive", "LOAD DATA INPATH '/x' OVERWRITE INTO TABLE t PARTITION (k = '1')", "partitions"),
        (
            "bigquery",
            "LOAD DATA OVERWRITE t PARTITIONS (k = '1') (a INT64) FROM FILES (uris = ['gs://b/f'])",
            "partitions",
        ),
    ],
)
def test_an_overwrite_of_a_partition_leaves_others(dialect: str, text: str, mode: str) -> None:
    (statement,) = read_statements(text, dialect)
    modes = {"partitions": "overwrite_partitions", "whole": "overwrite"}
    assert [flow.mode for flow in statement.flows] == [modes[mode]]


@pytest.mark.parametrize(
    ("argument", "dialect"),
    [
        ("TABLE(exclude_columns(input => TABLE(s.o), columns => DESCRIPTOR(x)))", "trino"),
        ("TABLE(f(TABLE(SELECT * FROM s.o)))", "trino"),
        ("f(TABLE(s.o))", "databricks"),
    ],
)
def test_a_table_that_is_an_argument_is_read(argument: str, dialect: str) -> None:
    (statement,) = read_statements(f"INSERT INTO t SELECT * FROM {argument}", dialect)
    assert statement.flows == (Flow(("t",), (("s", "o"),), "append"),)


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE t AS SELECT * FROM s WITH NO DATA",
        "CREATE TEMP TABLE t ON COMMIT DROP AS SELECT * FROM s WITH NO DATA",
        "CREATE TABLE t (LIKE s)",
    ],
)
def test_a_table_without_data_has_no_sources(text: str) -> None:
    (statement,) = read_statements(text, "postgres")
    assert (statement.reads, statement.flows) == ((), (Flow(("t",), (), "create"),))


def test_a_materialized_view_without_data_has_the_sources_of_its_definition() -> None:
    text = "CREATE MATERIALIZED VIEW m AS SELECT * FROM s WITH NO DATA"
    (statement,) = read_statements(text, "postgres")
    assert statement.declares == (View(("m",), (("s",),)),)


@pytest.mark.parametrize("dialect", ["postgres", "trino"])
def test_explain_analyze_executes_the_statement(dialect: str) -> None:
    text = "EXPLAIN ANALYZE INSERT INTO t SELECT * FROM s"
    (statement,) = read_statements(text, dialect)
    assert [each.flows for each in statement.calls[0].statements] == [
        (Flow(("t",), (("s",),), "append"),)
    ]


@pytest.mark.parametrize("mark", ["\\'", "''"])
def test_quotes_in_the_query_of_unload(mark: str) -> None:
    text = f"UNLOAD ('SELECT a FROM s WHERE b = {mark}x{mark}') TO 's3://x'; INSERT INTO t SELECT 1"
    unload, insert = read_statements(text, "redshift")
    assert unload.reads == (("s",),)
    assert insert.written_tables == (("t",),)
    assert unload.unresolved == insert.unresolved == ()


def test_a_prepared_statement_of_trino_is_no_literal() -> None:
    (statement,) = read_statements("PREPARE p FROM INSERT INTO t SELECT * FROM s", "trino")
    assert statement.handle is not None
    assert [each.reads for each in statement.handle.statements] == [(("s",),)]
    assert not statement.unresolved


def test_a_table_that_is_changed_through_a_query_is_reported() -> None:
    (statement,) = read_statements("DELETE FROM (SELECT * FROM t WHERE a = 1)", "oracle")
    assert statement.unresolved


def test_a_rebuilt_view_has_new_rows_and_a_renamed_one_a_new_name() -> None:
    (rebuilt,) = read_statements("ALTER MATERIALIZED VIEW d.m REBUILD", "hive")
    assert (rebuilt.kind, rebuilt.flows) == ("REFRESH", (Flow(("d", "m"), (), "overwrite"),))
    (renamed,) = read_statements("ALTER MATERIALIZED VIEW IF EXISTS d.m RENAME TO n", "postgres")
    assert renamed.renames == ((("d", "m"), ("d", "n")),)


def test_row_of_mysql_is_no_function_of_users() -> None:
    (statement,) = read_statements("INSERT INTO t VALUES ROW(1, 2), ROW(3, 4)", "mysql")
    assert not statement.functions


@pytest.mark.parametrize("begin", ["CREATE VIEW", "ALTER VIEW", "CREATE OR ALTER VIEW"])
def test_a_view_of_tsql_reads_the_tables_of_its_ctes(begin: str) -> None:
    text = f"{begin} dbo.v AS WITH c AS (SELECT a FROM dbo.t) SELECT a FROM c;"
    (view,) = read_statements(text, "tsql")
    assert (view.reads, view.flows[0].sources) == ((("dbo", "t"),), (("dbo", "t"),))
    assert not view.unresolved


def test_triggers_that_are_disabled_hide_no_statement() -> None:
    load = "INSERT INTO [dbo].[t] SELECT a FROM dbo.s "
    text = f"ALTER TABLE [dbo].[t] DISABLE TRIGGER ALL {load}; DISABLE TRIGGER tr ON dbo.t; {load}"
    statements = read_statements(text, "tsql")
    assert [len(each.flows) for each in statements] == [0, 1, 0, 1]
    assert not any(each.unresolved for each in statements)


def test_a_drop_of_tsql_ends_before_a_condition() -> None:
    text = "IF @@ERROR <> 0 DROP TABLE Stage1 IF @@ERROR <> 0 ROLLBACK"
    assert [each.drops for each in read_statements(text, "tsql")] == [(), (("stage1",),), (), ()]
