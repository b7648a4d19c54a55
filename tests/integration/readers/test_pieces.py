"""Any cut, overlap and order of the files of a log gives one graph, and so does a rebuild."""

from __future__ import annotations

import csv
import json
import random
from datetime import datetime, timedelta, timezone
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from support.properties import examples_in_one_database
from support.query_logs import SERVER, fold_rows, later_row, make_row

from lineage.openlineage.timestamps import of_datetime
from lineage.projection.rebuild import graph_fingerprint, rebuild_graph
from lineage.readers.log_source import LogSource
from lineage.readers.query_logs.folding import PartReader
from lineage.readers.query_logs.forms.form import Reading
from lineage.readers.query_logs.importing import convert_rows, import_rows
from lineage.readers.query_logs.rows import Kind, Row
from lineage.readers.query_logs.sources import Files
from lineage.readers.report import ImportReport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from support.fixtures.database import Server

TSQL = LogSource(SERVER, "tsql")
POSTGRES = LogSource("postgres://db:5432", "postgres")
MYSQL = LogSource("mysql://db:3306", "mysql")

PREPARE = (
    "declare @p1 int set @p1=1 exec sp_prepexec @p1 output,N'@P1 int',"
    "N'INSERT INTO dbo.rates SELECT * FROM dbo.source WHERE a = @P1',1 select @p1"
)
# Each row changes what another one means: if it is read before the other, events are superseded.
STATEMENTS = (
    "SELECT a INTO #stage FROM dbo.raw",
    "INSERT INTO dbo.clean SELECT * FROM #stage",
    "INSERT INTO dbo.clean SELECT * FROM dbo.extra",
    "INSERT INTO dbo.log VALUES (1)",
    "SELECT * FROM dbo.extra",
    "COMMIT",
    "ROLLBACK",
    PREPARE,
    "exec sp_execute 1,2",
    "TRUNCATE TABLE dbo.clean",
)
POSTGRES_STATEMENTS = (
    "CREATE TEMP TABLE stage AS SELECT * FROM raw",
    "INSERT INTO clean SELECT * FROM stage",
    "INSERT INTO clean SELECT * FROM extra",
    "BEGIN",
    "COMMIT",
    "ROLLBACK",
    "SELECT * FROM extra",
    "INSERT INTO log VALUES (1)",
    "SET search_path TO core",
    "RESET search_path",
)


MYSQL_STATEMENTS = (
    "CREATE TEMPORARY TABLE shop.stage AS SELECT * FROM shop.raw",
    "INSERT INTO shop.clean SELECT * FROM shop.stage",
    "INSERT INTO shop.clean SELECT * FROM shop.extra",
    "SET autocommit = 0",
    "SET autocommit = 1",
    "START TRANSACTION",
    "COMMIT AND CHAIN",
    "ROLLBACK",
    "SAVEPOINT p",
    "ROLLBACK TO p",
    "TRUNCATE TABLE shop.clean",
    "RENAME TABLE shop.clean TO shop.old",
)


@st.composite
def tsql_rows(draw: st.DrawFn) -> list[Row]:
    """Draw rows of two processes with pauses, failures, resets and ends."""
    rows = []
    second = 0.0
    for position in range(draw(st.integers(1, 14))):
        second += draw(st.sampled_from([0, 1, 5, 29 * 60, 31 * 60]))
        session, process = draw(st.sampled_from([("60", "7"), ("61", "7"), ("62", "8")]))
        kind = draw(st.sampled_from([Kind.REQUEST] * 8 + [Kind.RESET, Kind.END, Kind.RAISED]))
        rows.append(
            make_row(
                min(second, 3599),
                draw(st.sampled_from(STATEMENTS)) if kind == Kind.REQUEST else "",
                kind=kind,
                position=position,
                session=session,
                process=process,
                failed=kind == Kind.REQUEST and draw(st.integers(0, 5)) == 0,
            )
        )
    return rows


