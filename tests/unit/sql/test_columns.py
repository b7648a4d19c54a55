"""The columns that statements write, by hand: direct sources, and those that choose the rows."""

from __future__ import annotations

import pytest

from lineage.columns import algebra
from lineage.sql.catalogs import Catalog
from lineage.sql.sessions import Session
from lineage.sql.statements import read_statements
from lineage.sql.written_columns import decode_table

COLUMNS = {
    ("s", "orders"): ("id", "amount", "customer"),
    ("s", "customers"): ("id", "name"),
    ("s", "totals"): ("customer", "total"),
}

UPPER = {
    tuple(map(str.upper, table)): tuple(map(str.upper, names)) for table, names in COLUMNS.items()
}


def trace_text(text: str, dialect: str = "postgres") -> tuple[dict[str, set[str]], set[str], str]:
    """Return the direct sources of the columns of the last output, those of rows, and reasons."""
    session = Session(dialect, None, "s", Catalog(COLUMNS))
    effects = [session.apply_statement(each) for each in read_statements(text, dialect)]
    reasons = "; ".join(reason for effect in effects for reason in effect.columns_unresolved)
    columns = [flow.columns for effect in effects for flow in effect.flows][-1]
    if columns is None:
        return {}, set(), reasons
    fields = {name: name_sources(deps) for name, deps in columns.fields.items()}
    return fields, name_sources(columns.rows), reasons


def name_sources(deps: algebra.Deps) -> set[str]:
    return {
        f"{decode_table(field.dataset)[-1]}.{field.column}" for field in algebra.fields_of(deps)
    }


@pytest.mark.parametrize(
    ("text", "fields", "rows"),
    [
        (
            "INSERT INTO totals SELECT customer, sum(amount) FROM orders GROUP BY customer",
            {"customer": {"orders.customer"}, "total": {"orders.amount"}},
            {"orders.customer"},
        ),
        (
            (
                "INSERT INTO totals (total, customer) SELECT amount, name FROM orders"
                " JOIN customers ON customers.id = customer"
            ),
            {"total": {"orders.amount"}, "customer": {"customers.name"}},
            {"customers.id", "orders.customer"},
        ),
        (
            "CREATE TABLE x AS SELECT *, amount * 2 AS twice FROM orders WHERE id > 7",
            {
                "id": {"orders.id"},
                "amount": {"orders.amount"},
                "customer": {"orders.customer"},
                "twice": {"orders.amount"},
            },
            {"orders.id"},
        ),
        (
            "CREATE VIEW v (a) AS WITH c AS (SELECT name FROM customers) SELECT name FROM c",
            {"a": {"customers.name"}},
            set(),
        ),
        (
            "UPDATE totals t SET total = o.amount FROM orders o WHERE o.customer = t.customer",
            {"total": {"orders.amount"}},
            {"orders.customer", "totals.customer"},
        ),
        (
            (
                "MERGE INTO totals AS t USING orders AS o ON t.customer = o.customer"
                " WHEN MATCHED AND o.id > 1 THEN UPDATE SET total = t.total + o.amount"
                " WHEN NOT MATCHED THEN INSERT (customer, total) VALUES (o.customer, 0)"
            ),
            {"total": {"orders.amount", "totals.total"}, "customer": {"orders.customer"}},
            {"orders.customer", "totals.customer", "orders.id"},
        ),
        (
            (
                "INSERT INTO totals SELECT customer, amount FROM orders"
                " ON CONFLICT (customer) DO UPDATE SET total = excluded.total"
            ),
            {"customer": {"orders.customer"}, "total": {"orders.amount"}},
            {"orders.customer", "totals.customer"},
        ),
    ],
)
def test_columns_of_a_statement(text: str, fields: dict[str, set[str]], rows: set[str]) -> None:
    assert trace_text(text) == (fields, rows, "")


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("SELECT id, sum(amount) AS s FROM orders GROUP BY 1", {"orders.id"}),
        ("SELECT sum(amount) AS s, id, customer FROM orders GROUP BY 2, (3)",
         {"orders.id", "orders.customer"}),
        ("SELECT id, customer, sum(amount) AS s FROM orders GROUP BY ROLLUP (1, 2)",
         {"orders.id", "orders.customer"}),
        ("SELECT id, customer, 7 AS n FROM orders GROUP BY GROUPING SETS ((1), (1, 2), ())",
         {"orders.id", "orders.customer"}),
        ("SELECT name, upper(name) AS u FROM customers ORDER BY 2 DESC, 1 LIMIT 5",
         {"customers.name"}),
        ("SELECT id AS k, name FROM customers UNION ALL SELECT id, customer FROM orders ORDER BY 1",
         {"customers.id", "orders.id"}),
        ("SELECT DISTINCT ON (2) id, customer FROM orders ORDER BY 2, 1",
         {"orders.id", "orders.customer"}),
        ("SELECT id, rank() OVER (ORDER BY 1) AS r FROM orders ORDER BY (amount), 3 - 1",
         {"orders.amount"}),
        ("SELECT * FROM orders ORDER BY 2", {"orders.amount"}),
    ],
)  # fmt: skip
def test_keys_that_are_positions_choose_the_rows(query: str, rows: set[str]) -> None:
    _, traced, reasons = trace_text(f"CREATE TABLE x AS {query}")
    assert (traced, reasons) == (rows, "")


