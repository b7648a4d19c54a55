"""Small Spark queries, with the source columns of each result column by the semantics of SQL.

The notation of a source is its transformation: ``people.age`` is the identity, ``f(people.age)`` a
transformation, ``agg(..)`` an aggregation. A ``#`` before it marks the value as masked. ``if(..)``
is a condition of that one column, and ``over(..)`` is the partition or order of a window.
``where(..)``, ``join(..)``, ``by(..)`` and ``order(..)`` determine the rows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

TABLES = {
    "people": (
        (
            "id INT, name STRING, age INT, city STRING, boss INT,"
            " address STRUCT<street: STRING, zip: STRING>"
        ),
        [
            (1, "ann", 31, "rome", None, ("first", "z1")),
            (2, "bob", 45, "oslo", 1, ("second", "z2")),
            (3, "eve", 19, "rome", 2, ("third", "z3")),
            (4, "dan", 45, "bonn", 2, ("fourth", "z1")),
        ],
    ),
    "orders": (
        (
            "id INT, person INT, amount INT, day STRING, tags ARRAY<STRING>,"
            " items ARRAY<STRUCT<sku: STRING, price: INT>>, doc STRING"
        ),
        [
            (10, 1, 100, "mon", ["a", "b"], [("x", 1)], '{"k": "1", "l": "2"}'),
            (11, 1, 50, "tue", ["a"], [("x", 2), ("y", 3)], '{"k": "3", "l": "4"}'),
            (12, 2, 70, "mon", ["c"], [("z", 4)], '{"k": "5", "l": "6"}'),
            (13, 4, 20, "wed", ["b"], [("y", 5)], '{"k": "7", "l": "8"}'),
        ],
    ),
    "visits": (
        "person INT, page STRING, hits INT",
        [(1, "home", 3), (2, "shop", 5), (2, "home", 2), (3, "shop", 9)],
    ),
    "carts": (
        (
            "id INT, st STRUCT<x: INT, y: STRING, deep: STRUCT<u: INT, v: STRING>>,"
            " items ARRAY<STRUCT<sku: STRING, qty: INT>>, tags ARRAY<STRING>,"
            " props MAP<STRING, INT>, note STRING, n INT"
        ),
        [
            (
                1, (1, "a", (10, "p")), [("s1", 5), ("s2", 4)], ["t1", "t2"],
                {"k1": 1, "k2": 2}, "n1", 3,
            ),
            (2, (2, "b", (20, "q")), [("s3", 3)], ["t3"], {"k3": 3}, "n2", 1),
            (
                3, (3, "c", (30, "r")), [("s6", 9), ("s4", 2), ("s5", 7)], ["t4", "t5", "t6"],
                {"k4": 4, "k5": 5, "k6": 6}, "n3", 2,
            ),
        ],
    ),
}  # fmt: skip

KINDS = {
    "": "IDENTITY",
    "f": "TRANSFORMATION",
    "agg": "AGGREGATION",
    "if": "CONDITIONAL",
    "over": "WINDOW",
    "where": "FILTER",
    "join": "JOIN",
    "by": "GROUP_BY",
    "order": "SORT",
}
Edge = tuple[str, str, bool]
_WRITTEN = re.compile(r"(#?)(?:(\w+)\(([^)]*)\)|([\w.]+))")


def edges(text: str) -> set[Edge]:
    """Parse ``f(a.x, a.y) #agg(b.z) b.w`` into (column, subtype, masked) of each source."""
    found: set[Edge] = set()
    for mask, kind, inside, plain in _WRITTEN.findall(text):
        for name in re.findall(r"[\w.]+", inside or plain):
            found.add((name, KINDS[kind], bool(mask)))
    return found


def claimed(inputs: list[dict[str, Any]]) -> set[Edge]:
    """Return the edges of a part of the facet, with the last part of the table names."""
    return {
        (f"{item['name'].rsplit('/', 1)[1]}.{item['field']}", how["subtype"], how["masking"])
        for item in inputs
        for how in item["transformations"]
    }


