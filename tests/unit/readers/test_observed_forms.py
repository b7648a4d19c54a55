"""Logs whose databases name the tables themselves, and the general log of MySQL."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from lineage.readers.files import open_sources
from lineage.readers.query_logs.forms.form import Reading
from lineage.readers.query_logs.forms.known import find_form
from lineage.readers.query_logs.rows import Kind, Row
from lineage.readers.query_logs.sources import Files

if TYPE_CHECKING:
    from pathlib import Path

    from lineage.errors import InvalidEvent
    from lineage.readers.query_logs.observed import ObservedFlow


def read_file(path: Path, form: str) -> tuple[list[Row], list[str]]:
    """Return the rows and the errors of a file, whose form must be recognized as ``form``."""
    bad: list[InvalidEvent] = []
    [source] = open_sources([str(path)], bad.append)
    found = find_form(source, None)
    assert found is not None
    assert found.name == form
    rows = [row for _, row in found.read(source, Reading(bad.append))]
    return rows, [str(error) for error in bad]


def read_records(tmp_path: Path, form: str, *records: dict[str, Any]) -> list[Row]:
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    rows, bad = read_file(path, form)
    assert bad == []
    return rows


def flows_of(row: Row) -> list[ObservedFlow]:
    assert row.observed is not None
    return list(row.observed.flows)


SNOWFLAKE = {
    "QUERY_ID": "01b2-1",
    "QUERY_START_TIME": "2026-01-05T06:00:00Z",
    "END_TIME": "2026-01-05T06:00:09Z",
    "QUERY_TYPE": "INSERT",
    "QUERY_TAG": "python_task::load",
    "USER_NAME": "ETL",
    "SESSION_ID": 42,
    "EXECUTION_STATUS": "SUCCESS",
    "BASE_OBJECTS_ACCESSED": [
        {"objectDomain": "Table", "objectName": "SALES.RAW.ORDERS"},
        {"objectDomain": "Table", "objectName": "SALES.RAW.RATES"},
        {"objectDomain": "Stage", "objectName": "SALES.RAW.FILES"},
    ],
    "OBJECTS_MODIFIED": [
        {
            "objectDomain": "Table",
            "objectName": 'SALES.CLEAN."Order.Items"',
            "columns": [
                {
                    "columnName": "AMOUNT",
                    "directSources": [{"objectName": "SALES.RAW.ORDERS", "columnName": "AMOUNT"}],
                }
            ],
        }
    ],
}


def test_snowflake_names_the_sources(tmp_path: Path):
    [row] = read_records(tmp_path, "snowflake-access", SNOWFLAKE)
    assert (row.job, row.session, row.failed) == ("load", "42", False)
    assert row.time == "2026-01-05T06:00:09.000000Z"
    [flow] = flows_of(row)
    assert flow.target == ("SALES", "CLEAN", "Order.Items"), "a quoted name may contain a dot"
    orders, rates = ("SALES", "RAW", "ORDERS"), ("SALES", "RAW", "RATES")
    assert flow.sources == (orders, rates), "a table that is only joined determines the rows"
    assert row.observed is not None
    assert row.observed.reads == (orders, rates)


def test_a_view_is_a_source_beside_its_tables(tmp_path: Path):
    [target] = SNOWFLAKE["OBJECTS_MODIFIED"]
    view = {"objectDomain": "View", "objectName": "SALES.RAW.OPEN_ORDERS", "columnName": "AMOUNT"}
    columns = [{"columnName": "AMOUNT", "directSources": [view]}]
    query = {**SNOWFLAKE, "OBJECTS_MODIFIED": [{**target, "columns": columns}]}
    [flow] = flows_of(*read_records(tmp_path, "snowflake-access", query))
    assert [source[-1] for source in flow.sources] == ["OPEN_ORDERS", "ORDERS", "RATES"]


def test_a_table_that_is_changed_is_no_source_of_itself(tmp_path: Path):
    orders = {"objectDomain": "Table", "objectName": "SALES.RAW.ORDERS"}
    update = {**SNOWFLAKE, "QUERY_TYPE": "UPDATE", "OBJECTS_MODIFIED": [orders]}
    [flow] = flows_of(*read_records(tmp_path, "snowflake-access", update))
    assert (flow.target[-1], flow.mode) == ("ORDERS", "merge")
    assert flow.sources == (("SALES", "RAW", "RATES"),)


def test_a_stage_is_no_table(tmp_path: Path):
    """Neither as the target of an unload, nor as the source of a load."""
    stage = {
        "objectDomain": "Stage",
        "objectName": "SALES.RAW.FILES",
        "stageKind": "Internal Named",
    }
    unload = {**SNOWFLAKE, "QUERY_TYPE": "UNLOAD", "OBJECTS_MODIFIED": [stage]}
    table = {
        "objectDomain": "Table",
        "objectName": "SALES.RAW.ORDERS",
        "columns": [{"columnName": "ID", "directSources": [stage]}],
    }
    load = {
        **SNOWFLAKE,
        "QUERY_ID": "01b2-2",
        "QUERY_TYPE": "COPY",
        "BASE_OBJECTS_ACCESSED": [stage],
        "OBJECTS_MODIFIED": [table],
    }
    unloaded, loaded = read_records(tmp_path, "snowflake-access", unload, load)
    assert flows_of(unloaded) == []
    [flow] = flows_of(loaded)
    assert (flow.target[-1], flow.sources) == ("ORDERS", ())


def test_a_failed_query_of_snowflake_has_failed(tmp_path: Path):
    [row] = read_records(tmp_path, "snowflake-access", {**SNOWFLAKE, "EXECUTION_STATUS": "FAIL"})
    assert row.failed


BIGQUERY = {
    "job_id": "j1",
    "creation_time": "2026-01-05T06:00:00Z",
    "end_time": "2026-01-05T06:00:09Z",
    "statement_type": "INSERT",
    "user_email": "etl@corp",
    "labels": [{"key": "job", "value": "load"}],
    "referenced_tables": [{"project_id": "p", "dataset_id": "raw", "table_id": "orders$20260101"}],
    "destination_table": {"project_id": "p", "dataset_id": "clean", "table_id": "orders"},
}


def test_bigquery_names_tables_without_their_partitions(tmp_path: Path):
    [row] = read_records(tmp_path, "bigquery", BIGQUERY)
    assert row.job == "load"
    [flow] = flows_of(row)
    assert (flow.target, flow.sources) == (("p", "clean", "orders"), (("p", "raw", "orders"),))


def test_the_result_of_a_query_of_bigquery_is_no_table(tmp_path: Path):
    result = {"project_id": "p", "dataset_id": "_a1b2", "table_id": "anon3c4d"}
    query = {**BIGQUERY, "statement_type": "SELECT", "destination_table": result}
    [row] = read_records(tmp_path, "bigquery", query)
    assert flows_of(row) == []
    assert row.observed is not None
    assert row.observed.reads == (("p", "raw", "orders"),)


def test_a_copy_job_of_bigquery_reads_the_tables_of_its_configuration(tmp_path: Path):
    table = {"projectId": "p", "datasetId": "raw", "tableId": "orders$20260101"}
    copy = {**BIGQUERY, "job_type": "COPY", "statement_type": None, "referenced_tables": None}
    configuration = {"copy": {"sourceTables": [table], "writeDisposition": "WRITE_TRUNCATE"}}
    [row] = read_records(tmp_path, "bigquery", {**copy, "configuration": configuration})
    [flow] = flows_of(row)
    assert (flow.sources, flow.mode) == ((("p", "raw", "orders"),), "overwrite")
    [row] = read_records(tmp_path, "bigquery", copy)
    assert row.observed is not None
    assert row.observed.unresolved == ("the table that a copy job read is not known",)
    assert [flow.sources for flow in flows_of(row)] == [()]


def test_a_script_of_bigquery_is_its_statements(tmp_path: Path):
    script = {**BIGQUERY, "job_id": "j0", "statement_type": "SCRIPT"}
    child = {**BIGQUERY, "parent_job_id": "j0", "error_result": {"reason": "invalidQuery"}}
    [row] = read_records(tmp_path, "bigquery", script, child)
    assert row.observed is not None
    assert (row.observed.id, row.session, row.failed) == ("j1", "j0", True)


def test_databricks_names_pairs_of_tables(tmp_path: Path):
    [row] = read_records(
        tmp_path,
        "databricks",
        {
            "source_table_full_name": "main.raw.orders",
            "target_table_full_name": "main.clean.orders",
            "event_time": "2026-01-05T06:00:09Z",
            "entity_type": "NOTEBOOK",
            "entity_id": "17",
            "entity_run_id": "99",
            "created_by": "etl@corp",
        },
    )
    assert (row.job, row.session) == ("NOTEBOOK/17", "99")
    [flow] = flows_of(row)
    assert flow.target == ("main", "clean", "orders")
    assert flow.sources == (("main", "raw", "orders"),)


MYSQL = """\
/usr/sbin/mysqld, Version: 8.0.40 (MySQL Community Server - GPL). started with:
Time                 Id Command    Argument
2026-01-05T06:00:00.000001Z\t   12 Connect\tetl@app1 on shop using TCP/IP
2026-01-05T06:00:01.000001Z\t   12 Query\tINSERT INTO clean
SELECT * FROM raw
2026-01-05T06:00:02.000001Z\t   12 Prepare\tINSERT INTO log VALUES (?)
2026-01-05T06:00:03.000001Z\t   12 Query\t/* job=nightly */ DELETE FROM stage
2026-01-05T06:00:04.000001Z\t   12 Quit\t
"""


def test_the_general_log_of_mysql_is_statements_of_sessions(tmp_path: Path):
    path = tmp_path / "general.log"
    path.write_text(MYSQL)
    rows, bad = read_file(path, "mysql")
    assert bad == []
    assert [(row.kind, row.job, row.database) for row in rows] == [
        (Kind.STARTED, "etl@app1", "shop"),
        (Kind.STARTED, "nightly", "shop"),
        (Kind.END, "etl@app1", "shop"),
    ], "a prepared statement that did not execute is no row"
    assert rows[0].text == "INSERT INTO clean\nSELECT * FROM raw"
    assert {row.session for row in rows} == {"12"}


def test_a_session_of_mysql_goes_on_in_the_next_file_of_its_log(tmp_path: Path):
    """But not in the log of another server, whose threads have the same numbers."""
    connect, use, insert = (
        "2026-01-05T06:00:00.000001Z\t   12 Connect\tetl@app1 on shop using TCP/IP\n",
        "2026-01-05T06:00:01.000001Z\t   12 Init DB\tstage\n",
        "2026-01-05T06:00:02.000001Z\t   12 Query\tINSERT INTO clean SELECT * FROM raw\n",
    )
    (tmp_path / "general.log.2.gz").write_bytes(gzip.compress(connect.encode()))
    (tmp_path / "general.log.1").write_text(use)
    (tmp_path / "general.log").write_text(insert)
    (tmp_path / "other.log").write_text(insert)
    bad: list[InvalidEvent] = []
    files = Files.find_files((str(tmp_path),), None)
    rows = [row for _, row in files.read_rows(Reading(bad.append), [])]
    assert [(row.job, row.database) for row in rows] == [("etl@app1", "stage")]
    other = tmp_path / "other.log"
    assert [error.message for error in bad] == [
        f"{other}:1: The file does not show who connected as thread 12."
    ]


# The general log of MariaDB 10.11.
MARIADB = """\
mariadbd, Version: 10.11.19-MariaDB-0+deb12u1-log (Debian 12). started with:
Tcp port: 3306  Unix socket: /run/mysqld/mysqld.sock
Time\t\t    Id Command\tArgument
261129  9:17:40\t     4 Connect\tetl@localhost on  using Socket
\t\t     4 Init DB\tshop
\t\t     4 Query\tinsert into totals select customer, sum(amount)
\tfrom orders group by customer
\t\t     4 Query\tprepare s from 'insert into totals select id, 0 from customers where id > ?'
\t\t     4 Prepare\tinsert into totals select id, 0 from customers where id > ?
\t\t     4 Execute\tinsert into totals select id, 0 from customers where id > 0
261129 21:17:41\t     4 Query\tdelete from report
\t\t     4 Quit\t
"""


def test_lines_of_mariadb_have_the_time_of_the_line_before(tmp_path: Path):
    """They have no zone. Their order is that of the lines of a thread."""
    path = tmp_path / "general.log"
    path.write_text(MARIADB)
    rows, bad = read_file(path, "mysql")
    assert bad == []
    assert [(row.time[11:19], row.position, row.text[:24]) for row in rows] == [
        ("09:17:40", 2, "insert into totals selec"),
        ("09:17:40", 3, "prepare s from 'insert i"),
        ("09:17:40", 5, "insert into totals selec"),
        ("21:17:41", 0, "delete from report"),
        ("21:17:41", 1, ""),
    ]
    assert rows[0].text.endswith("sum(amount)\n\tfrom orders group by customer")
    assert {(row.job, row.database, row.time[:10]) for row in rows} == {
        ("etl@localhost", "shop", "2026-11-29")
    }


def test_a_line_without_a_time_before_it_is_reported(tmp_path: Path):
    path = tmp_path / "general.log"
    path.write_text(
        "\t\t     4 Query\t/* job=load */ delete from report\n"
        "261129 21:17:41\t     4 Query\t/* job=load */ delete from totals\n"
    )
    [row], bad = read_file(path, "mysql")
    assert (row.text[-6:], bad) == (
        "totals",
        [f"{path}:1: event_time is not an ISO 8601 date and time."],
    )


def test_what_mysql_prints_in_batch_mode_is_the_log(tmp_path: Path):
    path = tmp_path / "general_log.tsv"
    path.write_text(
        "event_time\tuser_host\tthread_id\tserver_id\tcommand_type\targument\n"
        "2026-11-29 21:17:40.529192\tetl[etl] @ app1 []\t4\t1\tConnect\tetl@app1 on shop\n"
        "2026-11-29 21:17:41.000001\tetl[etl] @ app1 []\t4\t1\tQuery\t"
        "insert into t select 'a\\tb\\\\'\\nfrom s\n"
    )
    [row], bad = read_file(path, "mysql")
    assert (row.text, row.database, bad) == ("insert into t select 'a\tb\\'\nfrom s", "shop", [])


# The plugin server_audit of MariaDB 10.11: a procedure, a trigger, a statement that failed.
AUDIT = r"""
20261129 22:35:49,vm,etl,app1,47,0,CONNECT,shop,,0
20261129 22:35:49,vm,etl,app1,47,247,QUERY,shop,'insert into report\n\tselect \'a,b\', 1 from v',0
20261129 22:35:49,vm,etl,app1,47,247,WRITE,shop,report,
20261129 22:35:49,vm,etl,app1,47,249,QUERY,shop,'delete from totals',0
20261129 22:35:49,vm,etl,app1,47,250,QUERY,shop,'insert into totals select * from orders',0
20261129 22:35:49,vm,etl,app1,47,248,QUERY,shop,'call refresh()',0
20261129 22:35:50,vm,etl,app1,47,258,QUERY,shop,'insert into audit_log values (new.id)',0
20261129 22:35:50,vm,etl,app1,47,257,QUERY,shop,'insert into orders values (1)',0
20261129 22:35:50,vm,etl,app1,47,259,QUERY,shop,'insert into nosuch select * from orders',1146
20261129 22:35:50,vm,etl,app1,47,260,QUERY,shop,'call unknown()',1305
20261129 22:35:50,vm,etl,app1,47,0,DISCONNECT,shop,,0
"""


def test_an_audit_log_has_the_outcome_of_each_statement(tmp_path: Path):
    """The statements of a routine and of a trigger are lines before that of their statement."""
    path = tmp_path / "server_audit.log"
    path.write_text(AUDIT.lstrip())
    rows, bad = read_file(path, "mysql-audit")
    assert bad == []
    assert [(row.text[:20], row.failed, row.position) for row in rows] == [
        ("insert into report\n\t", False, 2),
        ("delete from totals", False, 4),
        ("insert into totals s", False, 5),
        ("insert into audit_lo", False, 1),
        ("insert into orders v", False, 2),
        ("insert into nosuch s", True, 3),
        ("call unknown()", True, 4),
        ("", False, 5),
    ]
    assert rows[0].text == "insert into report\n\tselect 'a,b', 1 from v"
    assert rows[-1].kind == Kind.END
    assert {(row.job, row.session, row.database) for row in rows} == {("etl@app1", "47", "shop")}


def test_an_audit_log_of_aurora_has_microseconds(tmp_path: Path):
    path = tmp_path / "audit.log"
    path.write_text(
        "1795991749123456,db-1,etl,app1,47,247,QUERY,shop,'/* job=nightly */ delete from t',0\n"
    )
    [row], bad = read_file(path, "mysql-audit")
    assert (row.time, row.job, bad) == ("2026-11-29T22:35:49.123456Z", "nightly", [])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (
            f"20261129 22:35:49,vm,etl,app1,47,247,QUERY,shop,'insert into t {'x' * 1010}',0",
            "The statement is cut after 1,024 bytes. Set server_audit_query_log_limit",
        ),
        ("20261129 22:35:49,vm,etl", "The line is not one of server_audit."),
    ],
)
def test_a_line_of_an_audit_log_that_is_not_whole_is_reported(
    tmp_path: Path, line: str, reason: str
):
    path = tmp_path / "server_audit.log"
    path.write_text(f"{line}\n{AUDIT.lstrip()}")
    rows, [error] = read_file(path, "mysql-audit")
    assert error.startswith(f"{path}:1: {reason}")
    assert len(rows) == 8


def test_a_statement_of_mysql_ends_where_the_server_starts_again(tmp_path: Path):
    path = tmp_path / "general.log"
    path.write_bytes(
        b"2026-01-05T06:00:00.000000Z\t   11 Connect\tetl@localhost on shop using TCP/IP\n"
        b"2026-01-05T06:00:01.000000Z\t   11 Query\tINSERT INTO t\nSELECT a FROM s\n"
        b"/usr/sbin/mysqld, Version: 8.0.36 (MySQL Community Server - GPL). started with:\n"
        b"Tcp port: 3306  Unix socket: /var/run/mysqld/mysqld.sock\n"
        b"Time                 Id Command    Argument\n"
        b"2026-01-05T07:00:00.000000Z\t   11 Connect\tetl@localhost on shop using TCP/IP\n"
        b"2026-01-05T07:00:01.000000Z\t   11 Query\tSELECT '\xff' FROM u\n"
        b"2026-01-05T07:00:02.000000Z\t   11 Query\tSELECT a FROM v\n"
    )
    rows, bad = read_file(path, "mysql")
    assert [row.text for row in rows] == ["INSERT INTO t\nSELECT a FROM s", "SELECT a FROM v"]
    assert bad == [f"{path}:8: The text is not UTF-8: invalid start byte."]


@pytest.mark.parametrize(
    ("fields", "mode"),
    [
        ({"write_disposition": "WRITE_TRUNCATE"}, "overwrite"),
        ({"configuration": {"query": {"writeDisposition": "WRITE_APPEND"}}}, "append"),
        ({"configuration": '{"load": {"writeDisposition": "WRITE_EMPTY"}}'}, "create"),
        ({}, ""),
        ({"statement_type": "INSERT", "write_disposition": "WRITE_TRUNCATE"}, "append"),
    ],
)
def test_a_write_of_bigquery_has_the_mode_that_the_export_shows(
    tmp_path: Path, fields: dict[str, Any], mode: str
):
    destination = {"project_id": "p", "dataset_id": "d", "table_id": "t"}
    record = {**BIGQUERY, "statement_type": "SELECT", "destination_table": destination, **fields}
    [row] = read_records(tmp_path, "bigquery", record)
    assert [(flow.target, flow.mode) for flow in flows_of(row)] == [(("p", "d", "t"), mode)]


def test_databricks_does_not_show_the_mode_of_a_write(tmp_path: Path):
    record = {
        "source_table_full_name": "main.raw.s",
        "target_table_full_name": "main.gold.t",
        "event_time": "2026-01-05T06:00:00Z",
    }
    [row] = read_records(tmp_path, "databricks", record)
    assert [flow.mode for flow in flows_of(row)] == [""]


@pytest.mark.parametrize(
    ("change", "modes", "unresolved"),
    [
        ({"objectDomain": "Table", "operationType": "DROP"}, ["drop"], ()),
        ({"objectDomain": "Schema", "operationType": "CREATE"}, [], ()),
        ({"objectDomain": "Masking Policy", "operationType": "DROP"}, [], ()),
        ({"objectDomain": "Schema", "operationType": "DROP"}, [], ("DROP of a schema",)),
        ({"objectDomain": "Table", "operationType": "UNDROP"}, [], ("UNDROP of a table",)),
        ({"operationType": "ALTER"}, [], ("ALTER of a nameless object",)),
    ],
)
def test_what_a_definition_of_snowflake_changes_is_named_or_unresolved(
    tmp_path: Path, change: dict[str, str], modes: list[str], unresolved: tuple[str, ...]
):
    changed = {"objectName": "SALES.RAW.ORDERS", **change}
    record = {**SNOWFLAKE, "OBJECTS_MODIFIED": [], "OBJECT_MODIFIED_BY_DDL": changed}
    [row] = read_records(tmp_path, "snowflake-access", record)
    assert [flow.mode for flow in flows_of(row)] == modes
    assert row.observed is not None
    assert row.observed.unresolved == tuple(
        f"the tables that {each} changes are not known" for each in unresolved
    )
