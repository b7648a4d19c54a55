"""Statements of a text, and the shape of a statement."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage.sql.lexer import tokenize_text
from lineage.sql.shapes import shape_of
from lineage.sql.splitting import split_statements
from lineage.sql.statements import read_statements

# Each is one statement of T-SQL.
TSQL = [
    "SELECT a, CASE WHEN b = 1 THEN 2 ELSE 3 END FROM dbo.t WITH (NOLOCK)",
    "INSERT INTO dbo.t (a) SELECT a FROM dbo.s UNION ALL SELECT a FROM dbo.r",
    "INSERT INTO dbo.t (a) EXEC dbo.p @x = 1",
    "INSERT INTO dbo.t (a) VALUES (1)",
    "WITH c AS (SELECT 1 AS a), d AS (SELECT a FROM c) INSERT INTO dbo.t SELECT a FROM d",
    "WITH c AS (SELECT 1 AS a) SELECT a FROM c",
    "MERGE t USING s ON t.a = s.a WHEN MATCHED THEN UPDATE SET b = s.b",
    "MERGE t USING s ON t.a = s.a WHEN NOT MATCHED THEN INSERT (a) VALUES (s.a)",
    "MERGE t USING s ON t.a = s.a WHEN NOT MATCHED BY SOURCE THEN DELETE",
    "UPDATE u SET a = 1 FROM dbo.u AS u",
    "BULK INSERT dbo.raw FROM 'f.csv' WITH (FIRSTROW = 2)",
    "EXEC sp_rename 'dbo.a', 'b'",
    "DROP TABLE IF EXISTS dbo.t",
    "DROP TABLE #t",
    "CREATE VIEW dbo.v AS SELECT a FROM dbo.t",
    "CREATE VIEW dbo.v AS WITH c AS (SELECT 1 AS a), d (a) AS (SELECT a FROM c) SELECT a FROM d",
    "CREATE TABLE dbo.t WITH (HEAP) AS WITH c AS (SELECT 1 AS a) SELECT a FROM c",
    "DECLARE k CURSOR FOR WITH c AS (SELECT 1 AS a) SELECT a FROM c",
    "CREATE TYPE dbo.ty AS TABLE (a int)",
    "ALTER TABLE [dbo].[t] DISABLE TRIGGER ALL",
    "ALTER TABLE dbo.t ENABLE TRIGGER [tr]",
    "ALTER PARTITION FUNCTION pf() SPLIT RANGE (@day)",
    "ALTER PARTITION FUNCTION pf() MERGE RANGE ('20240101')",
    "IF @@ERROR <> 0",
    "IF NOT EXISTS (SELECT 1 FROM dbo.t)",
    "ALTER TABLE dbo.t DROP COLUMN a",
    "SET NOCOUNT ON",
]


def test_any_two_tsql_statements_are_split() -> None:
    pairs = list(itertools.product(TSQL, repeat=2))
    assert [p for p in pairs if split_statements("\n".join(p), "tsql") != list(p)] == []


@given(st.lists(st.sampled_from(TSQL), min_size=1, max_size=6), st.sampled_from(["\n", ";", " ; "]))
def test_tsql_statements_need_no_semicolons(statements: list[str], separator: str) -> None:
    assert split_statements(separator.join(statements), "tsql") == statements


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        (
            "IF EXISTS (SELECT 1 FROM a) BEGIN DELETE FROM b END ELSE BEGIN DELETE FROM c END",
            ["IF EXISTS (SELECT 1 FROM a)", "DELETE FROM b", "DELETE FROM c"],
        ),
        (
            "BEGIN TRY BEGIN TRAN; DELETE FROM b; COMMIT END TRY BEGIN CATCH ROLLBACK END CATCH",
            ["BEGIN TRAN", "DELETE FROM b", "COMMIT", "ROLLBACK"],
        ),
        (
            "CREATE PROCEDURE p AS BEGIN DELETE FROM b; SELECT 1 END\nGO\nEXEC p",
            ["CREATE PROCEDURE p AS BEGIN DELETE FROM b; SELECT 1 END", "EXEC p"],
        ),
        (
            "INSERT INTO t SELECT a FROM s\nnextstep:\nDELETE FROM b\nGOTO nextstep\n[a b]:",
            ["INSERT INTO t SELECT a FROM s", "DELETE FROM b", "GOTO nextstep"],
        ),
        (
            "retry: DELETE FROM b; -- c\n done:",
            ["DELETE FROM b"],
        ),
        (
            "SELECT a FROM b WHERE c =\ngeometry::Parse(d)",
            ["SELECT a FROM b WHERE c =\ngeometry::Parse(d)"],
        ),
        (
            "CREATE PROCEDURE p AS BEGIN DELETE FROM b\ndone:\nSELECT 1 END\nGO\nEXEC p",
            ["CREATE PROCEDURE p AS BEGIN DELETE FROM b\ndone:\nSELECT 1 END", "EXEC p"],
        ),
        (
            "CREATE PROCEDURE p AS BEGIN BEGIN TRAN; DELETE FROM b; COMMIT END\nGO\nEXEC p",
            ["CREATE PROCEDURE p AS BEGIN BEGIN TRAN; DELETE FROM b; COMMIT END", "EXEC p"],
        ),
    ],
)
def test_blocks_of_tsql_are_structure(text: str, statements: list[str]) -> None:
    assert split_statements(text, "tsql") == statements


@pytest.mark.parametrize(
    ("text", "dialect", "statements"),
    [
        ("SELECT ';'; SELECT $$a;b$$", "postgres", ["SELECT ';'", "SELECT $$a;b$$"]),
        (r"SELECT 'a\';b'; SELECT 2", "mysql", [r"SELECT 'a\';b'", "SELECT 2"]),
        ("SELECT 1 -- a;b\n; SELECT 2", "snowflake", ["SELECT 1", "SELECT 2"]),
        ("SELECT `a;b`; SELECT ';'", "bigquery", ["SELECT `a;b`", "SELECT ';'"]),
        ("SELECT 1 // don't; a\n; SELECT 2", "snowflake", ["SELECT 1", "SELECT 2"]),
        ("COPY INTO t FROM @a//b/; SELECT 2", "snowflake", ["COPY INTO t FROM @a//b/", "SELECT 2"]),
        ('LIST @d."A b".s//x; SELECT 2', "snowflake", ['LIST @d."A b".s//x', "SELECT 2"]),
        ("PUT file:///a//b @s; SELECT 2", "snowflake", ["PUT file:///a//b @s", "SELECT 2"]),
        ("SELECT a//it's; b\n; SELECT 2", "snowflake", ["SELECT a", "SELECT 2"]),
        ("PUT file:///a.csv @s; SELECT 2", "snowflake", ["PUT file:///a.csv @s", "SELECT 2"]),
        ("SELECT q'[it's; b]'; SELECT 2", "oracle", ["SELECT q'[it's; b]'", "SELECT 2"]),
    ],
)
def test_semicolons_in_literals_names_and_comments_do_not_count(
    text: str, dialect: str, statements: list[str]
) -> None:
    assert split_statements(text, dialect) == statements


@given(
    st.text("aZ_#@1.'\"`[]()-/*\\$;\n =", max_size=40),
    st.sampled_from(
        ["tsql", "postgres", "snowflake", "bigquery", "spark", "mysql", "duckdb"],
    ),
)
def test_tokens_are_the_whole_text(text: str, dialect: str) -> None:
    assert "".join(token.text for token in tokenize_text(text, dialect)) == text


@pytest.mark.parametrize(
    ("text", "dialect", "shape"),
    [
        ("SELECT a1 FROM [x 'y] WHERE b = N'p''w' AND c = 1.5e3", "tsql",
         "SELECT a1 FROM [x 'y] WHERE b = '?' AND c = ?"),
        ('SELECT "a1" FROM t WHERE b = $x$p\'w$x$ AND c = E\'p\\\'w\'', "postgres",
         'SELECT "a1" FROM t WHERE b = \'?\' AND c = \'?\''),
        ('SELECT `a1` FROM t WHERE b = "p\'w" # secret', "mysql",
         "SELECT `a1` FROM t WHERE b = '?'  "),
        ("SELECT 1 /* secret */ FROM t2", "duckdb", "SELECT ?   FROM t2"),
        ("// a's\nCOPY INTO t FROM 's3://x' /// b's\nFILES = ('secret')", "snowflake",
         " \nCOPY INTO t FROM '?'  \nFILES = ('?')"),
        (r"UNLOAD ('SELECT a FROM t WHERE b = \'secret\'') TO 's3://x'", "redshift",
         "UNLOAD ('?') TO '?'"),
        (r"SELECT a FROM t WHERE b = 'O\'secret' AND c = E'p\'w\\'", "redshift",
         "SELECT a FROM t WHERE b = '?' AND c = '?'"),
        ("SELECT q'[it's a]', Q'!it's; b!', nq'{it's}' || 'c', q'aSba' FROM t", "oracle",
         "SELECT '?', '?', '?' || '?', '?' FROM t"),
    ],
)  # fmt: skip
def test_the_shape_has_no_literals_and_no_comments(text: str, dialect: str, shape: str) -> None:
    assert shape_of(text, dialect) == shape


def test_a_cut_literal_with_delimiters_is_no_key_of_a_statement() -> None:
    cut = "INSERT INTO x SELECT a FROM t WHERE b = q'[it's a secret"
    (shown,) = read_statements(cut, "oracle")
    assert (shown.kind, shown.shape) == ("OTHER", "INSERT INTO x SELECT a FROM t WHERE b = '?'")
    (whole,) = read_statements("INSERT INTO x SELECT a FROM t WHERE b = 'u'", "oracle")
    assert whole.kind == "INSERT"
    assert read_statements(cut, "oracle")[0].kind == "OTHER"


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("SELECT a, sum(5) FROM t GROUP BY 1 HAVING a > 3",
         "SELECT a, sum(?) FROM t GROUP BY 1 HAVING a > ?"),
        ("SELECT a FROM t ORDER BY f(a, 3), 2 DESC, 1 LIMIT 5, 10",
         "SELECT a FROM t ORDER BY f(a, ?), 2 DESC, 1 LIMIT ?, ?"),
        ("SELECT DISTINCT ON (1, a) a FROM t WHERE a IN (1, 2)",
         "SELECT DISTINCT ON (1, a) a FROM t WHERE a IN (?, ?)"),
        ("SELECT a FROM t GROUP BY ROLLUP (1, (2, 3)) ORDER BY (SELECT 1, 2), 4",
         "SELECT a FROM t GROUP BY ROLLUP (1, (2, 3)) ORDER BY (SELECT ?, ?), 4"),
        ("SELECT a FROM t ORDER BY 1 + 2, 90210, '1', -1, 1.5",
         "SELECT a FROM t ORDER BY ? + ?, ?, '?', -?, ?"),
        ("INSERT INTO t SELECT a FROM s GROUP BY 1; INSERT INTO t VALUES (1, 2)",
         "INSERT INTO t SELECT a FROM s GROUP BY 1; INSERT INTO t VALUES (?, ?)"),
        ("SELECT a FROM t GROUP BY 1 UNION SELECT 2, 3 FROM u",
         "SELECT a FROM t GROUP BY 1 UNION SELECT ?, ? FROM u"),
    ],
)  # fmt: skip
def test_the_shape_has_the_positions_of_columns(text: str, shape: str) -> None:
    assert shape_of(text, "postgres") == shape


def test_statements_that_differ_in_a_position_have_columns_of_their_own() -> None:
    texts = [f"CREATE TABLE x AS SELECT a, b FROM t ORDER BY {place}" for place in (1, 2)]
    assert shape_of(texts[0], "postgres") != shape_of(texts[1], "postgres")
