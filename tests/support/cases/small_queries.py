"""Queries that SQLite and Spark understand, on tables of twelve rows in all.

The values are powers of two, so that a sum tells its rows.
"""

from __future__ import annotations

from typing import NamedTuple

COLUMNS = {"a": "id, k, v", "b": "k, w"}
SCHEMAS = {"a": "id INT, k INT, v INT", "b": "k INT, w INT"}
ROWS = {
    "a": [(1, 1, 1), (2, 1, 2), (3, 2, 4), (4, 2, 8), (5, 3, 16), (6, None, 32), (7, 1, 64)],
    "b": [(1, 128), (1, 256), (2, 512), (4, 1024), (2, 2048)],
}


class SmallQuery(NamedTuple):
    """A query. ``is_tight``: each row that contributes is in some minimal set.

    That is not so for the rows below a maximum, or those of a sum that only has to be large.
    """

    name: str
    text: str
    is_tight: bool = True
    # Two scans of a table have different named rows. Without a row in one of them the result is
    # another than without it in the table.
    differs_by_scan: bool = False


QUERIES = (
    SmallQuery("project", "SELECT v FROM a"),
    SmallQuery("filter", "SELECT id FROM a WHERE v > 3"),
    SmallQuery("inner", "SELECT a.v, b.w FROM a JOIN b ON a.k = b.k"),
    SmallQuery("left", "SELECT a.v, b.w FROM a LEFT JOIN b ON a.k = b.k AND b.w > 200"),
    SmallQuery("full", "SELECT a.v, b.w FROM a FULL JOIN b ON a.k = b.k"),
    SmallQuery("self", "SELECT x.v, y.v FROM a x JOIN a y ON x.k = y.k AND x.id < y.id"),
    SmallQuery("sum", "SELECT k, sum(v) FROM a GROUP BY k"),
    SmallQuery("max", "SELECT k, max(v) FROM a GROUP BY k", is_tight=False),
    SmallQuery("count", "SELECT k, count(*) FROM a GROUP BY k"),
    SmallQuery("global", "SELECT sum(v) FROM a"),
    SmallQuery("having", "SELECT k, sum(v) FROM a GROUP BY k HAVING sum(v) > 10"),
    SmallQuery(
        "sum_of_join", "SELECT a.k, sum(a.v * 4096 + b.w) FROM a JOIN b ON a.k = b.k GROUP BY a.k"
    ),
    SmallQuery("sum_of_sum", "SELECT sum(s) FROM (SELECT k, sum(v) AS s FROM a GROUP BY k)"),
    SmallQuery("distinct", "SELECT DISTINCT k FROM a"),
    SmallQuery("union_all", "SELECT k FROM a UNION ALL SELECT k FROM b"),
    SmallQuery("union", "SELECT k FROM a UNION SELECT k FROM b"),
    SmallQuery("intersect", "SELECT k FROM a INTERSECT SELECT k FROM b"),
    SmallQuery("except", "SELECT k FROM b EXCEPT SELECT k FROM a"),
    SmallQuery("exists", "SELECT v FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.k)"),
    SmallQuery(
        "exists_further",
        "SELECT v FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND b.w > a.v * 100)",
    ),
    SmallQuery("in", "SELECT v FROM a WHERE k IN (SELECT k FROM b WHERE w > 200)"),
    SmallQuery("not_exists", "SELECT v FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.k = a.k)"),
    SmallQuery("not_in", "SELECT v FROM a WHERE k NOT IN (SELECT k FROM b)"),
    SmallQuery("scalar_value", "SELECT v, (SELECT sum(w) FROM b) FROM a"),
    SmallQuery("scalar_filter", "SELECT v FROM a WHERE v < (SELECT sum(w) FROM b)", is_tight=False),
    SmallQuery("scalar_correlated", "SELECT v, (SELECT sum(w) FROM b WHERE b.k = a.k) FROM a"),
    SmallQuery(
        "nested",
        "SELECT v FROM a WHERE k IN"
        " (SELECT k FROM b WHERE w = (SELECT max(c.w) FROM b c WHERE c.k = b.k))",
        is_tight=False,
        differs_by_scan=True,
    ),
    SmallQuery("running", "SELECT id, sum(v) OVER (PARTITION BY k ORDER BY id) FROM a"),
    SmallQuery("partition", "SELECT id, sum(v) OVER (PARTITION BY k) FROM a"),
    SmallQuery("row_number", "SELECT id, row_number() OVER (PARTITION BY k ORDER BY id) FROM a"),
    SmallQuery("lag", "SELECT id, lag(v) OVER (PARTITION BY k ORDER BY id) FROM a", is_tight=False),
    SmallQuery(
        "cte_twice",
        "WITH s AS (SELECT k, sum(v) AS t FROM a GROUP BY k)"
        " SELECT x.t, y.t FROM s x JOIN s y ON x.k = y.k - 1",
    ),
)