@pytest.mark.parametrize(
    ("dialect", "text", "fields", "rows"),
    [
        (
            "postgres",
            "UPDATE totals SET (total, customer) = (SELECT o.amount, o.id FROM orders o LIMIT 1)",
            {"total": {"orders.amount"}, "customer": {"orders.id"}},
            set(),
        ),
        (
            "postgres",
            (
                "UPDATE totals AS t SET (total, customer) = ROW (o.amount, o.customer)"
                " FROM orders o WHERE o.id = t.total"
            ),
            {"total": {"orders.amount"}, "customer": {"orders.customer"}},
            {"orders.id", "totals.total"},
        ),
        (
            "postgres",
            (
                "INSERT INTO totals WITH RECURSIVE r (k, v) AS (SELECT id, 0 FROM customers"
                " UNION ALL SELECT o.customer, r.v + o.amount FROM orders o JOIN r ON r.k = o.id)"
                " SELECT k, v FROM r"
            ),
            {
                "customer": {"customers.id", "orders.customer"},
                "total": {"orders.amount"},
            },
            {"orders.id", "orders.customer", "customers.id"},
        ),
        (
            "tsql",
            (
                "WITH r (k, v) AS (SELECT c.id, 0 FROM customers AS c UNION ALL SELECT o.customer,"
                " r.v + o.amount FROM orders AS o JOIN r ON r.k = o.id)"
                " INSERT INTO totals (customer, total) SELECT r.k, r.v FROM r"
            ),
            {
                "customer": {"customers.id", "orders.customer"},
                "total": {"orders.amount"},
            },
            {"orders.id", "orders.customer", "customers.id"},
        ),
        (
            "tsql",
            (
                "UPDATE TOP (5) t SET t.total = o.amount OUTPUT inserted.total FROM totals AS t"
                " JOIN orders AS o ON o.customer = t.customer"
            ),
            {"total": {"orders.amount"}},
            {"orders.customer", "totals.customer"},
        ),
        (
            "tsql",
            "INSERT TOP (3) INTO totals (customer) OUTPUT inserted.* SELECT id FROM orders",
            {"customer": {"orders.id"}},
            set(),
        ),
    ],
)
def test_columns_of_further_statements(
    dialect: str, text: str, fields: dict[str, set[str]], rows: set[str]
) -> None:
    assert trace_text(text, dialect) == (fields, rows, "")


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (
            (
                "INSERT INTO totals WITH (TABLOCK) (customer, total) SELECT customer, SUM(amount)"
                " FROM orders WITH (NOLOCK) GROUP BY customer OPTION (RECOMPILE, MAXDOP 1)"
            ),
            {"customer": {"orders.customer"}, "total": {"orders.amount"}},
        ),
        (
            "SELECT id, amount INTO x FROM orders OPTION (FAST 10)",
            {"id": {"orders.id"}, "amount": {"orders.amount"}},
        ),
        (
            (
                "CREATE VIEW v (a, b) WITH SCHEMABINDING, VIEW_METADATA AS SELECT customer, amount"
                " FROM orders WITH CHECK OPTION"
            ),
            {"a": {"orders.customer"}, "b": {"orders.amount"}},
        ),
        (
            (
                "MERGE totals WITH (HOLDLOCK) AS t USING orders AS s ON s.customer = t.customer"
                " WHEN MATCHED THEN UPDATE SET t.total = s.amount OPTION (RECOMPILE);"
            ),
            {"total": {"orders.amount"}},
        ),
        (
            "UPDATE t SET total += o.amount FROM totals t JOIN orders o ON o.customer = t.customer",
            {"total": {"orders.amount", "totals.total"}},
        ),
    ],
)
def test_hints_and_options_of_sql_server_do_not_hide_columns(
    text: str, fields: dict[str, set[str]]
) -> None:
    found, _, reason = trace_text(text, "tsql")
    assert (found, reason) == (fields, "")


WHEN = "USING customers AS c ON c.id = t.customer WHEN"


@pytest.mark.parametrize(
    ("dialect", "text", "fields"),
    [
        (
            "bigquery",
            f"MERGE totals AS t {WHEN} NOT MATCHED THEN INSERT (customer) VALUES (name)",
            {"customer": {"customers.name"}},
        ),
        (
            "bigquery",
            f"MERGE totals AS t {WHEN} NOT MATCHED THEN INSERT ROW",
            {"customer": {"customers.id"}, "total": {"customers.name"}},
        ),
        (
            "databricks",
            (
                "MERGE INTO totals t USING (SELECT customer, amount AS total FROM orders) s"
                " ON s.customer = t.customer"
                " WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
            ),
            {"customer": {"orders.customer"}, "total": {"orders.amount"}},
        ),
        (
            "bigquery",
            """INSERT INTO totals SELECT id, rb'a' FROM customers WHERE name = BR"b" """,
            {"customer": {"customers.id"}, "total": set()},
        ),
        (
            "redshift",
            "MERGE INTO totals USING customers c ON totals.customer = c.id REMOVE DUPLICATES",
            {"customer": {"customers.id"}, "total": {"customers.name"}},
        ),
        (
            "bigquery",
            "CREATE TABLE x AS SELECT o.id, i.n, pos FROM orders o, o.amount i WITH OFFSET pos",
            {"id": {"orders.id"}, "n": {"orders.amount"}, "pos": {"orders.amount"}},
        ),
        (
            "databricks",
            (
                "MERGE WITH SCHEMA EVOLUTION INTO totals t USING orders o"
                " ON o.customer = t.customer WHEN MATCHED THEN UPDATE SET total = o.amount"
                " WHEN NOT MATCHED THEN INSERT (customer, total) VALUES (o.customer, o.id)"
            ),
            {"customer": {"orders.customer"}, "total": {"orders.amount", "orders.id"}},
        ),
        (
            "databricks",
            "INSERT INTO totals BY NAME SELECT amount AS total, id AS customer FROM orders",
            {"customer": {"orders.id"}, "total": {"orders.amount"}},
        ),
        (
            "mysql",
            "REPLACE INTO s.totals SELECT SQL_NO_CACHE customer, amount FROM s.orders",
            {"customer": {"orders.customer"}, "total": {"orders.amount"}},
        ),
        (
            "snowflake",
            'CREATE TABLE x CLONE "totals"',
            {"customer": {"totals.customer"}, "total": {"totals.total"}},
        ),
    ],
)  # fmt: skip
def test_columns_that_a_statement_does_not_list(
    dialect: str, text: str, fields: dict[str, set[str]]
) -> None:
    found, _, reason = trace_text(text, dialect)
    assert (found, reason) == (fields, "")