@st.composite
def postgres_rows(draw: st.DrawFn) -> list[Row]:
    """Draw rows of log_statement = all: an ERROR follows the statement that failed.

    The sessions go on after a pause.
    """
    rows = []
    pause = draw(st.integers(0, 14))
    for position in range(draw(st.integers(1, 14))):
        text = draw(st.sampled_from(POSTGRES_STATEMENTS))
        session = draw(st.sampled_from(["a", "b"]))
        fields: dict[str, Any] = {"session": session, "process": "", "database": "shop"}
        second = position + (31 * 60 if position >= pause else 0)
        rows.append(make_row(second, text, kind=Kind.STARTED, position=3 * position, **fields))
        if draw(st.integers(0, 4)) == 0:
            fields["failed"] = True
            rows.append(
                make_row(second, text, kind=Kind.ERROR, position=3 * position + 1, **fields)
            )
    return rows


@st.composite
def mysql_rows(draw: st.DrawFn) -> list[Row]:
    """Draw rows of a general log: it shows no failures, but the ends of sessions.

    The sessions go on after a pause.
    """
    rows = []
    pause = draw(st.integers(0, 14))
    process = draw(st.sampled_from(["", "4711"]))
    for position in range(draw(st.integers(1, 14))):
        kind = draw(st.sampled_from([Kind.STATEMENT] * 8 + [Kind.END]))
        text = draw(st.sampled_from(MYSQL_STATEMENTS)) if kind == Kind.STATEMENT else ""
        session = draw(st.sampled_from(["a", "b"]))
        second = position + (31 * 60 if position >= pause else 0)
        fields: dict[str, Any] = {"session": session, "process": process}
        rows.append(make_row(second, text, kind=kind, position=position, **fields))
    return rows


@st.composite
def pieces(draw: st.DrawFn, rows: Sequence[Row]) -> list[list[Row]]:
    """Draw files that together have all rows: cut anywhere, overlapping, in any order."""
    cuts = sorted(draw(st.lists(st.integers(0, len(rows)), max_size=4)))
    bounds = [0, *cuts, len(rows)]
    overlap = draw(st.integers(0, 3))
    files = [list(rows[max(0, start - overlap) : end]) for start, end in pairwise(bounds)]
    return draw(st.permutations(files))


@pytest.fixture(scope="module")
def databases(server: Server) -> Iterator[Callable[[], psycopg.Connection[Any]]]:
    """Yield a function that returns a connection to an empty graph; two of them exist."""
    names = [server.create(server.migrated()) for _ in range(2)]
    connections = [psycopg.connect(server.dsn(name), autocommit=True) for name in names]
    turn = iter(connections * 1_000_000)

    def empty_graph() -> psycopg.Connection[Any]:
        conn = next(turn)
        conn.execute(
            "TRUNCATE lineage.event, lineage.superseded_event, lineage.imported_row,"
            " lineage.imported_part, lineage.imported_statement"
        )
        rebuild_graph(conn)
        return conn

    yield empty_graph
    for conn, name in zip(connections, names, strict=True):
        conn.close()
        server.drop(name)


def import_files(
    conn: psycopg.Connection[Any], source: LogSource, files: Sequence[Sequence[Row]]
) -> str:
    """Import each file by itself; return the fingerprint of the graph."""
    for rows in files:
        import_rows(conn, source, place_rows(rows), ImportReport())
    return graph_fingerprint(conn)


def place_rows(rows: Sequence[Row]) -> list[tuple[str, Row]]:
    return [(f"row {number}", row) for number, row in enumerate(rows)]


