"""What the runs of a query log depend on, by the queries of the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from support.query_logs import SERVERS, later_row, make_row

from lineage.ingest.writer import write_events
from lineage.readers.log_source import LogSource
from lineage.readers.query_logs.importing import convert_rows
from lineage.readers.query_logs.rows import Kind, Row
from lineage.readers.report import ImportReport

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[Any]

# What dbt executes on PostgreSQL for a model that is a view.
REPLACED_BY_DBT = """\
BEGIN;
CREATE VIEW sales.d.v__dbt_tmp AS (SELECT * FROM sales.d.{source});
ALTER VIEW sales.d.v RENAME TO v__dbt_backup;
ALTER VIEW sales.d.v__dbt_tmp RENAME TO v;
COMMIT;
DROP VIEW IF EXISTS sales.d.v__dbt_backup CASCADE"""
LOAD = "INSERT INTO sales.d.{} SELECT * FROM sales.d.raw"
INSERT_RAW = "INSERT INTO d.facts SELECT * FROM d.raw_{0}"
REPORT = "CREATE TABLE sales.d.{} AS SELECT * FROM sales.d.v"


def rows_of(job: str, second: int, statements: str) -> list[Row]:
    """Return the rows of a session that begins at a second, with its end."""
    texts = statements.split(";\n")
    common = {"job": job, "session": job, "process": str(second)}
    rows = [
        make_row(second + number, text, kind=Kind.STATEMENT, position=second + number, **common)
        for number, text in enumerate(texts)
    ]
    end = second + len(rows)
    return [*rows, make_row(end, kind=Kind.END, position=end, **common)]


def read_log(conn: Connection, *sessions: list[Row], dialect: str = "postgres") -> None:
    rows = [row for session in sessions for row in session]
    placed = ((f"row {number}", row) for number, row in enumerate([*rows, later_row()]))
    source = LogSource(SERVERS[dialect], dialect)
    write_events(conn, convert_rows(source, placed, ImportReport()))


def sources(conn: Connection, job: str) -> set[str]:
    """Return the names of the datasets that a run of a job depends on."""
    statement = """
        SELECT u.name FROM lineage.job j JOIN lineage.execution e ON e.job = j.id
        JOIN lineage.run r ON r.id = e.run CROSS JOIN lineage.upstream_runs(r.run_id) u
        WHERE j.name = %s
    """
    return {name.rpartition(".")[2] for (name,) in conn.execute(statement, (job,))}


def test_a_view_that_dbt_replaced_is_read_through(conn: Connection) -> None:
    read_log(
        conn,
        rows_of("load a", 0, LOAD.format("a")),
        rows_of("dbt 1", 10, REPLACED_BY_DBT.format(source="a")),
        rows_of("report 1", 20, REPORT.format("first")),
        rows_of("load b", 30, LOAD.format("b")),
        rows_of("dbt 2", 40, REPLACED_BY_DBT.format(source="b")),
        rows_of("report 2", 50, REPORT.format("second")),
    )
    assert sources(conn, "report 1") == {"v", "a", "raw"}
    assert sources(conn, "report 2") == {"v", "b", "raw"}


@pytest.mark.parametrize(
    ("dialect", "write"),
    [
        ("hive", "INSERT OVERWRITE TABLE d.facts PARTITION (k = '{0}') SELECT * FROM d.raw_{0}"),
        ("tsql", f"TRUNCATE TABLE d.facts WITH (PARTITIONS (2));\n{INSERT_RAW}"),
    ],
)
def test_rows_of_other_partitions_remain(conn: Connection, dialect: str, write: str) -> None:
    read_log(
        conn,
        rows_of("load us", 0, write.format("us")),
        rows_of("load de", 10, write.format("de")),
        rows_of("report", 20, "INSERT INTO d.report SELECT * FROM d.facts"),
        dialect=dialect,
    )
    assert sources(conn, "report") == {"facts", "raw_us", "raw_de"}


def test_a_view_that_another_session_renamed_is_read_through(conn: Connection) -> None:
    read_log(
        conn,
        rows_of("define", 0, "CREATE VIEW sales.d.w AS SELECT * FROM sales.d.a"),
        rows_of("rename", 10, "ALTER VIEW sales.d.w RENAME TO v"),
        rows_of("define again", 20, "CREATE VIEW sales.d.w AS SELECT * FROM sales.d.b"),
        rows_of("load", 30, LOAD.format("a")),
        rows_of("report", 40, REPORT.format("first")),
    )
    assert sources(conn, "report") == {"v", "a", "raw"}


def test_an_insert_after_create_if_not_exists_hides_no_earlier_insert(conn: Connection) -> None:
    create = "CREATE TABLE IF NOT EXISTS sales.d.h (a int)"
    daily = f"{create};\nINSERT INTO sales.d.h SELECT * FROM sales.d.{{}}"
    read_log(
        conn,
        rows_of("day 1", 0, daily.format("one")),
        rows_of("day 2", 10, daily.format("two")),
        rows_of("report", 20, "CREATE TABLE sales.d.r AS SELECT * FROM sales.d.h"),
    )
    assert sources(conn, "report") == {"h", "one", "two"}