@pytest.mark.parametrize(
    "action", ["UPDATE SET *", "UPDATE SET total = c.name WHEN NOT MATCHED THEN INSERT *"]
)
def test_all_columns_of_a_merge_need_those_of_a_table(action: str) -> None:
    text = f"MERGE INTO u1 t USING u2 c ON c.id = t.id WHEN MATCHED THEN {action}"
    assert trace_text(text, "databricks")[2] == "columns: the columns of both tables are not known"


def test_a_column_that_a_merge_adds_is_reported() -> None:
    text = """MERGE WITH SCHEMA EVOLUTION INTO totals t USING orders o ON o.customer = t.customer
        WHEN NOT MATCHED THEN INSERT *"""
    fields, _, reason = trace_text(text, "databricks")
    assert (fields, reason) == ({}, "columns: the table that is written has no column id")


@pytest.mark.parametrize("dialect", ["duckdb", "snowflake", "spark", "databricks"])
def test_all_is_every_key(dialect: str) -> None:
    texts = [
        "CREATE TABLE x AS SELECT o.a, o.b + 1 AS n, sum(o.c) AS s FROM u AS o GROUP BY ALL",
        "CREATE TABLE x AS SELECT o.a, o.b + 1 AS n FROM u AS o ORDER BY ALL LIMIT 3",
    ]
    for text in texts:
        fields, rows, reasons = trace_text(text, dialect)
        assert ({each.lower() for each in rows}, reasons) == ({"u.a", "u.b"}, "")
        assert {name.lower() for name in fields} - {"s"} == {"a", "n"}


def test_a_generated_name_is_that_of_the_stored_column_or_is_left_out() -> None:
    """PostgreSQL names the column sum, MySQL sum(amount), BigQuery f0_."""
    query = "SELECT customer, sum(amount) FROM orders GROUP BY customer"
    fields, _, reason = trace_text(f"CREATE VIEW totals AS {query}")
    assert (fields, reason) == (
        {"customer": {"orders.customer"}, "total": {"orders.amount"}}, ""
    )  # fmt: skip
    fields, rows, reason = trace_text(f"CREATE VIEW v AS {query}")
    assert (fields, rows) == ({"customer": {"orders.customer"}}, {"orders.customer"})
    assert "a column without an alias has a name that the database generates" in reason
    fields, _, _ = trace_text(f"CREATE VIEW v AS SELECT * FROM ({query}) AS q")
    assert fields == {"customer": {"orders.customer"}}
    assert trace_text("CREATE TABLE x AS SELECT amount::int FROM orders")[0] == {
        "amount": {"orders.amount"}
    }
    assert (
        trace_text("CREATE TABLE x AS SELECT CAST(amount AS SIGNED) FROM orders", "mysql")[0] == {}
    )


def test_a_temporary_table_keeps_columns_with_generated_names() -> None:
    text = (
        "CREATE TEMP TABLE x AS SELECT customer, sum(amount) FROM orders GROUP BY customer;"
        " INSERT INTO totals SELECT * FROM x"
    )
    fields, _, reason = trace_text(text)
    assert fields == {"customer": {"orders.customer"}, "total": {"orders.amount"}}
    assert "a name that the database generates" not in reason
    fields, _, reason = trace_text(text.replace("SELECT * FROM x", "SELECT customer, sum FROM x"))
    assert (fields, reason) == ({}, "columns: the column sum is in none of the tables")


@pytest.mark.parametrize("table", ["totals", "unknown"])
def test_a_column_of_a_duplicate_key_may_be_of_the_query(table: str) -> None:
    fields, _, reason = trace_text(
        f"INSERT INTO s.{table} (customer, total) SELECT customer, amount FROM s.orders"
        " ON DUPLICATE KEY UPDATE total = amount",
        "mysql",
    )
    assert (fields, reason) == ({}, "columns: the column amount may be that of the query")


@pytest.mark.parametrize(
    ("dialect", "function"),
    [
        ("bigquery", "ML.PREDICT(MODEL s.m, TABLE s.orders)"),
        ("databricks", "table_changes('orders', 1)"),
        ("postgres", "s.orders_of(1)"),
        ("snowflake", "TABLE(RESULT_SCAN(LAST_QUERY_ID()))"),
    ],
)
def test_columns_of_a_function_that_may_read_tables_are_not_known(
    dialect: str, function: str
) -> None:
    fields, _, reason = trace_text(f"CREATE TABLE x AS SELECT p.id FROM {function} AS p", dialect)
    assert fields == {}
    assert reason


@pytest.mark.parametrize(
    ("dialect", "update"),
    [
        ("postgres", "ON CONFLICT (customer) DO UPDATE SET total = totals.total + excluded.total"),
        ("postgres", "ON CONFLICT (customer) DO UPDATE SET total = total + excluded.total"),
        ("mysql", "ON DUPLICATE KEY UPDATE total = total + VALUES(total)"),
        ("mysql", "ON DUPLICATE KEY UPDATE total = totals.total + o.amount"),
        ("duckdb", "ON CONFLICT DO UPDATE SET total = greatest(total, excluded.total)"),
    ],
)
def test_a_conflict_updates_by_the_rows_that_were_rejected(dialect: str, update: str) -> None:
    fields, _, reason = trace_text(
        "INSERT INTO s.totals (customer, total) SELECT o.customer, o.amount FROM s.orders o "
        + update,
        dialect,
    )
    assert (fields, reason) == (
        {"customer": {"orders.customer"}, "total": {"orders.amount", "totals.total"}}, ""
    )  # fmt: skip