@examples_in_one_database(60, unchecked=list(HealthCheck))
@given(st.data())
@pytest.mark.parametrize("source", [TSQL, POSTGRES, MYSQL], ids=lambda source: source.dialect)
def test_pieces_give_the_graph_of_the_whole(
    databases: Callable[[], psycopg.Connection[Any]], source: LogSource, data: st.DataObject
) -> None:
    draw_rows = {"tsql": tsql_rows, "postgres": postgres_rows, "mysql": mysql_rows}
    rows = data.draw(draw_rows[source.dialect]())
    files = data.draw(pieces(rows))
    whole = import_files(databases(), source, [rows])
    conn = databases()
    assert import_files(conn, source, files) == whole
    assert import_files(conn, source, files) == whole, "importing again adds nothing"
    rebuild_graph(conn)
    assert graph_fingerprint(conn) == whole
    assert current_events(conn) == sorted(convert_rows(source, place_rows(rows), ImportReport()))


def current_events(conn: psycopg.Connection[Any]) -> list[bytes]:
    """Return the events of the log that hold."""
    statement = """
        SELECT e.body FROM lineage.event e
        WHERE NOT EXISTS (SELECT FROM lineage.superseded_event s WHERE s.event = e.id)
    """
    return sorted(body.encode() for (body,) in conn.execute(statement))