@dataclass(frozen=True)
class Case:
    """A query with the sources of its columns and of its rows.

    ``query`` is SQL or a function from a session to a frame. ``unresolved`` are the operators whose
    columns must be reported as unresolved. ``since`` is the first version of Spark that supports
    the query.
    """

    name: str
    query: str | Callable[[Any], Any]
    columns: dict[str, str]
    rows: str = ""
    unresolved: set[str] = field(default_factory=set)
    since: tuple[int, int] = (3, 5)

    def frame(self, spark: Any) -> Any:
        return spark.sql(self.query) if isinstance(self.query, str) else self.query(spark)

    def write(self, spark: Any, name: str) -> None:
        """Store the result under a name: for SQL as a view, which needs no job."""
        if isinstance(self.query, str):
            spark.sql(f"CREATE VIEW {name} AS {self.query}")
        else:
            self.query(spark).write.saveAsTable(name)

    def execute(self, spark: Any) -> None:
        """Run a case that writes. The last of its statements is the one that is checked."""
        if isinstance(self.query, str):
            for statement in self.query.split(";"):
                spark.sql(statement)
        else:
            self.query(spark)

    @property
    def tables(self) -> set[str]:
        """Return the tables that the query may read."""
        if isinstance(self.query, str):
            return {name for name in TABLES if re.search(rf"\b{name}\b", self.query)}
        claims = " ".join([*self.columns.values(), self.rows])
        return {name for name in TABLES if f"{name}." in claims}