@pytest.mark.parametrize(
    ("conflict", "rows"),
    [
        ("(customer) DO UPDATE SET total = excluded.total", {"orders.customer", "totals.customer"}),
        ("(customer) DO NOTHING", {"orders.customer", "totals.customer"}),
        ("DO NOTHING", set()),
    ],
)
def test_the_keys_of_a_conflict_choose_rows(conflict: str, rows: set[str]) -> None:
    insert = "INSERT INTO totals (customer, total) SELECT customer, 1 FROM orders"
    assert trace_text(f"{insert} ON CONFLICT {conflict}", "postgres")[1:] == (rows, "")


@pytest.mark.parametrize(
    ("function", "column", "source"),
    [
        ("unnest(array[customer, id]) AS k", "k", {"orders.customer", "orders.id"}),
        ("unnest(array[customer]) AS k (v)", "v", {"orders.customer"}),
        ("generate_series(1, id) AS k", "k", {"orders.id"}),
        ("LATERAL generate_series(1, id) k", "k", {"orders.id"}),
        ("jsonb_each(to_jsonb(orders.customer)) AS k", "k.value", {"orders.customer"}),
        ("jsonb_to_record(to_jsonb(customer)) AS k (v int)", "v", {"orders.customer"}),
    ],
)
def test_columns_of_functions_in_from(function: str, column: str, source: set[str]) -> None:
    """They are resolved beside the columns of tables, which need no table either."""
    fields, _, reason = trace_text(
        f"CREATE VIEW v AS SELECT amount AS a, {column} AS b FROM orders, {function}"
    )
    assert (fields, reason) == ({"a": {"orders.amount"}, "b": source}, "")


@pytest.mark.parametrize(
    ("condition", "sources"),
    [
        ("sum(amount) > 3", {"orders.amount"}),
        ("max(name) > 'a' AND min(orders.id) > 1", {"customers.name", "orders.id"}),
        ("sum(customer) > 3", {"orders.customer"}),  # SELECT has another column of that name
    ],
)
def test_aggregates_of_having_are_of_tables(condition: str, sources: set[str]) -> None:
    _, rows, reason = trace_text(
        "CREATE VIEW v AS SELECT q.name FROM (SELECT customers.id AS customer, name FROM orders"
        " JOIN customers ON customers.id = customer"
        f" GROUP BY customers.id, name HAVING {condition}) q"
    )
    keys = {"customers.id", "orders.customer", "customers.name"}
    assert (rows, reason) == (keys | sources, "")


@pytest.mark.parametrize(
    ("dialect", "text", "fields", "rows"),
    [
        ("postgres", "UPDATE orders SET amount = id * 2 WHERE customer > 3",
         {"amount": {"orders.id"}}, {"orders.customer"}),
        ("postgres", "UPDATE orders SET amount = amount + id",
         {"amount": {"orders.amount", "orders.id"}}, set()),
        ("postgres", "UPDATE orders SET amount = 7 WHERE id = 5", {"amount": set()}, {"orders.id"}),
        ("postgres", "WITH u AS (UPDATE orders SET amount = id RETURNING id) SELECT id FROM u",
         {"amount": {"orders.id"}}, set()),
        ("tsql", "UPDATE o SET amount = o.id FROM orders AS o WHERE o.customer = @p",
         {"amount": {"orders.id"}}, {"orders.customer"}),
        ("mysql", "UPDATE s.orders SET amount = id WHERE customer = ?",
         {"amount": {"orders.id"}}, {"orders.customer"}),
    ],
)  # fmt: skip
def test_columns_of_an_update_by_values_of_its_own_table(
    dialect: str, text: str, fields: dict[str, set[str]], rows: set[str]
) -> None:
    assert trace_text(text, dialect) == (fields, rows, "")


def test_a_name_in_an_update_of_an_unknown_table_may_be_that_of_a_variable() -> None:
    reason = "columns: the columns of the table that is written are not known"
    assert trace_text("UPDATE other SET total = price") == ({}, set(), reason)
    assert trace_text("UPDATE other SET total = price", "tsql")[0] == {"total": {"other.price"}}


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("duckdb", "CREATE TABLE x AS PIVOT orders ON id USING sum(amount) GROUP BY customer"),
        ("mysql", ("CREATE TABLE x AS SELECT j.* FROM s.orders o, JSON_TABLE(o.amount, '$[*]'"
         " COLUMNS (n INT PATH '$.n' DEFAULT '1' ON ERROR)) AS j")),
        ("tsql", "SELECT ct.* INTO x FROM CHANGETABLE(CHANGES orders, 0) AS ct"),
    ],
)  # fmt: skip
def test_columns_of_a_source_that_is_not_parsed_are_reported(dialect: str, text: str) -> None:
    session = Session(dialect, None, "s", Catalog(COLUMNS))
    [effect] = [session.apply_statement(each) for each in read_statements(text, dialect)]
    [flow] = effect.flows
    assert (flow.sources, flow.columns) == ((("s", "orders"),), None)
    assert effect.columns_unresolved == ("columns: the statement is not read for its columns",)


def test_a_condition_by_which_a_merge_deletes_rows_is_a_source() -> None:
    """https://docs.oracle.com/en/database/oracle/oracle-database/23/sqlrf/MERGE.html"""
    text = """MERGE INTO totals t USING orders o ON (t.customer = o.customer)
        WHEN MATCHED THEN UPDATE SET t.total = o.amount DELETE WHERE o.id = 3 OR t.total < 0
        WHEN NOT MATCHED THEN INSERT (customer) VALUES (o.customer)"""
    session = Session("oracle", None, "S", Catalog(UPPER))
    [effect] = [session.apply_statement(each) for each in read_statements(text, "oracle")]
    [flow] = effect.flows
    assert flow.columns is not None
    assert name_sources(flow.columns.rows) == {
        "ORDERS.CUSTOMER", "TOTALS.CUSTOMER", "ORDERS.ID", "TOTALS.TOTAL",
    }  # fmt: skip


