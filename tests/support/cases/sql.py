"""Further queries in Spark's SQL: newer syntax, nested data, every kind of clause."""

from __future__ import annotations

from typing import Any

from support.cases.columns import Case


def _scalar_function(spark: Any) -> Any:
    spark.sql(
        "CREATE OR REPLACE TEMPORARY FUNCTION total(n INT)"
        " RETURNS BIGINT RETURN SELECT sum(amount) FROM orders WHERE person = n"
    )
    return spark.sql("SELECT name, total(id) AS t FROM people")


def _table_function(spark: Any) -> Any:
    spark.sql(
        "CREATE OR REPLACE TEMPORARY FUNCTION of_page(p STRING) RETURNS TABLE (person INT, h INT)"
        " RETURN SELECT person, hits + 1 FROM visits WHERE page = p"
    )
    return spark.sql("SELECT person, h FROM of_page('shop')")


JOINS = [
    Case(
        "a natural join",
        "SELECT name, page FROM (SELECT id AS person, name FROM people) NATURAL JOIN visits",
        {"name": "people.name", "page": "visits.page"}, "join(people.id, visits.person)",
    ),
    Case(
        "an inner join with USING takes the column of the left",
        "SELECT person, amount, page FROM orders JOIN visits USING (person)",
        {"person": "orders.person", "amount": "orders.amount", "page": "visits.page"},
        "join(orders.person, visits.person)",
    ),
    Case(
        "a right join with USING takes the column of the right",
        "SELECT person, amount FROM orders RIGHT JOIN visits USING (person)",
        {"person": "visits.person", "amount": "orders.amount"},
        "join(orders.person, visits.person)",
    ),
    Case(
        "EXCEPT ALL and MINUS",
        "(SELECT id FROM people EXCEPT ALL SELECT person FROM visits)"
        " MINUS SELECT boss FROM people",
        {"id": "people.id"}, "join(people.id, visits.person, people.boss)",
    ),
    Case(
        "INTERSECT",
        "SELECT person, hits FROM visits INTERSECT SELECT id, boss + 1 FROM people",
        {"person": "visits.person", "hits": "visits.hits"},
        "join(visits.person, visits.hits, people.id, people.boss)",
    ),
    Case(
        "TABLESAMPLE",
        "SELECT name FROM people TABLESAMPLE (100 PERCENT)",
        {"name": "people.name"},
    ),
    Case(
        "a nested CTE that shadows a table",
        "WITH visits AS (SELECT id AS person FROM people) SELECT person FROM"
        " (WITH orders AS (SELECT person FROM visits) SELECT person FROM orders)",
        {"person": "people.id"},
    ),
]  # fmt: skip

NESTED = [
    Case(
        "LATERAL VIEW OUTER",
        "SELECT id, tag FROM orders LATERAL VIEW OUTER explode(tags) t AS tag",
        {"id": "orders.id", "tag": "f(orders.tags)"}, "join(orders.tags)",
    ),
    Case(
        "fields of exploded structs",
        "SELECT item.price AS p, item.sku AS s FROM orders LATERAL VIEW explode(items) t AS item",
        {"p": "f(orders.items._element.price)", "s": "f(orders.items._element.sku)"},
        "join(orders.items)",
    ),
    Case(
        "fields of structs that a union puts together by place",
        "SELECT s.street AS x, s.zip AS y FROM (SELECT address AS s FROM people"
        " UNION ALL SELECT named_struct('page', page, 'who', page) FROM visits)",
        {
            "x": "people.address.street visits.page", "y": "people.address.zip visits.page",
        },
    ),
    Case(
        "fields of structs that a union puts together under other names",
        "SELECT s.sku AS x FROM (SELECT i AS s FROM orders LATERAL VIEW explode(items) e AS i"
        " UNION ALL SELECT named_struct('street', address.street, 'n', id) FROM people)",
        {"x": "f(orders.items._element.sku) people.address.street"},
        "join(orders.items)",
    ),
    Case(
        "a field of one element",
        "SELECT items[size(items) - 1].price AS p,"
        " element_at(items, if(id = 12, 1, -1)).sku AS s FROM orders",
        {
            "p": "f(orders.items._element.price, orders.items)",
            "s": "f(orders.items._element.sku) if(orders.id)",
        },
    ),
    Case(
        "fields of a text that is read as a struct",
        "SELECT j.k AS k, id FROM"
        " (SELECT from_json(doc, 'k STRING, l STRING') AS j, id FROM orders)",
        {"k": "f(orders.doc)", "id": "orders.id"},
    ),
    Case(
        "maps",
        "SELECT m['x'] AS one, map_keys(m) AS keys, map_filter(m, (k, v) -> v > boss) AS some"
        " FROM (SELECT map(name, age) AS m, boss FROM people)",
        {
            "one": "f(people.age) if(people.name)", "keys": "f(people.name)",
            "some": "f(people.name, people.age) where(people.age, people.boss)",
        },
    ),
    Case(
        "functions of functions",
        "SELECT aggregate(tags, '', (all, t) -> concat(all, t, day)) AS a,"
        " exists(items, i -> i.price > amount) AS e, zip_with(tags, tags, (x, y) -> x) AS z"
        " FROM orders",
        {
            "a": "f(orders.tags, orders.day)",
            "e": "f(orders.items._element.price, orders.amount)",
            "z": "f(orders.tags)",
        },
    ),
    Case(
        "VARIANT",
        "SELECT variant_get(v, '$.k', 'string') AS k, v:l::string AS l FROM"
        " (SELECT parse_json(doc) AS v FROM orders)",
        {"k": "f(orders.doc)", "l": "f(orders.doc)"}, since=(4, 1),
    ),
]  # fmt: skip

