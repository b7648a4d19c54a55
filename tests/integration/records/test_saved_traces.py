"""Saved traces: what is stored of a trace and what is not, how it is read, and when it goes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from support.events.builders import dataset, run_event

import lineage.records as records
from lineage.errors import Ambiguous, NotFound, UsageError
from lineage.ingest.writer import write_events
from lineage.maintenance.retention import prune_months
from lineage.projection.rebuild import graph_fingerprint, rebuild_graph
from lineage.query import Graph
from lineage.query.session import Session
from lineage.records.dry_run import SourceRows, TraceAnswer
from lineage.records.fidelity import Fidelity
from lineage.records.stored_traces import SourceCount
from lineage.records.trace_results import condition_columns, results_of_dry_run
from lineage.records.trace_writer import ContributingRows, TraceResult, save_trace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import psycopg

    Connection = psycopg.Connection[Any]

GOLD, SILVER = "s3://lake/gold/spent", "s3://lake/silver/orders"
SECRET = "Ada's secret"
EVENTS = [
    run_event("r1", "COMPLETE", 1, "load", ("raw/orders",), ("silver/orders",)),
    run_event(
        "r2", "COMPLETE", 2, "sum", ("silver/orders", "raw/names"),
        (dataset("gold/spent", also=("db.spent",)),),
    ),
]  # fmt: skip


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LINEAGE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def session(dsn: str, conn: Connection) -> Iterator[Session]:
    write_events(conn, EVENTS)
    with Session(dsn) as opened:
        yield opened


def positioned(index: int, file: str = "s3://lake/silver/orders/part-0.parquet") -> dict[str, Any]:
    return {"customer": SECRET, "total": index, "_file": file, "_row_index": index}


def make_result(**changes: Any) -> TraceResult:
    """Return a trace of one row of gold: of three orders, and of a name in a CSV file."""
    sources = (
        ContributingRows(
            1, "gold/spent", "silver/orders", 3, [positioned(index) for index in (4, 5, 9)]
        ),
        ContributingRows(1, "gold/spent", "raw/names", 1, [{"name": SECRET}]),
    )
    result = {
        "dataset": "gold/spent", "condition": f"name = '{SECRET}'", "columns": ["name"],
        "way": "live", "fidelity": Fidelity.EXACT, "reasons": ["reproduced"], "rows": 1,
        "sources": sources, "run": "r2", "reproduced": True,
        "values": [{"name": SECRET, "sum": 18}],
    }  # fmt: skip
    return TraceResult(**{**result, **changes})


def records_of_graph(conn: Connection) -> list[Any]:
    query = "MATCH (w:Record)-[e:WITNESS]->(t:Record) RETURN w, e, t"
    with Graph(conn.info.dsn) as graph:
        return [list(row) for row in graph.cypher(query).rows]


def test_a_trace_is_read_back(session: Session) -> None:
    saved = save_trace(make_result(), session)
    details = records.saved_trace(session, saved)
    trace = details.trace
    assert (trace.trace_id, trace.dataset, trace.run) == (saved, GOLD, "r2")
    assert (trace.columns, trace.condition, trace.way) == (("name",), None, "live")
    assert (trace.fidelity, trace.reasons, trace.reproduced) == ("exact", ("reproduced",), True)
    assert (trace.rows, details.values) == (1, ())
    assert trace.counts == (
        SourceCount(1, GOLD, SILVER, 3, 3),
        SourceCount(1, GOLD, "s3://lake/raw/names", 1, 1),
    )
    file = "s3://lake/silver/orders/part-0.parquet"
    assert [(w.hop, w.source, w.file, w.row_index, w.values) for w in details.witnesses] == [
        (1, SILVER, file, 4, None),
        (1, SILVER, file, 5, None),
        (1, SILVER, file, 9, None),
        (1, "s3://lake/raw/names", None, None, None),
    ]


def test_no_value_is_stored_by_default(conn: Connection, session: Session) -> None:
    save_trace(make_result(), session)
    stored = [
        str(conn.execute(f"SELECT t.*::text FROM {table} t").fetchall())
        for table in ("lineage.record_trace", "lineage.record_witness")
    ]
    stored.append(str(conn.execute('SELECT properties::text FROM provenance."Record"').fetchall()))
    assert all("secret" not in text for text in stored)
    saved = save_trace(make_result(), session, with_values=True)
    details = records.saved_trace(session, saved)
    assert details.trace.condition == f"name = '{SECRET}'"
    assert details.values == ({"name": SECRET, "sum": 18},)
    assert details.witnesses[0].values == {"customer": SECRET, "total": 4}
    assert details.witnesses[3].values == {"name": SECRET}


def test_hashes_depend_on_the_key_of_the_user(
    conn: Connection, session: Session, home: Path
) -> None:
    def hashes() -> tuple[Any, ...]:
        saved = save_trace(make_result(), session)
        keys = [witness.key for witness in records.saved_trace(session, saved).witnesses]
        [condition] = conn.execute(
            "SELECT condition_hash FROM lineage.record_trace WHERE id = %s", (saved,)
        ).fetchone() or [None]
        return condition, keys

    condition, keys = hashes()
    assert hashes() == (condition, keys)  # equal questions are recognised
    (home / "record-key").unlink()
    other_condition, other_keys = hashes()
    assert other_condition != condition
    assert other_keys[:3] == keys[:3]  # a position is no value
    assert other_keys[3] != keys[3]


def test_the_key_is_private(session: Session, home: Path) -> None:
    save_trace(make_result(), session)
    path = home / "record-key"
    assert path.stat().st_mode & 0o777 == 0o600
    assert len(path.read_bytes()) == 32
    path.chmod(0o640)
    with pytest.raises(UsageError, match="Other users may read"):
        save_trace(make_result(), session)


def test_the_traces_of_a_dataset_are_listed_newest_first(session: Session) -> None:
    saved = [save_trace(make_result(columns=[name]), session) for name in "abc"]
    save_trace(make_result(dataset="silver/orders", run=None), session)
    listed = records.saved_traces(session, "db.spent")  # an alias
    assert listed.dataset == GOLD
    assert [trace.trace_id for trace in listed.traces] == saved[::-1]
    assert listed.omitted == 0
    two = records.saved_traces(session, "gold/spent", limit=2)
    assert ([trace.columns for trace in two.traces], two.omitted) == ([("c",), ("b",)], 1)
    assert records.saved_traces(session, "raw/names").traces == ()


def test_what_is_not_there_is_an_error(session: Session) -> None:
    with pytest.raises(NotFound, match='No dataset is called "gold/lost"'):
        save_trace(make_result(dataset="gold/lost"), session)
    with pytest.raises(NotFound, match='No run has the id "r9"'):
        save_trace(make_result(run="r9"), session)
    with pytest.raises(NotFound, match=r"No trace .* is saved"):
        records.saved_trace(session, "3c1d8a52-9f0e-4a53-8a9d-2f2f6f0f8a11")
    with pytest.raises(NotFound, match='No trace "3c1d" is saved'):
        records.saved_trace(session, "3c1d")
    write = run_event("r3", "COMPLETE", 3, writes=("old/gold/spent",))
    write_events(session.connection, [write])
    with pytest.raises(Ambiguous):
        save_trace(make_result(dataset="spent"), session)


def test_a_thousand_rows_are_shared_by_the_sources(session: Session) -> None:
    """Each source gets an equal share, and what a small one does not need goes to the others."""
    sources = [
        ContributingRows(1, GOLD, source, rows * 10, [positioned(n) for n in range(rows)])
        for source, rows in (("a", 2000), ("b", 100), ("c", 2000))
    ]
    saved = save_trace(make_result(sources=sources), session)
    details = records.saved_trace(session, saved)
    assert details.trace.counts == (
        SourceCount(1, GOLD, "a", 20_000, 450),
        SourceCount(1, GOLD, "b", 1000, 100),
        SourceCount(1, GOLD, "c", 20_000, 450),
    )
    assert len(details.witnesses) == 1000
    first = records.saved_trace(session, saved, limit=50)
    assert [witness.row_index for witness in first.witnesses] == [*range(50)] * 3


def test_rows_of_a_trace_are_in_the_graph(conn: Connection, session: Session) -> None:
    saved = save_trace(make_result(), session)
    edges = records_of_graph(conn)
    assert len(edges) == 4
    assert {edge["properties"]["trace"] for _, edge, _ in edges} == {saved}
    assert {edge["properties"]["fidelity"] for _, edge, _ in edges} == {"exact"}
    assert {target["properties"]["dataset"] for *_, target in edges} == {GOLD}
    assert len({target["id"] for *_, target in edges}) == 1
    assert sorted(row["properties"]["dataset"] for row, *_ in edges) == [
        "s3://lake/raw/names", *[SILVER] * 3,
    ]  # fmt: skip
    save_trace(make_result(), session)
    assert len(records_of_graph(conn)) == 8
    assert conn.execute('SELECT count(*) FROM provenance."Record"').fetchone() == (5,)


def test_a_rebuild_keeps_traces(conn: Connection, session: Session) -> None:
    saved = save_trace(make_result(), session)
    before = graph_fingerprint(conn), records.saved_traces(session, GOLD)
    assert rebuild_graph(conn) == len(EVENTS)
    assert (graph_fingerprint(conn), records.saved_traces(session, GOLD)) == before
    assert len(records_of_graph(conn)) == 4
    assert records.saved_trace(session, saved).trace.dataset == GOLD


def test_old_traces_go_with_the_events(conn: Connection, session: Session) -> None:
    old = save_trace(make_result(), session)
    new = save_trace(
        make_result(sources=[ContributingRows(1, GOLD, SILVER, 1, [positioned(5)])]), session
    )
    conn.execute("UPDATE lineage.record_trace SET saved_at = '2026-01-31' WHERE id = %s", (old,))
    prune_months(conn, "2026-02-01")
    with pytest.raises(NotFound, match="Traces are deleted with the events"):
        records.saved_trace(session, old)
    assert len(records.saved_trace(session, new).witnesses) == 1
    [(row, edge, target)] = records_of_graph(conn)
    assert edge["properties"]["trace"] == new
    assert {row["id"], target["id"]} == {
        int(id) for (id,) in conn.execute('SELECT id::text FROM provenance."Record"')
    }
    assert conn.execute("SELECT count(*) FROM lineage.record_witness").fetchone() == (1,)


def answer(target: str, depth: int, fidelity: Fidelity, **sources: int) -> TraceAnswer:
    rows = [
        SourceRows(f"lake/{name.replace('_', '/')}", count, [positioned(n) for n in range(2)])
        for name, count in sources.items()
    ]
    reasons = [] if fidelity == Fidelity.EXACT else [f"{fidelity}:for a reason"]
    return TraceAnswer(target, depth, 1, [{"name": SECRET}], fidelity, reasons, rows)


def test_a_dry_run_is_one_trace_of_several_hops(session: Session) -> None:
    answers = [
        answer("lake/gold/spent", 1, Fidelity.EXACT, silver_orders=7),
        answer("lake/silver/orders", 2, Fidelity.SUPERSET, raw_orders=9),
    ]
    [result] = results_of_dry_run(answers, "name = 'x' AND total > 3")
    details = records.saved_trace(session, save_trace(result, session))
    assert details.trace.dataset == GOLD
    assert (details.trace.way, details.trace.rows) == ("dry run", 1)
    assert details.trace.columns == ("name", "total")
    assert (details.trace.fidelity, details.trace.reproduced) == ("superset", None)
    assert details.trace.reasons == ("superset:for a reason",)
    assert details.trace.counts == (
        SourceCount(1, GOLD, SILVER, 7, 2),
        SourceCount(2, SILVER, "s3://lake/raw/orders", 9, 2),
    )


def test_each_write_of_a_table_is_a_trace(session: Session) -> None:
    """A job that appends twice, from rows of which some may be the same."""
    parts = [answer("lake/gold/spent", 1, Fidelity.EXACT, silver_orders=n) for n in (2, 5)]
    results = results_of_dry_run(parts, "true")
    saved = [save_trace(result, session) for result in results]
    counts = [records.saved_trace(session, each).trace.counts for each in saved]
    assert counts == [(SourceCount(1, GOLD, SILVER, n, 2),) for n in (2, 5)]


def test_a_row_that_contributes_twice_has_one_edge(conn: Connection, session: Session) -> None:
    sources = [
        ContributingRows(1, GOLD, SILVER, 1, [positioned(5)]),
        ContributingRows(2, SILVER, SILVER, 1, [positioned(5)]),
    ]
    saved = save_trace(make_result(sources=sources), session)
    assert len(records.saved_trace(session, saved).witnesses) == 2
    [(_, edge, _)] = records_of_graph(conn)
    assert edge["properties"]["hop"] == 1


@pytest.mark.parametrize(
    ("condition", "columns"),
    [
        ("airline = 'UA'", ["airline"]),
        ("a.b > 1 OR `odd name` IS NULL AND a.b < 9", ["a.b", "odd name"]),
        ("upper(name) LIKE 'x%' AND total BETWEEN low AND high", ["name", "total", "low", "high"]),
        ("true", []),
        ("this is ( no condition", []),
    ],
)
def test_the_columns_of_a_condition(condition: str, columns: list[str]) -> None:
    assert sorted(condition_columns(condition)) == sorted(columns)


def test_values_that_jsonb_cannot_store_are_replaced(session: Session) -> None:
    rows = [
        {"a\x00": "\x00\ud800", "big": 10**38, "none": None,
         "_file": "s3://b/\udcff", "_row_index": 0},
        {"a": json.loads("NaN")},
    ]  # fmt: skip
    sources = [ContributingRows(1, GOLD, "o\x00dd", 2, rows)]
    saved = save_trace(make_result(sources=sources), session, with_values=True)
    first, second = records.saved_trace(session, saved).witnesses
    assert (first.source, first.file) == ("o\ufffddd", "s3://b/?")
    assert first.values == {"a\ufffd": "\ufffd\ufffd", "big": 10**38, "none": None}
    assert second.values == {"a": None}