@pytest.mark.parametrize("dialect", ["bigquery", "redshift", "postgres"])
def test_a_merge_that_inserts_without_a_list_writes_all_columns(dialect: str) -> None:
    text = """MERGE INTO totals t USING customers c ON t.customer = c.id
        WHEN MATCHED THEN UPDATE SET total = c.name
        WHEN NOT MATCHED THEN INSERT VALUES (c.id, 7)"""
    assert trace_text(text, dialect) == (
        {"customer": {"customers.id"}, "total": {"customers.name"}},
        {"customers.id", "totals.customer"},
        "",
    )


@pytest.mark.parametrize("dialect", ["tsql", "postgres"])
def test_an_emptied_temporary_table_keeps_its_columns_but_not_their_sources(dialect: str) -> None:
    stage = "#stage" if dialect == "tsql" else "stage"
    into = f"INTO {'' if dialect == 'tsql' else 'TEMP '}{stage}"
    text = f"""SELECT id, amount {into} FROM orders; TRUNCATE TABLE {stage};
        INSERT INTO {stage} (id) SELECT id FROM customers;
        INSERT INTO totals (customer, total) SELECT id, amount FROM {stage}"""
    assert trace_text(text, dialect) == ({"customer": {"customers.id"}, "total": set()}, set(), "")


@pytest.mark.parametrize(
    ("dialect", "query", "fields", "rows"),
    [
        ("postgres", "SELECT id, ctid AS place FROM orders o WHERE o.xmin::text = '7'",
         {"id": {"orders.id"}, "place": set()}, set()),
        ("postgres", "SELECT q.ctid AS k FROM (SELECT id AS ctid FROM orders) q",
         {"k": {"orders.id"}}, set()),
        ("postgres", "SELECT xmin AS least FROM places", {"least": {"places.xmin"}}, set()),
        ("mysql", "SELECT id FROM s.orders PARTITION (p0) WHERE amount > 7",
         {"id": {"orders.id"}}, {"orders.amount"}),
        ("hive", "SELECT id FROM orders DISTRIBUTE BY customer SORT BY amount",
         {"id": {"orders.id"}}, {"orders.amount"}),
        ("spark", "SELECT id, upper(customer) AS u FROM orders CLUSTER BY u",
         {"id": {"orders.id"}, "u": {"orders.customer"}}, {"orders.customer"}),
    ],
)  # fmt: skip
def test_columns_beside_names_that_are_of_no_column(
    dialect: str, query: str, fields: dict[str, set[str]], rows: set[str]
) -> None:
    assert trace_text(f"CREATE TABLE x AS {query}", dialect) == (fields, rows, "")


def test_columns_of_a_table_of_another_server() -> None:
    text = """INSERT INTO totals (customer, total) SELECT o.Customer, c.id
        FROM [LINK].[erp].[dbo].[Orders] AS o JOIN customers AS c ON c.name = o.Name"""
    assert trace_text(text, "tsql") == (
        {"customer": {"orders.Customer"}, "total": {"customers.id"}},
        {"customers.name", "orders.Name"},
        "",
    )


@pytest.mark.parametrize(
    ("query", "fields", "rows"),
    [
        ("SELECT id, ROWNUM AS n FROM orders WHERE ROWNUM <= 7 AND amount > 7",
         {"ID": {"ORDERS.ID"}, "N": set()}, {"ORDERS.AMOUNT"}),
        ("SELECT id FROM orders o WHERE o.ROWID IN (SELECT max(ROWID) FROM orders GROUP BY amount)",
         {"ID": {"ORDERS.ID"}}, {"ORDERS.AMOUNT"}),
    ],
)  # fmt: skip
def test_columns_beside_pseudo_columns_of_oracle(
    query: str, fields: dict[str, set[str]], rows: set[str]
) -> None:
    session = Session("oracle", None, "S", Catalog(UPPER))
    statements = read_statements(f"CREATE TABLE x AS {query}", "oracle")
    [flow] = [each for effect in map(session.apply_statement, statements) for each in effect.flows]
    assert flow.columns is not None
    assert {name: name_sources(deps) for name, deps in flow.columns.fields.items()} == fields
    assert name_sources(flow.columns.rows) == rows


def test_columns_pass_through_temporary_tables() -> None:
    text = """SELECT id, amount + 1 AS more INTO #stage FROM orders WHERE customer = 'x';
        UPDATE #stage SET id = more;
        DELETE FROM #stage WHERE more < 0;
        INSERT INTO totals (customer, total) SELECT id, more FROM #stage"""
    fields, rows, reasons = trace_text(text, "tsql")
    assert fields == {
        "customer": {"orders.id", "orders.amount"},
        "total": {"orders.amount"},
    }
    assert rows == {"orders.customer", "orders.amount"}
    assert not reasons


def test_columns_pass_through_a_temporary_table_that_ends_with_its_transaction() -> None:
    text = """BEGIN; CREATE TEMP TABLE stage ON COMMIT DROP AS SELECT id, amount FROM orders;
        INSERT INTO totals SELECT id, amount FROM stage WHERE amount > 7; COMMIT"""
    assert trace_text(text) == (
        {"customer": {"orders.id"}, "total": {"orders.amount"}}, {"orders.amount"}, "",
    )  # fmt: skip


def test_columns_with_values_for_identity_columns() -> None:
    """OVERRIDING USER VALUE writes values of a sequence in place of those of the query."""
    text = "INSERT INTO totals (customer, total) OVERRIDING {} VALUE SELECT id, amount FROM orders"
    assert trace_text(text.format("SYSTEM")) == (
        {"customer": {"orders.id"}, "total": {"orders.amount"}}, set(), "",
    )  # fmt: skip
    assert trace_text(text.format("USER")) == (
        {}, set(), "columns: the values of identity columns are ignored",
    )  # fmt: skip


