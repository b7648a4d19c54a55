"""Rows of PostgreSQL's logs: which lines are statements that ran."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from lineage.readers.files import open_sources
from lineage.readers.query_logs.forms.form import Reading
from lineage.readers.query_logs.forms.postgres import CSV_FORM, JSON_FORM
from lineage.readers.query_logs.rows import Kind, Row

if TYPE_CHECKING:
    from pathlib import Path

    from lineage.errors import InvalidEvent

LINE = {
    "timestamp": "2026-01-31 01:00:01.123 UTC",
    "user": "etl",
    "dbname": "shop",
    "pid": 7,
    "remote_host": "10.0.0.7",
    "session_id": "697d5511.7",
    "line_num": 3,
    "error_severity": "LOG",
    "application_name": "python_task::load_orders",
}


def read_lines(tmp_path: Path, *lines: dict[str, Any]) -> tuple[list[Row], list[str]]:
    file = tmp_path / "log.json"
    file.write_text("".join(json.dumps({**LINE, **line}) + "\n" for line in lines))
    bad: list[InvalidEvent] = []
    [source] = open_sources([str(file)], bad.append)
    assert JSON_FORM.matches(source)
    rows = [row for _, row in JSON_FORM.read(source, Reading(bad.append))]
    return rows, [str(error) for error in bad]


def test_an_executed_statement_counts_once(tmp_path: Path) -> None:
    """PostgreSQL logs three steps of a prepared statement; the first two are not executions."""
    rows, bad = read_lines(
        tmp_path,
        {"message": "duration: 0.3 ms  parse s1: INSERT INTO a VALUES ($1)"},
        {"message": "duration: 0.1 ms  bind s1: INSERT INTO a VALUES ($1)"},
        {"message": "duration: 1.5 ms  execute s1: INSERT INTO a VALUES ($1)"},
    )
    assert bad == []
    [row] = rows
    assert row.text == "INSERT INTO a VALUES ($1)"
    assert (row.kind, row.duration) == (Kind.STATEMENT, 1500)
    assert row.time == "2026-01-31T01:00:01.123000Z"
    assert (row.job, row.database, row.user, row.host) == ("load_orders", "shop", "etl", "10.0.0.7")


def test_a_parsed_statement_that_never_ran_is_no_row(tmp_path: Path) -> None:
    rows, _ = read_lines(
        tmp_path, {"message": "duration: 0.3 ms  parse s1: INSERT INTO a SELECT 1"}
    )
    assert rows == []


def test_a_failed_statement_is_that_of_the_error(tmp_path: Path) -> None:
    [row], _ = read_lines(
        tmp_path,
        {
            "error_severity": "ERROR",
            "message": 'relation "nope" does not exist',
            "statement": "INSERT INTO a SELECT * FROM nope",
        },
    )
    assert row.failed
    assert (row.kind, row.text) == (Kind.ERROR, "INSERT INTO a SELECT * FROM nope")


def test_the_plan_of_a_nested_statement_is_a_nested_row(tmp_path: Path) -> None:
    plan = json.dumps({"Query Text": "INSERT INTO b SELECT * FROM a", "Plan": {}})
    rows, _ = read_lines(
        tmp_path,
        {"message": f"duration: 0.1 ms  plan:\n{plan}", "context": "PL/pgSQL function f() line 1"},
        {"message": f"duration: 0.1 ms  plan:\n{plan}"},
    )
    assert [row.is_nested for row in rows] == [True, False]
    assert {row.text for row in rows} == {"INSERT INTO b SELECT * FROM a"}


def test_a_plan_that_is_no_json_is_reported_with_the_setting(tmp_path: Path) -> None:
    rows, bad = read_lines(
        tmp_path,
        {"message": "duration: 0.1 ms  plan:\nQuery Text: SELECT 'pw=secret'\nSeq Scan on a"},
    )
    assert rows == []
    [error] = bad
    assert "auto_explain.log_format = json" in error
    assert "secret" not in error


@pytest.mark.parametrize(
    ("severity", "message"),
    [
        ("LOG", "Dauer: 0.123 ms  Anweisung: INSERT INTO a SELECT 1"),
        ("LOG", "durée : 0.123 ms, instruction : SELECT 1"),
        ("LOG", "文: INSERT INTO a SELECT 1"),
        ("LOG", "期間: 0.123 ミリ秒  文: SELECT 1"),
        ("FEHLER", "Relation »nope« existiert nicht"),
    ],
)
def test_a_translated_message_is_reported_with_the_setting(
    tmp_path: Path, severity: str, message: str
) -> None:
    rows, [error] = read_lines(tmp_path, {"error_severity": severity, "message": message})
    assert rows == []
    assert error.endswith("log are translated. Set lc_messages = 'C' on the server.")


@pytest.mark.parametrize(
    "message",
    [
        "duration: 0.3 ms  parse <unnamed>: INSERT INTO a SELECT 1",
        "duration: 0.3 ms  bind <unnamed>: INSERT INTO a SELECT 1",
        "connection authorized: user=etl database=shop",
        'temporary file: path "base/pgsql_tmp/pgsql_tmp7.0", size 1024',
        "could not receive data from client: Connection reset by peer",
        "process 7 acquired ShareLock on transaction 9 after 1000.123 ms",
        "parameters: $1 = 'x'",
    ],
)
def test_other_messages_are_no_rows(tmp_path: Path, message: str) -> None:
    assert read_lines(tmp_path, {"message": message}) == ([], [])


def test_a_disconnection_and_a_terminated_session_end_it(tmp_path: Path) -> None:
    rows, _ = read_lines(
        tmp_path,
        {"message": "disconnection: session time: 0:00:00.04 user=etl database=shop"},
        {
            "error_severity": "FATAL",
            "message": "terminating connection due to administrator command",
        },
    )
    assert [row.kind for row in rows] == [Kind.END, Kind.END]


def test_an_ambiguous_time_zone_is_reported(tmp_path: Path) -> None:
    """IST is the time of India, Ireland and Israel."""
    rows, bad = read_lines(
        tmp_path,
        {"timestamp": "2026-01-31 01:00:01.123 IST", "message": "statement: SELECT 1"},
        {"timestamp": "2026-01-31 01:00:01.123 -03", "message": "statement: SELECT 1"},
    )
    assert [row.time for row in rows] == ["2026-01-31T04:00:01.123000Z"]
    [error] = bad
    assert "IST is ambiguous" in error
    assert "log_timezone = 'UTC'" in error


def test_csvlog_has_no_header(tmp_path: Path) -> None:
    line = (
        '2026-01-31 01:00:01.123 UTC,"etl","shop",7,"10.0.0.7:5000",697d5511.7,3,"INSERT",'
        "2026-01-31 01:00:00 UTC,3/4,0,LOG,00000,"
        '"duration: 1.5 ms  statement: INSERT INTO ""w"".a\nVALUES (1)",,,,,,,,,'
        '"python_task::load_orders","client backend",,0\n'
    )
    file = tmp_path / "log.csv"
    file.write_text(line * 2)
    bad: list[InvalidEvent] = []
    [source] = open_sources([str(file)], bad.append)
    assert CSV_FORM.matches(source)
    assert not JSON_FORM.matches(source)
    places = list(CSV_FORM.read(source, Reading(bad.append)))
    assert bad == []
    assert [place for place, _ in places] == [f"{file}:1", f"{file}:3"]
    row = places[0][1]
    assert row.text == 'INSERT INTO "w".a\nVALUES (1)'
    assert (row.session, row.host, row.position) == ("697d5511.7", "10.0.0.7", 3)