CLAUSES = [
    Case(
        "scalar subqueries in every clause",
        "SELECT city, max(age) + (SELECT max(hits) FROM visits) AS m FROM people"
        " WHERE age > (SELECT min(amount) FROM orders WHERE day = 'wed')"
        " GROUP BY city HAVING count(id) >= (SELECT min(person) FROM visits)"
        " ORDER BY (SELECT max(id) FROM orders), city",
        {"city": "people.city", "m": "agg(people.age, visits.hits)"},
        "where(people.age, orders.amount, orders.day) by(people.city)"
        " #where(people.id) where(visits.person) order(orders.id, people.city)",
    ),
    Case(
        "a subquery in the condition of a join",
        "SELECT p.name FROM people p JOIN orders o ON p.id = o.person"
        " AND o.amount > (SELECT max(hits) FROM visits)",
        {"name": "people.name"},
        "join(people.id, orders.person, orders.amount, visits.hits)",
    ),
    Case(
        "correlated subqueries below each other",
        "SELECT name FROM people p WHERE EXISTS (SELECT 1 FROM orders o WHERE o.person = p.id"
        " AND o.amount > (SELECT sum(v.hits) FROM visits v WHERE v.person = o.person))",
        {"name": "people.name"},
        "where(orders.person, people.id, orders.amount, visits.hits, visits.person)",
    ),
    Case(
        "frames and named windows",
        "SELECT sum(amount) OVER w AS a, avg(amount) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING"
        " AND CURRENT ROW) AS b, first_value(day) OVER (PARTITION BY person ORDER BY amount RANGE"
        " BETWEEN UNBOUNDED PRECEDING AND 10 FOLLOWING) AS c FROM orders"
        " WINDOW w AS (PARTITION BY day)",
        {
            "a": "agg(orders.amount) over(orders.day)", "b": "agg(orders.amount) over(orders.id)",
            "c": "agg(orders.day) over(orders.person, orders.amount)",
        },
    ),
    Case(
        "a function in SQL", _scalar_function,
        {"name": "people.name", "t": "agg(orders.amount) where(orders.person, people.id)"},
        since=(4, 0),
    ),
    Case(
        "a table function in SQL", _table_function,
        {"person": "visits.person", "h": "f(visits.hits)"}, "where(visits.page)", since=(4, 0),
    ),
    Case(
        "pipes",
        "FROM people |> WHERE age > 20 |> EXTEND age + 1 AS older |> SELECT city, older"
        " |> AGGREGATE max(older) AS m GROUP BY city |> ORDER BY m",
        {"city": "people.city", "m": "agg(people.age)"},
        "where(people.age) by(people.city) order(people.age)", since=(4, 0),
    ),
    Case(
        "UNPIVOT of several columns, nulls kept",
        "SELECT * FROM (SELECT id, age, boss, name, city FROM people)"
        " UNPIVOT INCLUDE NULLS ((n, t) FOR k IN ((age, name) AS a, (boss, city) AS b))",
        {"id": "people.id", "n": "people.age people.boss", "t": "people.name people.city"},
    ),
]  # fmt: skip

COMMANDS = [
    Case(
        "INSERT OVERWRITE of partitions that the query names",
        "CREATE TABLE h (x INT, day STRING) USING parquet PARTITIONED BY (day);"
        " INSERT OVERWRITE h PARTITION (day) SELECT amount, upper(day) FROM orders",
        {"x": "orders.amount", "day": "f(orders.day)"},
    ),
    Case(
        "two inserts of one scan",
        "CREATE TABLE left (x INT) USING parquet; CREATE TABLE right (y STRING) USING parquet;"
        " FROM people INSERT INTO left SELECT id INSERT INTO right SELECT name WHERE age > 30",
        {"left.x": "people.id", "right.y": "people.name"}, "where(people.age)",
        since=(4, 0),  # Spark 3.5 runs each insert as a separate execution
    ),
    Case(
        "views over views over views",
        "CREATE VIEW v1 AS SELECT id, age FROM people; CREATE VIEW v2 AS SELECT id, age + 1 AS a"
        " FROM v1; CREATE VIEW v3 AS SELECT * FROM v2 WHERE id > 0;"
        " CREATE TABLE i USING parquet AS SELECT a FROM v3",
        {"a": "f(people.age)"}, "where(people.id)",
    ),
]  # fmt: skip

CASES = [*JOINS, *NESTED, *CLAUSES]