def test_columns_pass_through_a_temporary_table_that_a_list_defines() -> None:
    text = """CREATE TEMP TABLE stage (who int, much numeric);
        INSERT INTO stage SELECT customer, amount FROM orders;
        INSERT INTO totals SELECT * FROM stage"""
    fields, _, reasons = trace_text(text)
    assert fields == {"customer": {"orders.customer"}, "total": {"orders.amount"}}
    assert not reasons


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("INSERT INTO unknown SELECT * FROM orders", "the table that is written are not known"),
        ("CREATE TABLE x AS SELECT * FROM unknown", "a star are unknown"),
        ("CREATE TABLE x AS SELECT name FROM orders, unknown", "ambiguous"),
        ("INSERT INTO totals SELECT id, amount, customer FROM orders", "not as many"),
        ("CREATE TABLE x AS SELECT nothing FROM orders", "none of the tables"),
        ("CREATE TABLE x AS SELECT id, sum(amount) AS s FROM orders GROUP BY $1", "parameter"),
        (
            "CREATE TABLE x AS SELECT id, sum(amount) AS s FROM orders GROUP BY ((12345))",
            "parameter",
        ),
        (
            (
                "CREATE TABLE x AS SELECT q.a FROM"
                " (SELECT * FROM unknown ORDER BY 1 FETCH FIRST ROW ONLY) AS q"
            ),
            "at a position",
        ),
        ("UPDATE totals SET (total, customer) = (SELECT * FROM orders)", "assignment"),
        (
            (
                "WITH m AS (MERGE INTO totals USING orders ON customer = id WHEN MATCHED"
                " THEN DELETE RETURNING customer) INSERT INTO customers (id) SELECT customer FROM m"
            ),
            "the rows that a MERGE returns",
        ),
        (
            "INSERT INTO totals VALUES "
            + ", ".join(f"((SELECT c{n} FROM orders), 1)" for n in range(60)),
            "VALUES has more than 50 different queries",
        ),
        (
            (
                "WITH i AS (INSERT INTO unknown SELECT id FROM orders RETURNING *)"
                " INSERT INTO customers (id) SELECT id FROM i"
            ),
            "without the columns of its table",
        ),
    ],
)
def test_columns_that_cannot_be_read_are_reported(text: str, reason: str) -> None:
    fields, _, reasons = trace_text(text)
    assert not fields
    assert reason in reasons


def trace_outputs(text: str, dialect: str) -> tuple[dict[str, dict[str, set[str]]], str]:
    """Return the direct sources of the columns of each output of a statement, and reasons."""
    upper = dialect in ("oracle", "snowflake")
    session = Session(dialect, None, "S" if upper else "s", Catalog(UPPER if upper else COLUMNS))
    [effect] = [session.apply_statement(each) for each in read_statements(text, dialect)]
    outputs = {
        flow.target[-1].lower(): {
            name.lower(): {source.lower() for source in name_sources(deps)}
            for name, deps in flow.columns.fields.items()
        }
        for flow in effect.flows
        if flow.columns is not None
    }
    return outputs, "; ".join(effect.columns_unresolved)


