"""Write the Extended Events of three tasks, as SQL Server exports them.

python demo/sql_server_events.py FILE

The file has the rows of sys.fn_xe_file_target_read_file, from a session that
`lineage import xevents --script` creates. Each task is a Python program that connects with
APP=lineage.application_name(...): load_orders, load_rates and, after both, score_customers. The
first of two runs of load_rates fails. check_scores comes an hour later, so that the runs before it
are known to have ended. The times are of the night before, in UTC.
"""

from __future__ import annotations

import csv
import sys
from datetime import UTC, datetime, timedelta
from html import escape
from typing import NamedTuple

BEGIN = datetime.now(UTC).replace(hour=1, minute=0, second=0, microsecond=0) - timedelta(days=1)
FILE = r"C:\xe\lineage_0_134168112000000000.xel"
COLUMNS = ("object_name", "event_data", "file_name", "file_offset", "timestamp_utc")


class Event(NamedTuple):
    """An event of a session; ``seconds`` is its end, after the begin of the night."""

    session: int
    task: str
    seconds: float
    name: str
    fields: dict[str, str]
    lasted: float = 0.0
    result: str = ""


def run_batch(
    session: int, task: str, seconds: float, text: str, lasted: float, result: str = "OK"
) -> Event:
    """Return a request that a program sent as one text, as pyodbc does without parameters."""
    fields = {"batch_text": text, "row_count": "0", "writes": "12"}
    return Event(session, task, seconds, "sql_batch_completed", fields, lasted, result)


def call_procedure(session: int, task: str, seconds: float, text: str, lasted: float) -> Event:
    """Return a request with parameters, which arrives as a call of a procedure."""
    fields = {"object_name": text.split()[1], "statement": text}
    return Event(session, task, seconds, "rpc_completed", fields, lasted, "OK")


def log_out(session: int, task: str, seconds: float) -> Event:
    """Return the end of a connection."""
    return Event(session, task, seconds, "logout", {"is_cached": "false"})


NIGHT = [
    run_batch(61, "load_rates", 5,
              "INSERT INTO dbo.rates SELECT code, rate FROM bank.dbo.rate_feed", 1.2, "Error"),
    Event(61, "load_rates", 5, "error_reported",
          {"error_number": "208", "severity": "16", "message": "Invalid object name"}),
    log_out(61, "load_rates", 6),
    run_batch(62, "load_orders", 30,
              "SELECT order_id, customer_id, amount, code INTO #fresh FROM dbo.orders_raw"
              " WHERE loaded_at >= DATEADD(day, -1, SYSUTCDATETIME())", 21.4),
    run_batch(62, "load_orders", 95,
              "WITH unique_orders AS (SELECT *, ROW_NUMBER() OVER (PARTITION BY order_id"
              " ORDER BY amount DESC) AS place FROM #fresh)\n"
              "INSERT INTO dbo.orders_clean (order_id, customer_id, amount, code)\n"
              "SELECT order_id, customer_id, amount, code FROM unique_orders WHERE place = 1",
              64.0),
    log_out(62, "load_orders", 96),
    run_batch(63, "load_rates", 120, "TRUNCATE TABLE dbo.rates", 0.1),
    call_procedure(63, "load_rates", 128,
                   "exec sp_executesql N'INSERT INTO dbo.rates (code, rate) SELECT code, rate"
                   " FROM bank.dbo.rate_feed WHERE day >= @day',N'@day date',@day='2026-03-01'",
                   7.5),
    log_out(63, "load_rates", 129),
    run_batch(64, "score_customers", 200,
              "MERGE dbo.scores AS s USING (SELECT o.customer_id, SUM(o.amount * r.rate) AS total\n"
              " FROM dbo.orders_clean AS o JOIN dbo.rates AS r ON r.code = o.code\n"
              " GROUP BY o.customer_id) AS n ON n.customer_id = s.customer_id\n"
              "WHEN MATCHED THEN UPDATE SET s.total = n.total\n"
              "WHEN NOT MATCHED THEN INSERT (customer_id, total) VALUES (n.customer_id, n.total);",
              42.0),
    log_out(64, "score_customers", 201),
    run_batch(65, "check_scores", 3600, "SELECT COUNT(*) FROM dbo.scores WHERE total < 0", 0.2),
    log_out(65, "check_scores", 3601),
]  # fmt: skip


def format_time(seconds: float) -> str:
    """Return a time of the night as Extended Events has it."""
    return (BEGIN + timedelta(seconds=seconds)).isoformat(timespec="milliseconds")[:-6] + "Z"


def format_event(event: Event, sequence: int) -> str:
    """Return the XML of an event, with the actions of the session."""
    actions = {
        "session_id": str(event.session),
        "client_app_name": f"python_task::{event.task}",
        "client_hostname": "etl1",
        "client_pid": str(4000 + event.session),
        "database_name": "sales",
        "event_sequence": str(sequence),
    }
    fields = dict(event.fields)
    if event.name != "error_reported":
        fields["duration"] = str(int(event.lasted * 1_000_000))
    data = [f'<data name="{name}"><value>{escape(value)}</value></data>'
            for name, value in fields.items()]  # fmt: skip
    if event.result:
        number = "0" if event.result == "OK" else "2"
        data.append(
            f'<data name="result"><value>{number}</value><text>{event.result}</text></data>'
        )
    data += [f'<action name="{name}" package="sqlserver"><value>{escape(value)}</value></action>'
             for name, value in actions.items()]  # fmt: skip
    time = format_time(event.seconds)
    return (
        f'<event name="{event.name}" package="sqlserver" timestamp="{time}">{"".join(data)}</event>'
    )


def write_events(path: str) -> None:
    """Write the events of the night; all of them are in one buffer of the event file."""
    with open(path, "w", newline="", encoding="utf-8-sig") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for sequence, event in enumerate(NIGHT, start=1):
            writer.writerow((event.name, format_event(event, sequence), FILE, 5120,
                             format_time(event.seconds)))  # fmt: skip


if __name__ == "__main__":
    write_events(sys.argv[1])
