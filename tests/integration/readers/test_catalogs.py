"""Catalogs of a real PostgreSQL: whole exports of information_schema, and of pg_proc."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import psycopg
from click.testing import CliRunner
from lineage_cli import main

from lineage.query.graph import Graph

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

NAMESPACE = "postgres://db:5432"
OBJECTS = """
CREATE SCHEMA w;
CREATE TABLE w.orders (id int, customer int, amount numeric, tags text[]);
CREATE TABLE w.totals (customer int, total numeric);
CREATE VIEW w.tagged AS SELECT o.customer, t.tag, o.amount FROM w.orders o, unnest(o.tags) t(tag)
    WHERE t.tag NOT IN ('a', 'b');
CREATE VIEW w.sums AS SELECT customer, sum(amount) FROM w.tagged GROUP BY customer;
CREATE MATERIALIZED VIEW w.kept AS SELECT * FROM w.sums;
CREATE PROCEDURE w.refresh() BEGIN ATOMIC INSERT INTO w.totals SELECT * FROM w.sums; END;
CREATE FUNCTION w.clear() RETURNS void LANGUAGE plpgsql AS
    $$ BEGIN DELETE FROM w.totals WHERE total = 0; END $$;
"""
MATERIALIZED = """
SELECT current_database() AS table_catalog, schemaname AS table_schema, matviewname AS table_name,
       definition AS view_definition FROM pg_matviews
"""
ROUTINES = """
SELECT current_database() AS database_name, n.nspname AS schema_name, p.proname AS object_name,
       pg_get_functiondef(p.oid) AS definition
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE p.prokind IN ('f', 'p') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
"""


def export_rows(conn: psycopg.Connection, query: str, path: Path) -> str:
    with conn.cursor().copy(f"COPY ({query}) TO STDOUT (FORMAT csv, HEADER)".encode()) as rows:
        path.write_bytes(b"".join(bytes(row) for row in rows))
    return str(path)


def run_import(kind: str, *words: str) -> Result:
    arguments = ["import", kind, *words, "--namespace", NAMESPACE]
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


def test_whole_exports_give_the_tables_views_and_routines_of_users(
    dsn: str, empty_dsn: str, tmp_path: Path
) -> None:
    with psycopg.connect(empty_dsn, autocommit=True) as conn:
        conn.execute(OBJECTS.encode())
        database = conn.info.dbname
        files = [
            export_rows(conn, f"SELECT * FROM information_schema.{name}", tmp_path / f"{name}.csv")
            for name in ("columns", "views", "routines")
        ]
        files.append(export_rows(conn, MATERIALIZED, tmp_path / "materialized.csv"))
        definitions = export_rows(conn, ROUTINES, tmp_path / "definitions.csv")
    result = run_import("catalog", *files, "--dsn", dsn)
    assert result.exit_code == 1
    assert "routine_definition is empty. The role may not read it" in result.output
    assert result.output.count("Error:") == 1, "the body of refresh is BEGIN ATOMIC"
    assert run_import("catalog", definitions, "--dsn", dsn).exit_code == 0
    log = tmp_path / "log.jsonl"
    call = {"time": "2026-01-05T06:00:00Z", "job": "nightly", "database": database, "session": "1"}
    texts = ("CALL w.refresh()", "SELECT w.clear()")
    log.write_text("\n".join(json.dumps({**call, "text": text}) for text in texts))
    result = run_import("queries", str(log), "--dsn", dsn)
    assert result.exit_code == 0, result.output
    with Graph(dsn) as graph:
        names = {each.name.removeprefix(f"{database}.w.") for each in graph.datasets()}
        assert names == {"orders", "totals", "tagged", "sums", "kept"}
        for name in ("kept", "totals"):
            upstream = graph.upstream(f"{database}.w.{name}").datasets
            assert [each.name.rpartition(".")[2] for each in upstream] == [
                "sums",
                "tagged",
                "orders",
            ]
        edges = graph.column_lineage(f"{database}.w.kept", "sum").edges
        sources = {str(edge.source).rpartition("w.")[2] for edge in edges}
    assert sources == {
        *("sums.sum", "tagged.amount", "tagged.customer", "orders.amount"),
        *("orders.customer", "orders.tags"),
    }
