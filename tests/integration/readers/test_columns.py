"""Columns of statements in the log of a real PostgreSQL, by its own catalog."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from click.testing import CliRunner
from lineage_cli import main
from support.fixtures.query_logs import DURATIONS, logging_server

from lineage.query.graph import Graph

if TYPE_CHECKING:
    from pathlib import Path

NAMESPACE = "postgres://db:5432"
COLUMNS = "SELECT table_catalog, table_schema, table_name, column_name, ordinal_position, data_type"


def test_imported_statements_have_the_columns_of_the_catalog(dsn: str, tmp_path: Path) -> None:
    with logging_server(DURATIONS) as server:
        server.execute_unlogged(
            "CREATE SCHEMA w",
            "CREATE TABLE w.orders (id int, customer int, amount int)",
            "CREATE TABLE w.totals (customer int, total int)",
        )
        with server.connect("columns::load") as conn:
            conn.execute("CREATE TEMP TABLE stage AS SELECT * FROM w.orders WHERE id > 7")
            conn.execute(
                "INSERT INTO w.totals SELECT customer, sum(amount) FROM stage GROUP BY customer"
            )
        with server.connect("other") as conn:
            rows = conn.execute(
                f"{COLUMNS} FROM information_schema.columns WHERE table_schema = 'w'"
            )
            catalog = tmp_path / "columns.csv"
            with catalog.open("w", newline="") as file:
                writer = csv.writer(file)
                writer.writerow([column.name for column in rows.description or ()])
                writer.writerows(rows.fetchall())
        log, _ = server.stop()
        for kind, path in (("catalog", catalog), ("queries", log)):
            arguments = ["import", kind, str(path), "--namespace", NAMESPACE, "--dsn", dsn]
            result = CliRunner().invoke(main, arguments, catch_exceptions=False)
            assert result.exit_code == 0, result.output
    with Graph(dsn) as graph:
        lineage = graph.column_lineage("postgres.w.totals", "total")
    assert {(str(edge.source).rpartition("w.")[2], edge.subtype) for edge in lineage.edges} == {
        ("orders.amount", "AGGREGATION"),
        ("orders.customer", "GROUP_BY"),
        ("orders.id", "FILTER"),
    }