QUERIES = [
    Case(
        "columns and names",
        "SELECT id, name AS who FROM people",
        {"id": "people.id", "who": "people.name"},
    ),
    Case(
        "expressions",
        "SELECT age + boss AS s, upper(name) AS u, cast(age AS string) AS t, 1 AS one FROM people",
        {"s": "f(people.age, people.boss)", "u": "f(people.name)", "t": "f(people.age)"},
    ),
    Case(
        "conditions decide a column",
        "SELECT CASE WHEN age > 30 THEN name ELSE city END AS c, if(boss = 1, 'x', 'y') AS i,"
        " coalesce(boss, id) AS k, nullif(city, 'rome') AS n FROM people",
        {
            "c": "f(people.name, people.city) if(people.age)",
            "i": "if(people.boss)",
            "k": "f(people.boss, people.id) if(people.boss)",
            "n": "f(people.city) if(people.city)",
        },
    ),
    Case(
        "hashes mask",
        "SELECT md5(name) AS m, sha2(city, 256) AS s, hash(age) AS h, upper(sha1(name)) AS u,"
        " crc32(city) AS c, xxhash64(id) AS x, mask(name) AS k FROM people",
        {
            "m": "#f(people.name)", "s": "#f(people.city)", "h": "#f(people.age)",
            "u": "#f(people.name)", "c": "#f(people.city)", "x": "#f(people.id)",
            "k": "#f(people.name)",
        },
    ),
    Case(
        "nested fields",
        "SELECT address.zip, upper(address.street) AS s, address, items.price AS p,"
        " items[0].sku AS sku FROM people JOIN orders ON people.id = orders.person",
        {
            "zip": "people.address.zip", "s": "f(people.address.street)",
            "address": "people.address", "p": "orders.items._element.price",
            "sku": "f(orders.items._element.sku)",
        },
        "join(people.id, orders.person)",
    ),
    Case(
        "structs made and taken apart",
        "SELECT s.a, s.b + 1 AS b FROM (SELECT named_struct('a', name, 'b', age) AS s FROM people)",
        {"a": "people.name", "b": "f(people.age)"},
    ),
    Case(
        "lateral column aliases",
        "SELECT age + 1 AS older, older * 2 AS twice, name FROM people",
        {"older": "f(people.age)", "twice": "f(people.age)", "name": "people.name"},
    ),
    Case(
        "WHERE",
        "SELECT name FROM people WHERE age > 30",
        {"name": "people.name"}, "where(people.age)",
    ),
    Case(
        "an inner join",
        "SELECT p.name, o.amount FROM people p JOIN orders o ON p.id = o.person",
        {"name": "people.name", "amount": "orders.amount"}, "join(people.id, orders.person)",
    ),
    Case(
        "a full join by name",
        "SELECT id, p.name, o.amount FROM people p FULL JOIN orders o USING (id)",
        {
            "id": "f(people.id, orders.id) if(people.id)",
            "name": "people.name", "amount": "orders.amount",
        },
        "join(people.id, orders.id)",
    ),
    Case(
        "a semi-join",
        "SELECT * FROM visits LEFT SEMI JOIN orders ON visits.person = orders.person"
        " AND amount > 60",
        {"person": "visits.person", "page": "visits.page", "hits": "visits.hits"},
        "join(visits.person, orders.person, orders.amount)",
    ),
    Case(
        "an anti-join",
        "SELECT page FROM visits LEFT ANTI JOIN orders ON visits.person = orders.person",
        {"page": "visits.page"}, "join(visits.person, orders.person)",
    ),
    Case(
        "a cross join",
        "SELECT p.name, v.page FROM people p CROSS JOIN visits v",
        {"name": "people.name", "page": "visits.page"},
    ),
    Case(
        "comma joins, whose conditions stand in WHERE",
        "SELECT p.name FROM people p, orders o, visits v WHERE p.id = o.person AND amount > 10"
        " AND (o.person = v.person OR v.hits > p.age)"
        " AND p.city IN (SELECT t.c FROM VALUES ('rome') AS t(c))",
        {"name": "people.name"},
        "join(people.id, orders.person, visits.person, visits.hits, people.age)"
        " where(orders.amount, people.city)",
    ),
    Case(
        "WHERE over an outer join filters",
        "SELECT p.name FROM people p LEFT JOIN orders o ON p.id = o.person WHERE p.age < o.amount",
        {"name": "people.name"},
        "join(people.id, orders.person) where(people.age, orders.amount)",
    ),
    Case(
        "a self-join keeps sides apart",
        "SELECT a.name, b.name AS boss FROM people a LEFT JOIN people b ON a.boss = b.id",
        {"name": "people.name", "boss": "people.name"}, "join(people.boss, people.id)",
    ),
    Case(
        "a lateral join",
        "SELECT p.name, t.total FROM people p, LATERAL (SELECT sum(amount) AS total FROM orders o"
        " WHERE o.person = p.id) t",
        {"name": "people.name", "total": "agg(orders.amount)"},
        "where(orders.person, people.id)",
    ),
    Case(
        "UNION ALL, by position",
        "SELECT id, name FROM people UNION ALL SELECT person, upper(page) FROM visits",
        {"id": "people.id visits.person", "name": "people.name f(visits.page)"},
    ),
    Case(
        "union by name",
        lambda s: s.table("people").select("id", "name").unionByName(
            s.table("visits").selectExpr("page AS name", "hits"), allowMissingColumns=True),
        {"id": "people.id", "name": "people.name visits.page", "hits": "visits.hits"},
    ),
    Case(
        "UNION is distinct",
        "SELECT id FROM people UNION SELECT person FROM visits",
        {"id": "people.id visits.person"}, "by(people.id, visits.person)",
    ),
    Case(
        "EXCEPT",
        "SELECT id FROM people EXCEPT SELECT person FROM visits",
        {"id": "people.id"}, "join(people.id, visits.person)",
    ),
    Case(
        "INTERSECT ALL",
        "SELECT id FROM people INTERSECT ALL SELECT person FROM orders",
        {"id": "people.id"}, "join(people.id, orders.person)",
    ),
    Case(
        "GROUP BY",
        "SELECT person, sum(amount) AS total, count(day) AS n, max_by(day, amount) AS best,"
        " sum(amount) FILTER (WHERE day = 'mon') AS mondays FROM orders GROUP BY person"
        " HAVING count(id) > 0",
        {
            "person": "orders.person", "total": "agg(orders.amount)", "n": "#agg(orders.day)",
            "best": "agg(orders.day) if(orders.amount)",
            "mondays": "agg(orders.amount) if(orders.day)",
        },
        "by(orders.person) #where(orders.id)",
    ),
    Case(
        "one group of all",
        "SELECT avg(age + 1) AS a, count(*) AS n, collect_list(name) AS names FROM people"
        " WHERE boss > 0",
        {"a": "agg(people.age)", "names": "agg(people.name)"}, "where(people.boss)",
    ),
    Case(
        "ROLLUP",
        "SELECT city, age, sum(id) AS n, grouping(city) AS g FROM people"
        " GROUP BY ROLLUP (city, age)",
        {"city": "people.city", "age": "people.age", "n": "agg(people.id)"},
        "by(people.city, people.age)",
    ),
    Case(
        "CUBE and GROUPING SETS",
        "SELECT city, age, max(id) AS m FROM people GROUP BY GROUPING SETS ((city), (age), ())"
        " UNION ALL SELECT city, age, min(boss) FROM people GROUP BY CUBE (city, age)",
        {"city": "people.city", "age": "people.age", "m": "agg(people.id, people.boss)"},
        "by(people.city, people.age)",
    ),
    Case(
        "PIVOT",
        "SELECT * FROM (SELECT person, day, amount FROM orders)"
        " PIVOT (sum(amount) FOR day IN ('mon' AS mon, 'tue' AS tue))",
        {
            "person": "orders.person", "mon": "agg(orders.amount) if(orders.day)",
            "tue": "agg(orders.amount) if(orders.day)",
        },
        "by(orders.person, orders.day)",
    ),
    Case(
        "UNPIVOT",
        "SELECT * FROM (SELECT id, age, boss FROM people) UNPIVOT (v FOR k IN (age, boss))",
        {"id": "people.id", "v": "people.age people.boss"}, "where(people.age, people.boss)",
    ),
    Case(
        "windows",
        "SELECT id, sum(amount) OVER (PARTITION BY person ORDER BY day) AS running,"
        " row_number() OVER (ORDER BY amount) AS place, lag(day) OVER (ORDER BY id) AS before"
        " FROM orders",
        {
            "id": "orders.id", "running": "agg(orders.amount) over(orders.person, orders.day)",
            "place": "over(orders.amount)", "before": "f(orders.day) over(orders.id)",
        },
    ),
    Case(
        "a window decides the rows",
        "SELECT day FROM (SELECT day, row_number() OVER (PARTITION BY person ORDER BY amount) AS r"
        " FROM orders) WHERE r = 1",
        {"day": "orders.day"}, "over(orders.person, orders.amount)",
    ),
    Case(
        "EXPLODE",
        "SELECT id, tag FROM orders LATERAL VIEW explode(tags) t AS tag",
        {"id": "orders.id", "tag": "f(orders.tags)"}, "join(orders.tags)",
    ),
    Case(
        "INLINE and POSEXPLODE",
        "SELECT sku, price, at FROM (SELECT id, items, inline(items) AS (sku, price) FROM orders)"
        " LATERAL VIEW posexplode(items) p AS at, item",
        {
            "sku": "f(orders.items._element.sku)", "price": "f(orders.items._element.price)",
            "at": "f(orders.items)",
        },
        "join(orders.items)",
    ),
    Case(
        "json_tuple",
        "SELECT id, k, l FROM orders LATERAL VIEW json_tuple(doc, 'k', 'l') j AS k, l",
        {"id": "orders.id", "k": "f(orders.doc)", "l": "f(orders.doc)"},
    ),
    Case(
        "STACK",
        "SELECT stack(2, 'a', age, 'b', boss) AS (k, v) FROM people",
        {"v": "people.age people.boss"},
    ),
    Case(
        "explode of what has one length",
        "SELECT explode(array(age, boss)) AS v, name FROM people",
        {"v": "f(people.age, people.boss)", "name": "people.name"},
    ),
    Case(
        "DISTINCT",
        "SELECT DISTINCT city FROM people",
        {"city": "people.city"}, "by(people.city)",
    ),
    Case(
        "duplicates by some columns",
        lambda s: s.table("people").select("age", "city").dropDuplicates(["age", "city"]),
        {"age": "people.age", "city": "people.city"}, "by(people.age, people.city)",
    ),
    Case(
        "order, limit, offset",
        "SELECT name FROM people ORDER BY age, id LIMIT 2 OFFSET 1",
        {"name": "people.name"}, "order(people.age, people.id)",
    ),
    Case(
        "repartition, sample, hint",
        lambda s: s.table("people").repartition(2, "age").sample(1.0, seed=1).hint("broadcast")
        .coalesce(1).select("name"),
        {"name": "people.name"},
    ),
    Case(
        "a CTE, used twice",
        "WITH c AS (SELECT id, upper(name) AS n FROM people WHERE age > 20)"
        " SELECT a.n, b.id FROM c a JOIN c b ON a.id = b.id",
        {"n": "f(people.name)", "id": "people.id"}, "where(people.age) join(people.id)",
    ),
    Case(
        "a recursive CTE",
        "WITH RECURSIVE up(id, top, depth) AS (SELECT id, name, 0 FROM people WHERE boss IS NULL"
        " UNION ALL SELECT p.id, up.top, up.depth + 1 FROM people p JOIN up ON p.boss = up.id)"
        " SELECT id, top, depth FROM up",
        {"id": "people.id", "top": "people.name"},
        "where(people.boss) join(people.boss, people.id)", since=(4, 1),
    ),
    Case(
        "a scalar subquery",
        "SELECT name, (SELECT max(hits) FROM visits WHERE page = 'shop') AS m FROM people",
        {"name": "people.name", "m": "agg(visits.hits) where(visits.page)"},
    ),
    Case(
        "a correlated scalar subquery",
        "SELECT name, (SELECT sum(amount) FROM orders o WHERE o.person = p.id) AS s FROM people p",
        {"name": "people.name", "s": "agg(orders.amount) where(orders.person, people.id)"},
    ),
    Case(
        "IN and EXISTS",
        "SELECT name FROM people p WHERE id IN (SELECT person FROM visits WHERE hits > 2) AND"
        " NOT EXISTS (SELECT 1 FROM orders o WHERE o.person = p.boss)",
        {"name": "people.name"},
        "where(people.id, visits.person, visits.hits, orders.person, people.boss)",
    ),
    Case(
        "IN as a value",
        "SELECT id IN (SELECT person FROM visits) AS seen FROM people",
        {"seen": "f(people.id, visits.person)"},
    ),
    Case(
        "lambdas",
        "SELECT transform(tags, t -> concat(t, day)) AS x,"
        " filter(items, i -> i.price > amount).sku AS y FROM orders",
        {
            "x": "f(orders.tags, orders.day)",
            "y": "f(orders.items._element.sku)"
            " where(orders.items._element.price, orders.amount)",
        },
    ),
]  # fmt: skip