@pytest.mark.parametrize(
    ("dialect", "text", "outputs"),
    [
        (
            "snowflake",
            (
                "INSERT ALL WHEN amount > 7 THEN INTO totals (customer, total)"
                " VALUES (customer, amount) INTO customers ELSE INTO customers (id)"
                " VALUES (customer) SELECT customer, amount FROM orders"
            ),
            {
                "totals": {"customer": {"orders.customer"}, "total": {"orders.amount"}},
                "customers": {"id": {"orders.customer"}, "name": {"orders.amount"}},
            },
        ),
        (
            "oracle",
            (
                "INSERT ALL INTO s.totals (total) VALUES (a) INTO s.customers (id, name)"
                " VALUES (i, 'x') SELECT amount AS a, id AS i FROM s.orders"
            ),
            {
                "totals": {"total": {"orders.amount"}},
                "customers": {"id": {"orders.id"}, "name": set()},
            },
        ),
        (
            "spark",
            (
                "FROM orders o JOIN customers c ON c.id = o.customer"
                " INSERT OVERWRITE TABLE totals SELECT o.customer, o.amount WHERE o.id > 3"
                " INSERT INTO customers SELECT o.id, c.name"
            ),
            {
                "totals": {"customer": {"orders.customer"}, "total": {"orders.amount"}},
                "customers": {"id": {"orders.id"}, "name": {"customers.name"}},
            },
        ),
        (
            "tsql",
            "DELETE FROM orders OUTPUT deleted.id INTO totals (total) WHERE amount > 3",
            {"totals": {"total": {"orders.id"}}},
        ),
        (
            "tsql",
            (
                "UPDATE t SET total = o.amount OUTPUT deleted.customer, inserted.total - o.id"
                " INTO customers FROM totals AS t JOIN orders AS o ON o.customer = t.customer"
            ),
            {
                "totals": {"total": {"orders.amount"}},
                "customers": {"id": {"totals.customer"}, "name": {"totals.total", "orders.id"}},
            },
        ),
        (
            "tsql",
            (
                "MERGE totals AS t USING orders AS s ON s.customer = t.customer WHEN MATCHED THEN"
                " UPDATE SET total = s.amount OUTPUT $action, inserted.total INTO customers;"
            ),
            {
                "totals": {"total": {"orders.amount"}},
                "customers": {"id": set(), "name": {"totals.total"}},
            },
        ),
        (
            "tsql",
            "INSERT INTO totals OUTPUT inserted.* INTO customers SELECT customer, id FROM orders",
            {
                "totals": {"customer": {"orders.customer"}, "total": {"orders.id"}},
                "customers": {"id": {"totals.customer"}, "name": {"totals.total"}},
            },
        ),
        (
            "postgres",
            (
                "WITH new AS (INSERT INTO totals (total) SELECT amount FROM orders"
                " RETURNING total, customer) INSERT INTO customers SELECT customer, total FROM new"
            ),
            {
                "totals": {"total": {"orders.amount"}},
                "customers": {"id": set(), "name": {"orders.amount"}},
            },
        ),
        (
            "postgres",
            (
                "WITH u AS (UPDATE totals t SET total = amount FROM orders o"
                " WHERE o.id = t.customer RETURNING t.customer, o.amount AS a)"
                " INSERT INTO customers (id, name) SELECT customer, a FROM u"
            ),
            {
                "totals": {"total": {"orders.amount"}},
                "customers": {"id": {"totals.customer"}, "name": {"orders.amount"}},
            },
        ),
        (
            "postgres",
            "WITH i AS (INSERT INTO totals SELECT id, amount FROM orders RETURNING 1) SELECT 1",
            {"totals": {"customer": {"orders.id"}, "total": {"orders.amount"}}},
        ),
        (
            "postgres",
            (
                "CREATE TABLE x AS WITH u AS (UPDATE totals SET total = c.id FROM customers c"
                " WHERE c.id = totals.customer RETURNING customer, c.name)"
                " SELECT customer AS k, name FROM u"
            ),
            {
                "totals": {"total": {"customers.id"}},
                "x": {"k": {"totals.customer"}, "name": {"customers.name"}},
            },
        ),
        (
            "postgres",
            "WITH d AS (DELETE FROM totals RETURNING *) SELECT customer INTO x FROM d",
            {"x": {"customer": {"totals.customer"}}},
        ),
        (
            "postgres",
            (
                "WITH i AS (INSERT INTO customers (id) VALUES ((SELECT max(id) FROM orders))"
                " RETURNING id) INSERT INTO totals (total) SELECT id FROM i"
            ),
            {"customers": {"id": {"orders.id"}}, "totals": {"total": {"orders.id"}}},
        ),
        (
            "mysql",
            (
                "UPDATE s.totals t JOIN s.orders AS o ON o.customer = t.customer"
                " SET t.total = o.amount, o.amount = o.id"
            ),
            {"totals": {"total": {"orders.amount"}}, "orders": {"amount": {"orders.id"}}},
        ),
        (
            "postgres",
            "INSERT INTO totals VALUES ((SELECT max(id) FROM orders), 1), (2, 3)",
            {"totals": {"customer": {"orders.id"}, "total": set()}},
        ),
    ],
)
def test_columns_of_each_output(
    dialect: str, text: str, outputs: dict[str, dict[str, set[str]]]
) -> None:
    assert trace_outputs(text, dialect) == (outputs, "")


@pytest.mark.parametrize("dialect", ["spark", "databricks", "athena"])
@pytest.mark.parametrize(
    ("write", "fields"),
    [
        (
            "INSERT OVERWRITE TABLE totals PARTITION (total = '5') SELECT customer FROM orders",
            {"customer": {"orders.customer"}},
        ),
        (
            "INSERT INTO totals PARTITION (total) SELECT customer, amount FROM orders",
            {"customer": {"orders.customer"}, "total": {"orders.amount"}},
        ),
    ],
)
def test_the_column_of_a_partition_with_a_value_is_not_in_the_query(
    dialect: str, write: str, fields: dict[str, set[str]]
) -> None:
    assert trace_text(write, dialect) == (fields, set(), "")


@pytest.mark.parametrize(
    ("words", "rows"), [("FIRST", {"ORDERS.ID", "ORDERS.AMOUNT"}), ("ALL", {"ORDERS.AMOUNT"})]
)
def test_conditions_of_insert_first_also_exclude_rows_of_later_tables(
    words: str, rows: set[str]
) -> None:
    text = f"""INSERT {words} WHEN id > 7 THEN INTO totals (total) VALUES (amount)
        WHEN amount > 7 THEN INTO customers (id) VALUES (id) SELECT id, amount FROM orders"""
    session = Session("snowflake", None, "S", Catalog(UPPER))
    [effect] = [session.apply_statement(each) for each in read_statements(text, "snowflake")]
    [later] = [flow.columns for flow in effect.flows if flow.target[-1] == "CUSTOMERS"]
    assert later is not None
    assert name_sources(later.rows) == rows


def test_rows_of_a_change_in_from_are_reported() -> None:
    text = """INSERT INTO customers (id, name) SELECT id, name FROM (MERGE INTO customers AS t
        USING (SELECT id, amount FROM orders) AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET
        name = 'x' OUTPUT $action AS act, s.id, s.amount AS name) AS ch WHERE act = 'UPDATE'"""
    _, reason = trace_outputs(text, "tsql")
    assert "columns: the rows of a change in FROM are not read for their columns" in reason


def test_columns_of_an_altered_temporary_table_are_not_known() -> None:
    text = """SELECT id INTO #stage FROM orders; ALTER TABLE #stage ADD total int;
        INSERT INTO totals (customer) SELECT id FROM #stage"""
    fields, _, reasons = trace_text(text, "tsql")
    assert not fields
    assert "the columns of the temporary table #stage are not known" in reasons


def test_columns_of_an_unknown_table_are_read_where_the_text_is_sufficient() -> None:
    fields, _, reasons = trace_text("CREATE TABLE x AS SELECT u.a, u.b + 1 AS c FROM unknown AS u")
    assert fields == {"a": {"unknown.a"}, "c": {"unknown.b"}}
    assert not reasons


def test_columns_of_tables_that_a_literal_names_are_reported() -> None:
    text = "CREATE TABLE s.x AS SELECT o.id FROM IDENTIFIER('s.orders') AS o"
    fields, _, reasons = trace_text(text, "spark")
    assert not fields
    assert reasons


