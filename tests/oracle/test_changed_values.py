"""PostgreSQL as the judge of column lineage: which columns change if one column of an input does.

Each statement runs on the same rows, and again after the values of one column were changed. An
output column whose values differ must have the changed column among its sources, or among those
that choose the rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from lineage.columns import algebra
from lineage.sql.catalogs import Catalog
from lineage.sql.effects import merge_effects
from lineage.sql.sessions import Session
from lineage.sql.statements import read_statements
from lineage.sql.written_columns import decode_table

if TYPE_CHECKING:
    from lineage.columns.compaction import ColumnLineage

TABLES = {
    "orders": ("id", "customer", "amount", "state"),
    "customers": ("id", "region", "points"),
    "totals": ("customer", "total", "note"),
}
COLUMNS = {("public", table): columns for table, columns in TABLES.items()}
ROWS = {
    "orders": [(1, 1, 10, 5), (2, 1, 20, 6), (3, 2, 30, 5), (4, 3, 40, 7), (5, 4, 50, 6)],
    "customers": [(1, 100, 3), (2, 200, 4), (3, 100, 5), (6, 300, 6)],
    "totals": [(1, 11, 5), (2, 12, 6), (7, 13, 7)],
}
# Changes of values: of all rows, and of one.
CHANGES = ("{0} + 1", "{0} * 7", "CASE WHEN {0} % 2 = 0 THEN {0} + 3 ELSE {0} END")
STATEMENTS = [
    "INSERT INTO totals SELECT customer, sum(amount), max(state) FROM orders GROUP BY customer",
    "INSERT INTO totals SELECT id, points FROM customers WHERE region < 250",
    (
        "INSERT INTO totals (note, customer) SELECT o.state, c.region FROM orders o"
        " JOIN customers c ON c.id = o.customer"
    ),
    (
        "INSERT INTO totals (customer, total) SELECT customer, rank() OVER (ORDER BY amount DESC)"
        " FROM orders"
    ),
    "INSERT INTO totals (total) SELECT points FROM customers UNION SELECT amount FROM orders",
    "INSERT INTO totals (total) SELECT amount FROM orders EXCEPT SELECT total FROM totals",
    (
        "INSERT INTO totals (customer, total) SELECT id, CASE WHEN state > 5 THEN amount ELSE 0 END"
        " FROM orders"
    ),
    (
        "INSERT INTO totals (customer, total) SELECT id, (SELECT sum(points) FROM customers"
        " WHERE region = 100 AND customers.id = orders.customer) FROM orders"
    ),
    (
        "INSERT INTO totals (customer) SELECT id FROM customers c WHERE EXISTS"
        " (SELECT 1 FROM orders o WHERE o.customer = c.id AND o.amount > 15)"
    ),
    (
        "INSERT INTO totals (customer) SELECT id FROM customers WHERE id IN"
        " (SELECT customer FROM orders WHERE state = 5)"
    ),
    (
        "INSERT INTO totals (customer, total) SELECT DISTINCT ON (customer) customer, amount"
        " FROM orders ORDER BY customer, state DESC"
    ),
    "INSERT INTO totals (total) SELECT amount FROM orders ORDER BY state, id LIMIT 2",
    (
        "INSERT INTO totals (customer, total) SELECT customer, count(*) FILTER (WHERE amount > 15)"
        " FROM orders GROUP BY customer HAVING max(state) < 7"
    ),
    (
        "WITH c AS (SELECT customer, sum(amount) AS s FROM orders GROUP BY customer)"
        " INSERT INTO totals (customer, total) SELECT customers.id, c.s + customers.points"
        " FROM c LEFT JOIN customers ON customers.id = c.customer"
    ),
    "CREATE TABLE result AS SELECT * FROM orders WHERE amount > 15",
    (
        "CREATE TABLE result AS SELECT o.*, c.region * 2 AS twice FROM orders o JOIN customers c"
        " ON c.id = o.customer"
    ),
    "CREATE TABLE result AS SELECT id, coalesce(nullif(amount, 20), state) AS a FROM orders",
    "CREATE VIEW result (x, y) AS SELECT amount, state FROM orders WHERE customer < 3",
    "SELECT id, greatest(amount, state) AS top INTO result FROM orders",
    "UPDATE totals SET total = o.amount FROM orders o WHERE o.id = totals.customer",
    "UPDATE totals SET note = total * 3 WHERE customer > 1",
    (
        "UPDATE totals t SET total = t.note + c.points, note = c.region FROM customers c"
        " JOIN orders o ON o.id = c.id WHERE c.id = t.customer AND o.state < 7"
    ),
    "UPDATE totals SET total = (SELECT sum(points) FROM customers WHERE region >= 200)",
    (
        "MERGE INTO totals t USING customers c ON t.customer = c.id WHEN MATCHED AND c.points > 3"
        " THEN UPDATE SET total = t.total + c.region WHEN NOT MATCHED THEN"
        " INSERT (customer, note) VALUES (c.id, c.points)"
    ),
    (
        "MERGE INTO totals t USING (SELECT customer AS k, sum(amount) AS s FROM orders GROUP BY"
        " customer) q ON t.customer = q.k WHEN MATCHED THEN UPDATE SET note = q.s"
    ),
    "INSERT INTO totals SELECT customer, sum(amount), max(state) FROM orders GROUP BY 1",
    (
        "INSERT INTO totals (total, customer) SELECT sum(amount), customer FROM orders"
        " GROUP BY (2) ORDER BY 1 DESC, 2 LIMIT 2"
    ),
    (
        "INSERT INTO totals (customer, note) SELECT DISTINCT ON (1) customer, amount FROM orders"
        " ORDER BY 1, 2 DESC"
    ),
    (
        "CREATE TABLE result AS SELECT customer, state, count(*) AS n FROM orders"
        " GROUP BY ROLLUP (1, 2)"
    ),
    (
        "CREATE TABLE result AS SELECT id AS k, points AS v FROM customers UNION ALL"
        " SELECT id, amount FROM orders ORDER BY 2, 1 LIMIT 3"
    ),
    "CREATE TABLE result AS SELECT * FROM orders ORDER BY 3, 1 LIMIT 3",
    (
        "UPDATE totals SET (total, note) = (SELECT max(amount), min(state) FROM orders o"
        " WHERE o.customer = totals.customer)"
    ),
    (
        "CREATE TABLE result AS WITH RECURSIVE chain (id, depth, worth) AS ("
        "SELECT id, 1, amount FROM orders WHERE state = 5 UNION ALL"
        " SELECT o.id, c.depth + 1, c.worth + k.points FROM chain c JOIN orders o"
        " ON o.customer = c.id JOIN customers k ON k.id = o.customer WHERE c.depth < 4)"
        " SELECT id, max(depth) AS depth, sum(worth) AS worth FROM chain GROUP BY 1"
    ),
    (
        "WITH q AS (SELECT region, max(points) AS p FROM customers GROUP BY 1 ORDER BY 2 LIMIT 2)"
        " INSERT INTO totals (total) SELECT p FROM q"
    ),
    (
        "CREATE TEMP TABLE stage AS SELECT customer AS k, amount + 1 AS more FROM orders"
        " WHERE state < 7; INSERT INTO totals (customer, total) SELECT k, sum(more) FROM stage"
        " GROUP BY k"
    ),
    (
        "CREATE TEMP TABLE stage (k int, v int);"
        " INSERT INTO stage SELECT id, points FROM customers;"
        " UPDATE stage SET v = o.amount FROM orders o WHERE o.id = stage.k;"
        " DELETE FROM stage WHERE v > 25; INSERT INTO totals SELECT k, v FROM stage"
    ),
]


def make_tables(conn: psycopg.Connection[Any]) -> None:
    for table, columns in TABLES.items():
        conn.execute(f"CREATE TABLE {table} ({', '.join(f'{each} int' for each in columns)})")
        for row in ROWS[table]:
            conn.execute(f"INSERT INTO {table} VALUES ({', '.join(map(str, row))})")


def run_text(dsn: str, text: str, output: str, change: str = "") -> dict[str, list[Any]]:
    """Return the sorted values of each column of the output; the transaction is rolled back."""
    with psycopg.connect(dsn) as conn:
        conn.execute("SET search_path = public")
        make_tables(conn)
        for each in filter(None, (change, text)):
            conn.execute(each)
        rows = conn.execute(f"SELECT * FROM {output}")
        names = [column.name for column in rows.description or ()]
        values = rows.fetchall()
        conn.rollback()
    return {
        name: sorted((row[place] for row in values), key=lambda value: (value is None, value))
        for place, name in enumerate(names)
    }


def trace_columns(text: str) -> tuple[str, ColumnLineage]:
    session = Session("postgres", None, "public", Catalog(COLUMNS))
    merged = merge_effects(map(session.apply_statement, read_statements(text, "postgres")))
    assert not merged.unresolved
    assert not merged.columns_unresolved
    (flow,) = merged.flows
    assert flow.columns is not None
    return flow.target[-1], flow.columns


def list_sources(lineage: ColumnLineage, column: str) -> set[tuple[str, str]]:
    deps = algebra.merge_deps([lineage.fields.get(column, algebra.NOTHING), lineage.rows])
    return {(decode_table(field.dataset)[-1], field.column) for field in algebra.fields_of(deps)}


@pytest.mark.parametrize("text", STATEMENTS)
def test_columns_that_change_have_the_changed_column_as_a_source(text: str, dsn: str) -> None:
    output, lineage = trace_columns(text)
    before = run_text(dsn, text, output)
    seen = 0
    for table, columns in TABLES.items():
        for column in columns:
            for change in CHANGES:
                assignment = f"UPDATE {table} SET {column} = {change.format(column)}"
                after = run_text(dsn, text, output, assignment)
                for name, values in after.items():
                    is_own = (output, name) == (table, column)
                    if values != before[name] and not is_own:
                        seen += 1
                        assert (table, column) in list_sources(lineage, name), (name, assignment)
    assert seen, "no value changed"