def _python_function(spark: Any) -> Any:
    from pyspark.sql.functions import udf

    add = udf(lambda a, b: f"{a}{b}")
    return spark.table("people").select(add("name", "age").alias("x"), "city")


def _table_function(spark: Any) -> Any:
    from pyspark.sql.functions import udtf

    class Words:
        def eval(self, text: str) -> Any:
            for letter in text:
                yield (letter,)

    spark.udtf.register("words", udtf(Words, returnType="letter string"))
    return spark.sql("SELECT id, letter FROM people, LATERAL words(name)")


def _observed(spark: Any) -> Any:
    from pyspark.sql import functions as f

    return spark.table("people").observe("seen", f.count("id")).select("name")


def _cached(spark: Any) -> Any:
    cached = spark.table("people").selectExpr("age + 1 AS older", "name").cache()
    grown = cached.select("older")
    cached.unpersist()
    return grown


def _through_rdd(spark: Any) -> Any:
    people = spark.table("people").select("id")
    return spark.createDataFrame(people.rdd, "id int").crossJoin(
        spark.table("visits").select("page")
    )


FRAMES = [
    Case(
        "a Python function", _python_function,
        {"x": "f(people.name, people.age)", "city": "people.city"},
    ),
    Case(
        "a Python table function", _table_function,
        {"id": "people.id", "letter": "f(people.name)"}, "join(people.name)",
    ),
    Case("observed metrics", _observed, {"name": "people.name"}),
    Case("a cached frame", _cached, {"older": "f(people.age)"}),
    Case(
        "rows of an RDD", _through_rdd, {"page": "visits.page"}, unresolved={"LogicalRDD"},
    ),
]  # fmt: skip


