"""Extended Events in each form that people export: the same events give the same rows."""

from __future__ import annotations

import csv
import html
import json
from typing import TYPE_CHECKING

import pytest

from lineage.readers.files import open_sources
from lineage.readers.query_logs.forms.form import Reading
from lineage.readers.query_logs.forms.xevents import FORM
from lineage.readers.query_logs.rows import Kind, Row

if TYPE_CHECKING:
    from pathlib import Path

    from lineage.errors import InvalidEvent

ACTIONS = {
    "session_id": "60",
    "client_app_name": "python_task::load_orders",
    "database_name": "sales",
    "client_pid": "4711",
    "client_hostname": "etl1",
    "event_sequence": "7",
}
TIME = "2026-01-31T01:00:01.000Z"


def event_xml(name: str, /, time: str = TIME, result: str = "", **fields: str) -> str:
    """Return an event as SQL Server writes it: a result has a number and a text."""
    known = {**ACTIONS, **fields}
    data = "".join(
        f'<data name="{key}"><value>{html.escape(value)}</value></data>'
        for key, value in known.items()
        if key not in ACTIONS
    )
    if result:
        number = "0" if result == "OK" else "2"
        data += (
            f'<data name="result"><value>{number}</value><text><![CDATA[{result}]]></text></data>'
        )
    actions = "".join(
        f'<action name="{key}" package="sqlserver"><value><![CDATA[{known[key]}]]></value></action>'
        for key in ACTIONS
    )
    return f'<event name="{name}" package="sqlserver" timestamp="{time}">{data}{actions}</event>'


def read_file(file: Path, prefix: str = "python_task::") -> tuple[list[Row], list[str]]:
    bad: list[InvalidEvent] = []
    [source] = open_sources([str(file)], bad.append)
    assert FORM.matches(source)
    rows = [row for _, row in FORM.read(source, Reading(bad.append, prefix=prefix))]
    return rows, [str(error) for error in bad]


def write_csv(file: Path, *events: str) -> Path:
    """Write rows of sys.fn_xe_file_target_read_file; all events of a buffer have one offset."""
    columns = "module_guid package_guid object_name event_data file_name file_offset timestamp_utc"
    with file.open("w", newline="", encoding="utf-8-sig") as opened:
        writer = csv.writer(opened)
        writer.writerow(columns.split())
        writer.writerows(["g", "p", "x", event, r"C:\x\l_0_1.xel", 5120, ""] for event in events)
    return file


EVENTS = (
    event_xml("sql_batch_completed", result="OK", batch_text="USE sales", duration="1500"),
    event_xml("sql_statement_completed", statement="SELECT 1 WHERE 1 < 2", row_count="3"),
    event_xml("sql_batch_completed", result="Error", batch_text="INSERT INTO a SELECT * FROM b"),
    event_xml("rpc_completed", result="OK", statement="exec sp_reset_connection"),
    event_xml("logout"),
)


def test_all_exports_of_the_same_events_give_the_same_rows(tmp_path: Path) -> None:
    csv_rows, bad = read_file(write_csv(tmp_path / "rows.csv", *EVENTS))
    assert bad == []
    assert [row.kind for row in csv_rows] == [
        Kind.REQUEST, Kind.STATEMENT, Kind.REQUEST, Kind.RESET, Kind.END
    ]  # fmt: skip
    assert [row.failed for row in csv_rows] == [False, False, True, False, False]
    assert csv_rows[1].text == "SELECT 1 WHERE 1 < 2"
    assert csv_rows[0] == Row(
        time="2026-01-31T01:00:01.000000Z", job="load_orders", job_namespace="python_task",
        session="60", kind=Kind.REQUEST,
        text="USE sales", position=7, process="4711", database="sales", host="etl1", duration=1500,
    )  # fmt: skip

    lines = tmp_path / "rows.jsonl"
    lines.write_text("".join(json.dumps({"event_data": each}) + "\n" for each in EVENTS))
    ring = tmp_path / "ring.xml"
    ring.write_text(f'<RingBufferTarget truncated="0">{"".join(EVENTS)}</RingBufferTarget>')
    bare = tmp_path / "events.xml"
    bare.write_text("\n".join(EVENTS), encoding="utf-16")
    for file in (lines, ring, bare):
        assert read_file(file) == (csv_rows, [])


