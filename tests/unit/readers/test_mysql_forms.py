"""Logs of MySQL and MariaDB: the general log as a file and as a table, and the audit log."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest
from support.log_files import read_file
from support.query_logs import fold_rows, later_row

from lineage.readers.query_logs.forms.form import Reading
from lineage.readers.query_logs.rows import Kind
from lineage.readers.query_logs.sources import Files

if TYPE_CHECKING:
    from pathlib import Path

    from lineage.errors import InvalidEvent

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
        (Kind.RESET, "etl@app1", "shop"),
        (Kind.STARTED, "etl@app1", "shop"),
        (Kind.STARTED, "nightly", "shop"),
        (Kind.END, "etl@app1", "shop"),
    ], "a prepared statement that did not execute is no row"
    assert rows[1].text == "INSERT INTO clean\nSELECT * FROM raw"
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
    assert [(row.kind, row.job, row.database) for row in rows] == [
        (Kind.RESET, "etl@app1", "shop"),
        (Kind.STARTED, "etl@app1", "stage"),
    ]
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
        ("09:17:40", 0, ""),
        ("09:17:40", 2, "insert into totals selec"),
        ("09:17:40", 3, "prepare s from 'insert i"),
        ("09:17:40", 5, "insert into totals selec"),
        ("21:17:41", 0, "delete from report"),
        ("21:17:41", 1, ""),
    ]
    assert rows[1].text.endswith("sum(amount)\n\tfrom orders group by customer")
    assert {(row.job, row.database, row.time[:10]) for row in rows[1:]} == {
        ("etl@localhost", "shop", "2026-11-29")
    }


def test_a_line_without_a_time_before_it_is_reported(tmp_path: Path):
    path = tmp_path / "general.log"
    path.write_text(
        "\t\t     4 Query\t/* job=load */ delete from report\n"
        "\t\t     4 Query\t/* job=load */ delete from report\n"
        "261129 21:17:41\t     4 Query\t/* job=load */ delete from totals\n"
    )
    [row], [error] = read_file(path, "mysql")
    assert row.text[-6:] == "totals"
    assert error == (
        f"{path}:1: The time of the first lines is in the file before this one."
        " Import both files together."
    )


def test_the_first_lines_of_a_rotated_log_have_the_time_of_the_file_before(tmp_path: Path):
    """MariaDB writes no time until the next second, also after FLUSH LOGS."""
    lines = MARIADB.splitlines(keepends=True)
    (tmp_path / "general.log.1").write_text("".join(lines[:7]))
    (tmp_path / "general.log").write_text("".join(lines[:3] + lines[7:]))
    whole = tmp_path / "whole.txt"
    whole.write_text(MARIADB)
    bad: list[InvalidEvent] = []
    files = Files.find_files((str(tmp_path),), None)
    rows = [row for _, row in files.read_rows(Reading(bad.append), [])]
    assert bad == []
    assert rows == read_file(whole, "mysql")[0]


def test_a_server_that_starts_again_has_other_sessions_with_the_same_threads(tmp_path: Path):
    connect = "2026-01-05T06:{}:00.000000Z\t    3 Connect\tetl@app1 on shop using TCP/IP\n"
    query = "2026-01-05T06:{}:01.000000Z\t    3 Query\t{}\n"
    texts = ["SET autocommit = 0", "INSERT INTO lost SELECT * FROM raw"]
    texts.append("CREATE TEMPORARY TABLE stage AS SELECT * FROM raw")
    path = tmp_path / "general.log"
    path.write_text(
        connect.format("00")
        + "".join(query.format(f"{minute:02}", text) for minute, text in enumerate(texts))
        + connect.format("10")
        + query.format("11", "INSERT INTO clean SELECT * FROM stage")
        + query.format("12", "COMMIT")
    )
    rows, bad = read_file(path, "mysql")
    assert bad == []
    assert fold_rows(rows, "mysql")["etl@app1"].outputs == {"shop.clean": {"shop.stage"}}


def test_a_connection_of_a_server_that_starts_again_is_another_session(tmp_path: Path):
    path = tmp_path / "server_audit.log"
    path.write_text(
        "20261129 22:35:49,vm,etl,app1,3,0,CONNECT,shop,,0\n"
        "20261129 22:35:49,vm,etl,app1,3,8,QUERY,shop,'begin',0\n"
        "20261129 22:35:49,vm,etl,app1,3,9,QUERY,shop,'insert into lost select * from raw',0\n"
        "20261129 22:40:49,vm,etl,app1,3,0,CONNECT,shop,,0\n"
        "20261129 22:40:49,vm,etl,app1,3,1,QUERY,shop,'begin',0\n"
        "20261129 22:40:49,vm,etl,app1,3,2,QUERY,shop,'call unknown()',0\n"
        "20261129 22:40:49,vm,etl,app1,3,3,QUERY,shop,'insert into t select * from raw',0\n"
        "20261129 22:40:49,vm,etl,app1,3,4,QUERY,shop,'commit',0\n"
        "20261129 22:40:50,vm,etl,app1,3,0,DISCONNECT,shop,,0\n"
    )
    rows, bad = read_file(path, "mysql-audit")
    assert bad == []
    run = fold_rows(rows, "mysql")["etl@app1"]
    assert run.outputs == {"shop.t": {"shop.raw"}}
    assert "the body of the procedure unknown is not known" in run.unresolved


def test_the_order_of_an_audit_log_does_not_depend_on_its_files(tmp_path: Path):
    """All lines have one second, and the log is rotated in the middle of a transaction."""
    texts = ["begin", "insert into lost select * from raw", "rollback", "call refresh()"]
    lines = [
        f"20261129 22:35:49,vm,etl,app1,47,{number},QUERY,shop,'{text}',0\n"
        for number, text in enumerate(texts, start=1)
    ]
    lines.insert(3, lines[0].replace(",1,", ",5,").replace("begin", "delete from part"))
    lines.append("20261129 22:35:49,vm,etl,app1,47,0,DISCONNECT,shop,,0\n")
    (tmp_path / "audit.log.01").write_text("".join(lines[:2]))
    (tmp_path / "audit.log").write_text("".join(lines[2:]))
    whole = tmp_path / "whole.txt"
    whole.write_text("".join(lines))
    bad: list[InvalidEvent] = []
    files = Files.find_files((str(tmp_path),), None)
    rows = [row for _, row in files.read_rows(Reading(bad.append), [])]
    assert rows == read_file(whole, "mysql-audit")[0]
    run = fold_rows(rows, "mysql")["etl@app1"]
    assert (run.outputs.keys(), run.state) == ({"shop.part"}, "COMPLETE")
    assert run.unresolved == set(), "the part of the call is a line before it"


def test_what_mysql_prints_in_batch_mode_is_the_log(tmp_path: Path):
    path = tmp_path / "general_log.tsv"
    path.write_text(
        "event_time\tuser_host\tthread_id\tserver_id\tcommand_type\targument\n"
        "2026-11-29 21:17:40.529192\tetl[etl] @ app1 []\t4\t1\tConnect\tetl@app1 on shop\n"
        "2026-11-29 21:17:41.000001\tetl[etl] @ app1 []\t4\t1\tQuery\t"
        "insert into t select 'a\\tb\\\\'\\nfrom s\n"
    )
    [_, row], bad = read_file(path, "mysql")
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
        ("", False, 0),
        ("insert into report\n\t", False, 247),
        ("delete from totals", False, 249),
        ("insert into totals s", False, 250),
        ("insert into audit_lo", False, 258),
        ("insert into orders v", False, 257),
        ("insert into nosuch s", True, 259),
        ("call unknown()", True, 260),
        ("", False, (1 << 63) - 1),
    ]
    assert rows[1].text == "insert into report\n\tselect 'a,b', 1 from v"
    assert rows[0].kind == Kind.RESET
    assert rows[-1].kind == Kind.END
    assert {(row.job, row.session, row.database) for row in rows} == {("etl@app1", "47", "shop")}


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("call p()", set()),
        ("-- daily\\n/* x */ CALL p()", set()),
        ("/* job=nightly */ call p()", {"nightly"}),
    ],
)
def test_a_call_is_known_by_its_statements_unless_it_has_a_job(
    tmp_path: Path, call: str, expected: set[str]
):
    """The statements of a routine do not have the comment of its call."""
    line = "20260131 01:00:00,vm,etl,app1,47,{},QUERY,shop,'{}',0\n"
    path = tmp_path / "server_audit.log"
    path.write_text(line.format(9, "insert into t select * from s") + line.format(8, call))
    rows, bad = read_file(path, "mysql-audit")
    runs = fold_rows([*rows, later_row()], "mysql")
    assert bad == []
    assert runs["etl@app1"].outputs == {"shop.t": {"shop.s"}}
    assert {job for job, run in runs.items() if run.unresolved} == expected


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
    assert len(rows) == 9


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
    texts = [row.text for row in rows]
    assert texts == ["", "INSERT INTO t\nSELECT a FROM s", "", "SELECT a FROM v"]
    assert bad == [f"{path}:8: The text is not UTF-8: invalid start byte."]


def write_general_log(tmp_path: Path, *lines: str) -> Path:
    """Write a general log of thread 8, with a line each second."""
    path = tmp_path / "general.log"
    path.write_text(
        "".join(
            f"2026-01-05T06:00:{second:02}.000001Z\t    8 {line}\n"
            for second, line in enumerate(lines)
        )
    )
    return path


def test_another_user_of_a_connection_of_mysql_is_another_job(tmp_path: Path):
    """The session starts again, as after Connect: pools change users so."""
    path = write_general_log(
        tmp_path,
        "Connect\tapp1@10.0.0.5 on one using TCP/IP",
        "Query\tINSERT INTO t SELECT * FROM s",
        "Change user\tapp2@10.0.0.5 on two using TCP/IP",
        "Query\tINSERT INTO t SELECT * FROM s",
    )
    rows, bad = read_file(path, "mysql")
    assert bad == []
    assert [(row.kind, row.job, row.database) for row in rows] == [
        (Kind.RESET, "app1@10.0.0.5", "one"),
        (Kind.STARTED, "app1@10.0.0.5", "one"),
        (Kind.RESET, "app1@10.0.0.5", "one"),
        (Kind.STARTED, "app2@10.0.0.5", "two"),
    ]


def test_a_proxy_user_of_mysql_has_its_database(tmp_path: Path):
    path = write_general_log(
        tmp_path,
        "Connect\tapp@app1 as real on shop using TCP/IP",
        "Query\tDELETE FROM t",
    )
    [_, row], _ = read_file(path, "mysql")
    assert (row.job, row.database) == ("app@app1", "shop")


@pytest.mark.parametrize("command", ["Reset Connection", "Reset connection"])
def test_a_reset_connection_of_mysql_rolls_back(tmp_path: Path, command: str):
    path = write_general_log(
        tmp_path,
        "Connect\tetl@app1 on shop using TCP/IP",
        "Query\tSTART TRANSACTION",
        "Query\tINSERT INTO lost SELECT * FROM raw",
        f"{command}\t",
        "Query\tSTART TRANSACTION",
        "Query\tINSERT INTO clean SELECT * FROM raw",
        "Query\tCOMMIT",
        "Quit\t",
    )
    rows, _ = read_file(path, "mysql")
    assert fold_rows(rows, "mysql")["etl@app1"].outputs == {"shop.clean": {"shop.raw"}}


@pytest.mark.parametrize(
    ("user_host", "job"),
    [
        ("svc-etl[svc-etl] @  [10.0.0.5]", "svc-etl@10.0.0.5"),
        ("svc-etl[svc-etl] @ app1 [10.0.0.5]", "svc-etl@app1"),
        ("real[app] @ localhost []", "app@localhost"),
        ("[guest] @ localhost []", "guest@localhost"),
    ],
)
def test_the_table_of_the_general_log_names_the_user_as_the_file_does(
    tmp_path: Path, user_host: str, job: str
):
    """By the name with which the user connected, and by the address of a host without a name."""
    path = tmp_path / "general_log.tsv"
    path.write_text(
        "event_time\tuser_host\tthread_id\tserver_id\tcommand_type\targument\n"
        f"2026-01-05 06:00:00.000001\t{user_host}\t8\t1\tQuery\tDELETE FROM shop.t\n"
    )
    [row], bad = read_file(path, "mysql")
    assert (row.job, bad) == (job, [])


@pytest.mark.parametrize(
    ("host", "job"),
    [
        ("10.0.0.5:51234", "etl@10.0.0.5"),
        ("app1:4321", "etl@app1"),
        ("fe80::1:51234", "etl@fe80::1"),
        ("[fe80::1]:4321", "etl@[fe80::1]"),
        ("fe80::1", "etl@fe80::1"),
        ("10.0.0.5", "etl@10.0.0.5"),
    ],
)
def test_an_audit_log_with_ports_has_one_job_for_all_connections(
    tmp_path: Path, host: str, job: str
):
    """The plugin of MariaDB 12 writes the port of the client behind its host."""
    path = tmp_path / "server_audit.log"
    path.write_text(f"20261129 22:35:49,vm,etl,{host},47,247,QUERY,shop,'delete from t',0\n")
    [row], bad = read_file(path, "mysql-audit")
    assert (row.job, bad) == (job, [])


# The audit log of Amazon RDS for MySQL, with an error code before the fields of its own.
RDS_AUDIT = r"""
20240131 01:00:00,ip-10,rdsadmin,localhost,5,0,CONNECT,,,0,SOCKET
20240131 01:00:01,ip-10,etl,10.0.0.5,77,0,CONNECT,shop,,0,SSL/TLS
20240131 01:00:02,ip-10,etl,10.0.0.5,77,1001,QUERY,shop,'insert into t select \',0\' from s',0,,
20240131 01:00:03,ip-10,etl,10.0.0.5,77,1002,QUERY,shop,'insert into u select * from s',1146,,
20240131 01:00:04,ip-10,etl,10.0.0.5,77,1003,QUERY,shop,'delete from t',0,1
20240131 01:00:05,ip-10,etl,10.0.0.5,77,0,DISCONNECT,shop,,0,SSL/TLS
"""


def test_the_error_code_of_rds_is_not_its_last_field(tmp_path: Path):
    path = tmp_path / "server_audit.log"
    path.write_text(RDS_AUDIT.lstrip())
    rows, bad = read_file(path, "mysql-audit")
    assert bad == []
    assert [(row.text, row.failed) for row in rows] == [
        ("", False),
        ("", False),
        ("insert into t select ',0' from s", False),
        ("insert into u select * from s", True),
        ("delete from t", False),
        ("", False),
    ]
    assert rows[-1].kind == Kind.END


def test_an_audit_log_of_rds_is_recognized_by_its_first_connects(tmp_path: Path):
    path = tmp_path / "server_audit.log"
    path.write_text("".join(RDS_AUDIT.lstrip().splitlines(keepends=True)[:2]))
    rows, bad = read_file(path, "mysql-audit")
    assert [row.job for row in rows] == ["rdsadmin@localhost", "etl@10.0.0.5"]
    assert bad == []


def test_rows_of_the_general_log_may_be_json(tmp_path: Path):
    record = {
        "event_time": "2026-01-05 06:00:00.000001",
        "user_host": "etl[etl] @ app1 [10.0.0.5]",
        "thread_id": 8,
        "server_id": 1,
        "command_type": "Query",
        "argument": "INSERT INTO shop.t SELECT * FROM shop.s",
    }
    path = tmp_path / "general_log.json"
    path.write_text(json.dumps([record]))
    [row], bad = read_file(path, "mysql")
    assert (row.job, row.session, row.text) == ("etl@app1", "8", record["argument"])
    assert bad == []