def _partitioned(spark: Any) -> None:
    frame = spark.table("orders").selectExpr("amount", "person", "day")
    frame.write.partitionBy("person").mode("append").parquet("by_person")


COMMANDS = [
    Case(
        "INSERT by position",
        "CREATE TABLE a (x INT, y STRING) USING parquet;"
        " INSERT INTO a SELECT age, name FROM people",
        {"x": "people.age", "y": "people.name"},
    ),
    Case(
        "INSERT BY NAME, cast to the type of the target",
        "CREATE TABLE b (x BIGINT, y STRING) USING parquet;"
        " INSERT INTO b BY NAME SELECT name AS y, age AS x FROM people",
        {"x": "f(people.age)", "y": "people.name"},
    ),
    Case(
        "INSERT with a list of columns",
        "CREATE TABLE c (x INT, y STRING, z STRING) USING parquet;"
        " INSERT INTO c (z, x) SELECT name, id FROM people WHERE age > 1",
        {"x": "people.id", "z": "people.name"}, "where(people.age)",
    ),
    Case(
        "INSERT OVERWRITE of a partition",
        "CREATE TABLE d (x INT, day STRING) USING parquet PARTITIONED BY (day);"
        " INSERT OVERWRITE d PARTITION (day = 'mon') SELECT amount FROM orders",
        {"x": "orders.amount"},
    ),
    Case(
        "CTAS of a view over a view",
        "CREATE VIEW v AS SELECT name AS n, age FROM people;"
        " CREATE VIEW w AS SELECT upper(n) AS u FROM v WHERE age > 1;"
        " CREATE TABLE e USING parquet AS SELECT u FROM w",
        {"u": "f(people.name)"}, "where(people.age)",
    ),
    Case(
        "CREATE VIEW renames",
        "CREATE VIEW f (one, two) AS SELECT id, city FROM people",
        {"one": "people.id", "two": "people.city"},
    ),
    Case(
        "partitioned files", _partitioned,
        {"amount": "orders.amount", "person": "orders.person", "day": "orders.day"},
    ),
    Case(
        "what Spark tells of the files of a table",
        "CREATE TABLE of_files USING parquet AS SELECT id, _metadata.file_name AS file,"
        " _metadata.file_size + age AS size, _metadata AS all FROM people"
        " WHERE _metadata.file_size > 0",
        {"id": "people.id", "size": "f(people.age)"},
    ),
    Case(
        "a temporary view",
        "CREATE TEMPORARY VIEW t AS SELECT id + 1 AS i FROM people;"
        " CREATE TABLE g USING parquet AS SELECT i FROM t",
        {"i": "f(people.id)"},
    ),
]  # fmt: skip

CASES = [*QUERIES, *FRAMES]