def test_management_studio_writes_a_column_for_each_field(tmp_path: Path) -> None:
    file = tmp_path / "ssms.csv"
    file.write_text(
        "name,timestamp,timestamp (UTC),batch_text,client_app_name,session_id,result,"
        "event_sequence\n"
        "sql_batch_completed,2026-01-31 02:00:01.0000000,2026-01-31 01:00:01.0000000,"
        '"SELECT 1\nFROM a",python_task::load,60,OK,NULL\n'
    )
    [row], bad = read_file(file)
    assert bad == []
    assert (row.time, row.text) == ("2026-01-31T01:00:01.000000Z", "SELECT 1\nFROM a")


def test_dbatools_writes_a_property_for_each_field(tmp_path: Path) -> None:
    file = tmp_path / "dbatools.json"
    record = {
        "name": "sql_batch_completed", "timestamp": "/Date(1769821201000)/", "result": "OK",
        "batch_text": "SELECT 1 FROM a", "client_app_name": "python_task::load", "session_id": 60,
    }  # fmt: skip
    file.write_text(json.dumps([record], indent=2))
    [row], bad = read_file(file)
    assert bad == []
    assert (row.time, row.session) == ("2026-01-31T01:00:01.000000Z", "60")


def test_control_characters_are_replaced_before_parsing(tmp_path: Path) -> None:
    event = event_xml("sql_batch_completed", batch_text="UPDATE t SET a = 'x\x01y'")
    referenced = event.replace("\x01", "&#x1;")
    rows, bad = read_file(write_csv(tmp_path / "rows.csv", event, referenced))
    assert bad == []
    assert {row.text for row in rows} == {"UPDATE t SET a = 'x\ufffdy'"}


def test_xml_with_a_dtd_is_rejected(tmp_path: Path) -> None:
    bomb = '<!DOCTYPE e [<!ENTITY a "pw=secret">]>' + event_xml("logout")
    rows, [error] = read_file(write_csv(tmp_path / "rows.csv", bomb))
    assert rows == []
    assert "DTD" in error


def test_the_text_of_a_statement_may_mention_a_dtd(tmp_path: Path) -> None:
    event = event_xml("sql_batch_completed").replace(
        "</event>",
        "<data name='batch_text'><value><![CDATA[SELECT '<!DOCTYPE']]></value></data></event>",
    )
    [row], bad = read_file(write_csv(tmp_path / "rows.csv", event))
    assert (bad, row.text) == ([], "SELECT '<!DOCTYPE'")


def test_a_bad_row_is_reported_with_its_line_and_the_rest_is_read(tmp_path: Path) -> None:
    rows, [error] = read_file(write_csv(tmp_path / "rows.csv", "<event><a></event>", EVENTS[0]))
    assert len(rows) == 1
    assert error.startswith(
        f"{tmp_path / 'rows.csv'}:2: event_data is not XML: mismatched tag at 1:"
    )


@pytest.mark.parametrize("application", ["SSMS", "python_task", "python_task::", ""])
def test_other_applications_are_not_read(tmp_path: Path, application: str) -> None:
    event = event_xml("sql_batch_completed", batch_text="SELECT 1", client_app_name=application)
    assert read_file(write_csv(tmp_path / "rows.csv", event)) == ([], [])


def test_the_application_name_may_have_the_run(tmp_path: Path) -> None:
    run = "0190C0DE-0000-7000-8000-000000000001"
    event = event_xml(
        "sql_batch_completed", batch_text="SELECT 1", client_app_name=f"python_task::a::b::{run}"
    )
    [row], _ = read_file(write_csv(tmp_path / "rows.csv", event))
    assert (row.job, row.run) == ("a::b", run.lower())


def test_messages_are_no_errors(tmp_path: Path) -> None:
    events = [event_xml("error_reported", severity=severity) for severity in ("10", "11", "16")]
    rows, _ = read_file(write_csv(tmp_path / "rows.csv", *events))
    assert [row.kind for row in rows] == [Kind.RAISED, Kind.RAISED]
