"""Any cut, overlap and order of the files of a log gives one graph, and so does a rebuild."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.query_logs import SERVER, make_row

from lineage.projection.rebuild import graph_fingerprint, rebuild_graph
from lineage.readers.log_source import LogSource
from lineage.readers.query_logs.importing import import_rows
from lineage.readers.query_logs.rows import Kind, Row
from lineage.readers.report import ImportReport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from support.fixtures.database import Server

TSQL = LogSource(SERVER, "tsql")
POSTGRES = LogSource("postgres://db:5432", "postgres")

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
    """Draw rows of log_statement = all: an ERROR follows the statement that failed."""
    rows = []
    for position in range(draw(st.integers(1, 14))):
        text = draw(st.sampled_from(POSTGRES_STATEMENTS))
        session = draw(st.sampled_from(["a", "b"]))
        fields: dict[str, Any] = {"session": session, "process": "", "database": "shop"}
        rows.append(make_row(position, text, kind=Kind.STARTED, position=3 * position, **fields))
        if draw(st.integers(0, 4)) == 0:
            fields["failed"] = True
            rows.append(
                make_row(position, text, kind=Kind.ERROR, position=3 * position + 1, **fields)
            )
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
        placed = [(f"row {number}", row) for number, row in enumerate(rows)]
        import_rows(conn, source, placed, ImportReport())
    return graph_fingerprint(conn)


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(st.data())
@pytest.mark.parametrize("source", [TSQL, POSTGRES], ids=["tsql", "postgres"])
def test_pieces_give_the_graph_of_the_whole(
    databases: Callable[[], psycopg.Connection[Any]], source: LogSource, data: st.DataObject
) -> None:
    rows = data.draw(tsql_rows() if source is TSQL else postgres_rows())
    files = data.draw(pieces(rows))
    whole = import_files(databases(), source, [rows])
    conn = databases()
    assert import_files(conn, source, files) == whole
    assert import_files(conn, source, files) == whole, "importing again adds nothing"
    rebuild_graph(conn)
    assert graph_fingerprint(conn) == whole


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