@pytest.mark.parametrize("dialect", ["postgres", "bigquery", "spark", "duckdb", "tsql"])
@pytest.mark.parametrize("key", ["amount", "1", "amount DESC"])
def test_a_name_in_order_by_is_the_column_of_the_result(key: str, dialect: str) -> None:
    text = f"CREATE TABLE x AS SELECT upper(name) AS amount FROM q ORDER BY {key}"
    text = text.replace("FROM q", "FROM orders CROSS JOIN customers")
    assert trace_text(text, dialect)[1] == {"customers.name"}


@pytest.mark.parametrize(
    ("clauses", "rows"),
    [
        ("SELECT DISTINCT ON (amount) upper(customer) AS amount FROM orders", "customer"),
        ("SELECT upper(customer) AS amount FROM orders ORDER BY amount + 1", "amount"),
        ("SELECT upper(customer) AS amount FROM orders ORDER BY orders.amount", "amount"),
        ("SELECT max(customer) AS amount FROM orders GROUP BY amount", "amount"),
        ("SELECT rank() OVER (ORDER BY id) AS amount FROM orders ORDER BY amount", "id"),
    ],
)
def test_other_names_in_keys_are_columns_of_tables(clauses: str, rows: str) -> None:
    """https://www.postgresql.org/docs/current/sql-select.html, of GROUP BY and ORDER BY."""
    assert trace_text(f"CREATE TABLE x AS {clauses}")[1] == {f"orders.{rows}"}


@pytest.mark.parametrize(
    ("key", "dialect", "rows"),
    [
        ("amount", "bigquery", "customer"),
        ("amount", "postgres", "amount"),
        ("orders.amount", "bigquery", "amount"),
        ("other", "bigquery", "customer"),
        ("id", "bigquery", "id"),
    ],
)
def test_a_name_in_group_by_is_a_column_of_the_result_in_bigquery(
    key: str, dialect: str, rows: str
) -> None:
    """https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax, of GROUP BY."""
    text = "CREATE TABLE x AS SELECT upper(customer) AS amount, upper(customer) AS other, id AS id"
    assert trace_text(f"{text} FROM orders GROUP BY {key}", dialect)[1:] == (
        {f"orders.{rows}"}, "",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("value", "dialect"),
    [
        ("to_jsonb(o)", "postgres"),
        ("md5(o.*::text)", "postgres"),
        ("count(o)", "postgres"),
        ("(SELECT json_agg(o) FROM customers AS c WHERE false)", "postgres"),
        ("TO_JSON_STRING(o)", "bigquery"),
        ("ARRAY_AGG(o)", "bigquery"),
        ("to_json(struct(*))", "spark"),
        ("sha2(concat_ws('|', o.*), 256)", "spark"),
        ("count(DISTINCT *)", "spark"),
        ("CHECKSUM(*)", "tsql"),
        ("to_json(o)", "duckdb"),
    ],
)
def test_a_row_as_a_value_has_all_columns(value: str, dialect: str) -> None:
    text = f"INSERT INTO totals (customer, total) SELECT 1, {value} FROM orders AS o"
    row = {"orders.id", "orders.amount", "orders.customer"}
    assert trace_text(text, dialect) == ({"customer": set(), "total": row}, set(), "")


@pytest.mark.parametrize(
    ("value", "sources"),
    [
        ("count(*)", set()),
        ("count(*) OVER ()", set()),
        ("(o).amount", {"orders.amount"}),
        ("row_to_json(q)", {"customers.name"}),
        ("EXISTS (SELECT * FROM customers)", set()),
    ],
)
def test_a_star_that_is_no_row_has_fewer_columns(value: str, sources: set[str]) -> None:
    text = f"SELECT {value} AS total FROM orders o, (SELECT name FROM customers) q"
    assert trace_text(f"INSERT INTO totals (total) {text}")[0] == {"total": sources}


@pytest.mark.parametrize(
    ("query", "dialect", "reason"),
    [
        ("SELECT to_jsonb(u) FROM u", "postgres", "the columns of a star are unknown"),
        ("SELECT to_json(struct(*)) FROM u", "spark", "the columns of a star are unknown"),
        ("SELECT struct(* EXCEPT (id)) FROM orders", "spark", "a star with modifiers"),
        ("SELECT list(COLUMNS(*)) FROM orders", "duckdb", "an expression for each of several"),
        ("SELECT $1 FROM orders", "snowflake", "the column at a position is not known"),
    ],
)
def test_columns_of_a_row_that_are_not_known_are_reported(
    query: str, dialect: str, reason: str
) -> None:
    fields, _, reasons = trace_text(f"INSERT INTO totals (total) {query}", dialect)
    assert (fields, reasons.startswith(f"columns: {reason}")) == ({}, True)


@pytest.mark.parametrize("declaration", ["DECLARE @t TABLE", "declare @T as table"])
def test_columns_go_through_table_variables(declaration: str) -> None:
    text = (
        f"{declaration} (k int, n decimal(9, 2)); INSERT INTO @t SELECT id, amount FROM orders; "
        "INSERT INTO totals (customer, total) SELECT q.k, q.n FROM @t AS q WHERE n > 1"
    )
    assert trace_text(text, "tsql") == (
        {"customer": {"orders.id"}, "total": {"orders.amount"}},
        {"orders.amount"},
        "",
    )


def test_columns_go_through_a_table_variable_of_output() -> None:
    text = (
        "DECLARE @t TABLE (k int); INSERT INTO customers (name) OUTPUT inserted.id INTO @t "
        "SELECT customer FROM orders; INSERT INTO totals (customer) SELECT k FROM @t"
    )
    assert trace_text(text, "tsql")[0] == {"customer": {"customers.id"}}
