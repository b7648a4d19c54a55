"""Lineage of queries run by a database, by the semantics of SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support.cases.columns import edges

from lineage import sql
from lineage.columns import algebra
from lineage.naming import DatasetName

if TYPE_CHECKING:
    from lineage.columns.algebra import Deps

Edges = set[tuple[str, str, bool]]


def made_of(deps: Deps) -> Edges:
    return {
        (f"{source.dataset.name}.{source.facet_path}", how.kind.value, how.masking)
        for source, hows in algebra.fields_of(deps).items()
        for how in hows
    }


def told(text: str, *output: str, dialect: str = "postgres") -> tuple[dict[str, Edges], Edges]:
    """Return the sources of each column of a query, and of its rows."""
    rows = sql.read_query(text, dialect).column_rows(
        lambda name: DatasetName("db", ".".join(name)), output
    )
    columns = zip(output, rows.columns, strict=True)
    return {name: made_of(column.deps) for name, column in columns}, made_of(rows.wide)


@pytest.mark.parametrize(
    ("text", "columns", "rows"),
    [
        ("SELECT id, s.t.name FROM s.t", {"id": "s.t.id", "name": "s.t.name"}, ""),
        ("SELECT o.id, p.name AS who FROM s.o o JOIN p ON o.person = p.id WHERE o.amount > 10",
         {"id": "s.o.id", "who": "p.name"}, "join(s.o.person, p.id) where(s.o.amount)"),
        ("SELECT person, sum(amount) AS total FROM o GROUP BY person",
         {"person": "o.person", "total": "agg(o.amount)"}, "by(o.person)"),
        ("SELECT upper(x) AS y, count(*) FROM t GROUP BY 1 HAVING count(z) > 1 ORDER BY y",
         {"y": "f(t.x)", "count": ""}, "by(t.x) #where(t.z) order(t.x)"),
        ("SELECT * FROM (SELECT a + b AS c FROM t WHERE d) AS q", {"c": "f(t.a, t.b)"},
         "where(t.d)"),
        ("SELECT * FROM t WHERE a > 1", {"a": "t.a", "b": "t.b"}, "where(t.a)"),
        ("SELECT t.*, q.x FROM t JOIN (SELECT k, max(x) AS x FROM u GROUP BY k) q ON t.k = q.k",
         {"k": "t.k", "v": "t.v", "x": "agg(u.x)"}, "join(t.k, u.k) by(u.k)"),
        ("WITH c AS (SELECT id FROM t) SELECT c.id FROM c", {"id": "t.id"}, ""),
        ("WITH c (n) AS (SELECT id FROM t) SELECT n FROM c", {"n": "t.id"}, ""),
        ("WITH a AS (SELECT x FROM b), b AS (SELECT 1 AS x) SELECT a.x, b.x AS y FROM a, b",
         {"x": "b.x", "y": ""}, ""),
        ("SELECT id FROM t UNION ALL SELECT k FROM u", {"id": "t.id u.k"}, ""),
        (("WITH RECURSIVE r (n) AS (SELECT id FROM t UNION ALL SELECT u.k + r.n FROM u JOIN r"
         " ON r.n = u.x) SELECT n FROM r"), {"n": "t.id f(u.k, t.id)"},
         "join(t.id, u.x, u.k)"),
        ("SELECT id FROM t UNION SELECT k FROM u", {"id": "t.id u.k"}, "by(t.id, u.k)"),
        ("SELECT id FROM t EXCEPT SELECT k FROM u", {"id": "t.id"}, "join(t.id, u.k)"),
        ("SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.id)", {"id": "t.id"},
         "where(u.k, t.id)"),
        ("SELECT id FROM t WHERE t.k IN (SELECT u.k FROM u WHERE u.x)", {"id": "t.id"},
         "where(t.k, u.k, u.x)"),
        ("SELECT (SELECT max(u.x) FROM u WHERE u.k = t.k) AS m FROM t",
         {"m": "agg(u.x) where(u.k, t.k)"}, ""),
        ("SELECT CASE WHEN a THEN b ELSE c END AS x, coalesce(d, e) AS y FROM t",
         {"x": "if(t.a) f(t.b, t.c)", "y": "if(t.d) f(t.d, t.e)"}, ""),
        ("SELECT sum(x) OVER (PARTITION BY y ORDER BY z) AS a FROM t",
         {"a": "agg(t.x) over(t.y, t.z)"}, ""),
        ("SELECT rank() OVER w AS b FROM t WINDOW w AS (ORDER BY q)", {"b": "over(t.q)"}, ""),
        ("SELECT count(a) FILTER (WHERE b) AS n, md5(c) AS h FROM t",
         {"n": "#agg(t.a) if(t.b)", "h": "#f(t.c)"}, ""),
        ("SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) AS p FROM t GROUP BY ROLLUP (a, b)",
         {"p": "agg(t.x)"}, "by(t.a, t.b)"),
        ("SELECT DISTINCT a, 1 AS one, current_date AS d FROM t LIMIT 5",
         {"a": "t.a", "one": "", "d": ""}, "by(t.a)"),
        ("SELECT DISTINCT ON (k) v FROM t ORDER BY k, z DESC", {"v": "t.v"},
         "by(t.k) order(t.k, t.z)"),
        ('SELECT Id, "Id" AS q FROM t', {"id": "t.id", "q": "t.Id"}, ""),
        ("SELECT v::text AS v, (addr).zip AS zip FROM t", {"v": "f(t.v)", "zip": "f(t.addr)"}, ""),
        ("SELECT t.a, u.b FROM ((t JOIN x ON x.k = t.k) LEFT JOIN u ON u.k = x.k), (y)",
         {"a": "t.a", "b": "u.b"}, "join(x.k, t.k, u.k)"),
        ("SELECT q.a FROM ((SELECT t.a, t.k FROM t) q JOIN u ON u.k = q.k)", {"a": "t.a"},
         "join(u.k, t.k)"),
        ("SELECT g AS n FROM generate_series(1, 3) AS g", {"n": ""}, ""),
        ("SELECT t.id, x.tag, x.n FROM t, unnest(t.tags) WITH ORDINALITY AS x (tag, n)",
         {"id": "t.id", "tag": "f(t.tags)", "n": "f(t.tags)"}, "join(t.tags)"),
        ("SELECT e.key, e.value FROM t CROSS JOIN LATERAL jsonb_each(t.doc) AS e",
         {"key": "f(t.doc)", "value": "f(t.doc)"}, "join(t.doc)"),
        ("SELECT r.a FROM t, jsonb_to_recordset(t.doc) AS r (a int, b text)", {"a": "f(t.doc)"},
         "join(t.doc)"),
        ("SELECT g.a, t.b FROM t, ROWS FROM (generate_series(1, t.n), unnest(t.l)) AS g (a, c)",
         {"a": "f(t.n, t.l)", "b": "t.b"}, "join(t.n, t.l)"),
        ("SELECT v.a, v.b FROM t, LATERAL (VALUES (1, t.x), (t.y, 2)) AS v (a, b)",
         {"a": "f(t.y)", "b": "f(t.x)"}, ""),
        ("SELECT s.m, s.k FROM t, LATERAL (SELECT max(u.a) AS m, t.k FROM u WHERE u.k = t.k) s",
         {"m": "agg(u.a)", "k": "t.k"}, "where(u.k, t.k)"),
    ],
)  # fmt: skip
def test_column_lineage_of_a_query_is_read_from_its_text(
    text: str, columns: dict[str, str], rows: str
) -> None:
    found, deciding = told(text, *columns)
    assert found == {name: edges(given) for name, given in columns.items()}
    assert deciding == edges(rows)


@pytest.mark.parametrize(
    ("text", "columns", "rows", "dialect"),
    [
        ("SELECT TOP 5 [o].[Id] FROM [dbo].[Orders] o WITH (NOLOCK)", {"Id": "dbo.Orders.Id"}, "",
         "tsql"),
        ("SELECT `a` FROM `my`.`t` WHERE `b` = 1", {"a": "my.t.a"}, "where(my.t.b)", "mysql"),
        ("SELECT id FROM hr.emp WHERE ROWNUM < 5", {"ID": "hr.emp.ID"}, "", "oracle"),
        ("SELECT o.a, s.value FROM dbo.o CROSS APPLY string_split(o.tags, ',') s",
         {"a": "dbo.o.a", "value": "f(dbo.o.tags)"}, "join(dbo.o.tags)", "tsql"),
        (("SELECT x.k, x.[jan] FROM (SELECT o.k, o.m, o.v FROM dbo.o) AS p"
         " PIVOT (SUM(v) FOR m IN ([jan], [feb])) AS x"),
         {"k": "dbo.o.k", "jan": "agg(dbo.o.v) if(dbo.o.m)"}, "by(dbo.o.k, dbo.o.m)", "tsql"),
        (("SELECT u.k, u.name, u.v FROM (SELECT o.k, o.a, o.b FROM dbo.o) AS p"
         " UNPIVOT (v FOR name IN (a, b)) AS u"),
         {"k": "dbo.o.k", "name": "", "v": "dbo.o.a dbo.o.b"}, "where(dbo.o.a, dbo.o.b)", "tsql"),
        ("SELECT f.value AS v FROM db.o, LATERAL FLATTEN(input => o.tags) f",
         {"V": "f(db.o.TAGS)"}, "join(db.o.TAGS)", "snowflake"),
        ("SELECT o.a, i.sku FROM d.o, UNNEST(o.items) AS i", {"a": "d.o.a", "sku": "f(d.o.items)"},
         "join(d.o.items)", "bigquery"),
        ("SELECT o.a, x.tag FROM d.o LATERAL VIEW explode(o.tags) x AS tag",
         {"a": "d.o.a", "tag": "f(d.o.tags)"}, "join(d.o.tags)", "spark"),
    ],
)  # fmt: skip
def test_each_database_has_its_own_words(
    text: str, columns: dict[str, str], rows: str, dialect: str
) -> None:
    found, deciding = told(text, *columns, dialect=dialect)
    assert found == {name: edges(given) for name, given in columns.items()}
    assert deciding == edges(rows)


@pytest.mark.parametrize(
    ("text", "tables"),
    [
        ("SELECT a FROM t, u", {("t",), ("u",)}),  # the table of a is unknown
        ("SELECT * FROM t JOIN u ON t.k = u.k", {("t",), ("u",)}),
        ("SELECT t.a FROM t JOIN u USING (k)", {("t",), ("u",)}),
        ("SELECT t.a FROM t NATURAL JOIN u", {("t",), ("u",)}),
        ("SELECT t.a FROM x.t JOIN y.t ON true", {("x", "t"), ("y", "t")}),
        ("SELECT id FROM t WHERE k IN (SELECT k FROM u)", {("t",), ("u",)}),  # k may be of t
        ("SELECT b AS a, count(*) FROM t GROUP BY a", {("t",)}),
        ("SELECT a FROM t UNION SELECT * FROM u", {("t",), ("u",)}),
        ("SELECT j.a FROM t, jsonb_each(t.doc) AS j JOIN u USING (k)", {("t",), ("u",)}),
        ("SELECT f.a FROM my.f(1) AS f (a)", set()),  # a function of users may read tables
        ("SELECT * FROM jsonb_each('{}') AS j", set()),
        ("SELECT a FROM t, unnest(t.l) AS u (b)", {("t",)}),
        ("SELECT v.a FROM (VALUES (1, 2)) AS v", set()),
        ("SELECT x.a FROM t PIVOT (sum(v) FOR m IN (1 AS a)) AS x", {("t",)}),
        ("SELECT x.a FROM (SELECT k FROM t) q PIVOT (sum(v) FOR m IN (?)) AS x", {("t",)}),
        ("WITH RECURSIVE r AS (SELECT * FROM t UNION ALL SELECT * FROM r) SELECT id FROM r",
         {("t",)}),
        ("SELECT a FROM (SELECT * FROM t ORDER BY 2 LIMIT 3) AS q", {("t",)}),
    ],
)  # fmt: skip
def test_what_only_the_database_knows_is_not_guessed(text: str, tables: set[tuple[str]]) -> None:
    query = sql.read_query(text, "postgres")
    assert set(query.tables) == tables
    with pytest.raises(sql.Unreadable):
        query.column_rows(lambda name: DatasetName("db", ".".join(name)), ["a"])


@pytest.mark.parametrize(
    "text",
    ["DROP TABLE t", "SELECT (", "CALL p()", "", "EXEC p", "SELECT a FROM t, LATERAL f(t.a) t.(t)"],
)
def test_what_is_no_query_is_not_read(text: str) -> None:
    with pytest.raises(sql.Unreadable):
        sql.read_query(text, "postgres")


def test_a_query_is_read_without_loading_what_it_needs_not() -> None:
    """Jobs without a query of a database do not load sqlglot."""
    import subprocess
    import sys

    code = "import sys, lineage.spark.conversion.convert; sys.exit('sqlglot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