def long_session(parts: int, size: int) -> list[Row]:
    """Return rows of a session with a pause of an hour after each ``size`` of them."""
    path = ["SET search_path TO core"]
    texts = [*path, *("INSERT INTO clean SELECT * FROM raw" for _ in range(parts * size - 1))]
    fields: dict[str, Any] = {"process": "", "kind": Kind.STATEMENT, "schema": "public"}
    start = datetime(2026, 1, 1, tzinfo=timezone.utc)
    return [
        make_row(0, text, position=number, **fields)._replace(
            time=of_datetime(start + timedelta(hours=number // size, seconds=number % size))
        )
        for number, text in enumerate(texts)
    ]


def test_a_long_session_is_read_once(
    databases: Callable[[], psycopg.Connection[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection of a pool lasts for weeks, with a pause after each job."""
    conn = databases()
    rows = long_session(parts=250, size=16)
    folded: list[int] = []
    fold_part = PartReader.fold_rows

    def count_rows(
        self: PartReader, unit: str, of_part: Iterable[Any], **options: Any
    ) -> list[Any]:
        of_part = list(of_part)
        folded.append(len(of_part))
        return fold_part(self, unit, of_part, **options)

    with monkeypatch.context() as patch:
        patch.setattr(PartReader, "fold_rows", count_rows)
        whole = import_files(conn, POSTGRES, [rows])
    # The first part sets the search path: the second one follows its rows once more.
    assert sum(folded) == len(rows) + 16
    outputs = conn.execute("""
        SELECT d.name, count(DISTINCT a.run) FROM lineage.access a
        JOIN lineage.dataset d ON d.id = a.dataset WHERE a.output GROUP BY d.name
    """)
    assert outputs.fetchall() == [("sales.core.clean", 250)]
    assert import_files(databases(), POSTGRES, [rows[100:3300], rows[3300:], rows[:100]]) == whole


EXPORTED = (
    ("sql_batch_completed", "SELECT a INTO #stage FROM dbo.raw"),
    ("sql_statement_completed", "INSERT INTO dbo.clean SELECT * FROM #stage"),
    ("sql_batch_completed", "INSERT INTO dbo.clean SELECT * FROM #stage"),
    ("rpc_completed", PREPARE),
    ("rpc_completed", "exec sp_execute 1,2"),
    ("error_reported", ""),
    ("sql_batch_completed", "INSERT INTO dbo.log SELECT a FROM dbo.extra"),
    ("rpc_completed", "exec sp_reset_connection"),
    ("sql_batch_completed", "INSERT INTO dbo.late SELECT * FROM #stage"),
    ("logout", ""),
)


def export_event(number: int) -> str:
    """Return an event as SQL Server writes it; two events have each time, all one buffer."""
    name, text = EXPORTED[number]
    fields = {"statement": text, "batch_text": text, "severity": "16", "duration": "100"}
    actions = {
        "client_app_name": "python_task::load", "session_id": "60", "client_pid": "7",
        "database_name": "sales", "event_sequence": str(number + 1),
    }  # fmt: skip
    data = "".join(f'<data name="{k}"><value>{v}</value></data>' for k, v in fields.items() if v)
    data += "".join(f'<action name="{k}"><value>{v}</value></action>' for k, v in actions.items())
    time = f"2026-01-31T01:00:{number // 2:02}.000Z"
    return f'<event name="{name}" timestamp="{time}">{data}</event>'


def write_export(folder: Path, numbers: Sequence[int], form: str) -> Path:
    """Write a file of events: rows of the file target as CSV or JSON lines, or a ring buffer."""
    events = [export_event(number) for number in numbers]
    path = folder / f"part.{form}"
    if form == "xml":
        path.write_text(f"<RingBufferTarget>{''.join(events)}</RingBufferTarget>")
    elif form == "jsonl":
        rows = [json.dumps({"event_data": each, "file_offset": 5120}) for each in events]
        path.write_text("\n".join(rows) or "{}")
    else:
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerows([("event_data", "file_offset"), *((e, 5120) for e in events)])
    return path


def read_exports(
    folder: Path, files: Sequence[Sequence[int]], forms: Sequence[str]
) -> list[list[Row]]:
    """Write each file in its form, and read it as the command does."""
    read = []
    for numbers, form in zip(files, forms, strict=False):
        path = write_export(folder, numbers, form)
        reading = Reading(lambda error: pytest.fail(str(error)))
        rows = Files.find_files((str(path),), "xevents").read_rows(reading, [])
        read.append([row for _, row in rows])
    return read


def test_the_whole_export_is_one_run_with_its_tables(tmp_path: Path) -> None:
    [rows] = read_exports(tmp_path, [range(len(EXPORTED))], ["csv"])
    run = fold_rows([*rows, later_row()])["load"]
    assert run.outputs == {
        "sales.dbo.clean": {"sales.dbo.raw"},
        "sales.dbo.rates": {"sales.dbo.source"},
        "sales.dbo.log": {"sales.dbo.extra"},
        "sales.dbo.late": set(),
    }
    assert run.state == "COMPLETE"
    [reason] = run.unresolved
    assert "#stage" in reason, "the reset of the connection dropped it"


@examples_in_one_database(30, unchecked=list(HealthCheck))
@given(st.data())
def test_exports_of_extended_events_in_pieces_give_one_graph(
    databases: Callable[[], psycopg.Connection[Any]], tmp_path: Path, data: st.DataObject
) -> None:
    """A cursor that skips up to the offset of a buffer would lose what follows a cut within it."""
    numbers = range(len(EXPORTED))
    cuts = sorted(data.draw(st.lists(st.sampled_from(numbers), max_size=3)))
    bounds = [0, *cuts, len(EXPORTED)]
    overlap = data.draw(st.integers(0, 2))
    files = [list(numbers)[max(0, start - overlap) : end] for start, end in pairwise(bounds)]
    ordered = data.draw(st.permutations([each for each in files if each]))
    forms = data.draw(st.lists(st.sampled_from(["csv", "jsonl", "xml"]), min_size=4, max_size=4))
    [rows] = read_exports(tmp_path, [list(numbers)], ["csv"])
    assert len(rows) == len(EXPORTED)
    whole = import_files(databases(), TSQL, [rows])
    assert import_files(databases(), TSQL, read_exports(tmp_path, ordered, forms)) == whole


def test_a_log_in_order_supersedes_no_event(conn: psycopg.Connection[Any]) -> None:
    """Files in order, cut between statements, only add events: the graph is not rebuilt."""
    rows = [
        make_row(60 * minute, STATEMENTS[minute % 5], position=minute, kind=Kind.REQUEST)
        for minute in range(50)
    ]
    import_files(conn, TSQL, [rows[:10], rows[10:30], rows[30:]])
    assert conn.execute("SELECT count(*) FROM lineage.superseded_event").fetchone() == (0,)
    random.Random(7).shuffle(rows)
    assert import_files(conn, TSQL, [rows[:25], rows[25:]])
