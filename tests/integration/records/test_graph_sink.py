"""Items in the database: what a capture has is read back, from Python and from SQL."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

import lineage.records as records
from lineage.errors import Ambiguous, NotFound, UsageError
from lineage.maintenance.retention import prune_months
from lineage.query.session import Session
from lineage.records import Outcome
from lineage.records.graph_sink import GraphSink
from lineage.records.stored_items import items_of_run, nodes_of_run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import psycopg

    Connection = psycopg.Connection[Any]

RUN = "3c1d8a52-9f0e-4a53-8a9d-2f2f6f0f8a11"


def parse_row(row: dict[str, int]) -> list[dict[str, int]]:
    if row["id"] % 10 == 7:
        raise ValueError(f"secret {row['id']}")
    return [row] * (row["id"] % 3)


@pytest.fixture
def session(dsn: str) -> Iterator[Session]:
    with Session(dsn) as opened:
        yield opened


def record(dsn: str, directory: Path, number: int = 60, **options: Any) -> records.Capture:
    parse = records.step(
        parse_row, key="id", maps="one_to_many", retries=1, dead_letter=directory, name="parse"
    )
    load = records.step(dict, key="id", name="load")
    total = records.step(lambda rows: [len(rows)], key="id", by="day", name="total")
    settings = {"sample": 1.0, "run_id": RUN, "sinks": [GraphSink(dsn)], **options}
    with records.capture(pipeline="orders", **settings) as capture:
        list(load(parse({"id": n} for n in range(number))))
        total([{"id": n, "day": 1} for n in range(20)])
    assert all(result.is_complete for result in capture.sink_results), capture.sink_results
    return capture


def stored_form(item: records.Item) -> records.Item:
    """Return an item without the positions of rows, which are not stored."""
    hops = tuple(msgspec.structs.replace(h, ancestry_input_indices=None) for h in item.hops)
    return msgspec.structs.replace(item, hops=hops)


def test_the_items_of_a_run_are_read_back(dsn: str, session: Session, tmp_path: Path) -> None:
    capture = record(dsn, tmp_path)
    expected = {item.correlation_id: stored_form(item) for item in capture.items()}
    assert len(expected) == 61
    read = items_of_run(session, RUN)
    assert [item.correlation_id for item in read] == sorted(expected)
    assert {item.correlation_id: item for item in read} == expected


def test_the_counts_of_nodes_are_read_back(dsn: str, session: Session, tmp_path: Path) -> None:
    capture = record(dsn, tmp_path)
    by_id = {node.node_id: node for node in capture.report().nodes}
    read = nodes_of_run(session, RUN)
    assert {node.node_id: node for node in read} == by_id
    assert [(node.node_id, node.rows_in) for node in read][-1] == ("total", 20)


def test_items_are_read_by_outcome_and_id(dsn: str, session: Session, tmp_path: Path) -> None:
    record(dsn, tmp_path)
    dead = items_of_run(session, RUN, outcome="dead_lettered")
    assert {item.correlation_id for item in dead} == {
        records.correlation_id(RUN, "id", n) for n in range(7, 60, 10)
    }
    assert {item.sample_outcome for item in dead} == {"dead_lettered"}
    assert {hop.error for item in dead for hop in item.hops} == {"ValueError"}
    assert items_of_run(session, RUN, Outcome.DEAD_LETTERED) == dead
    [one] = items_of_run(session, RUN, id=dead[0].correlation_id)
    assert one == dead[0]
    assert len(items_of_run(session, RUN, limit=5)) == 5


def test_a_run_is_resolved_by_a_prefix(dsn: str, session: Session, tmp_path: Path) -> None:
    record(dsn, tmp_path)
    assert len(items_of_run(session, RUN[:10])) == 61
    record(dsn, tmp_path, run_id=RUN[:-1] + "2")
    with pytest.raises(Ambiguous, match="is a prefix of the ids of several runs"):
        items_of_run(session, RUN[:10])
    assert len(items_of_run(session, RUN)) == 61


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("4c",), NotFound, 'No run has the id "4c"'),
        (("no run",), NotFound, 'No run has the id "no run"'),
        (("",), NotFound, 'No run has the id ""'),
        ((RUN, "lost"), UsageError, '"lost" is not an outcome. Use one of: emitted, filtered_out'),
        ((RUN, None, "x"), UsageError, 'The item id "x" is not a UUID'),
        ((RUN, None, RUN), NotFound, f"Run {RUN} has no stored item"),
    ],
)
def test_what_is_not_stored_is_an_error_with_a_remedy(
    dsn: str, session: Session, tmp_path: Path, arguments: Any, error: Any, message: str
) -> None:
    record(dsn, tmp_path)
    with pytest.raises(error) as raised:
        items_of_run(session, *arguments)
    assert message in str(raised.value)


def test_pieces_of_an_item_that_are_written_through_are_merged(
    dsn: str, session: Session, tmp_path: Path
) -> None:
    capture = record(dsn, tmp_path, number=500, cap=3)
    read = items_of_run(session, RUN)
    report = capture.report()
    assert report.dropped == 0
    assert len(read) == 501
    rows = sum(hop.input_contributor_count or 0 for item in read for hop in item.hops)
    assert rows == report.sampled == sum(node.rows_in for node in report.nodes)
    whole = items_of_run(session, RUN, id=records.correlation_id(RUN, "id", 5))
    assert [(hop.node_id, hop.output_emission_count) for hop in whole[0].hops] == [
        ("parse", 2),
        ("load", 2),
    ]


def test_the_functions_of_sql_give_the_same(dsn: str, conn: Connection, tmp_path: Path) -> None:
    capture = record(dsn, tmp_path)
    rows = conn.execute("SELECT id, outcomes, path, error FROM lineage.record_items(%s)", [RUN])
    by_id = {str(id): (tuple(outcomes), tuple(path), error) for id, outcomes, path, error in rows}
    assert by_id == {
        item.correlation_id: (
            item.outcome.flag_names,
            item.traversal_path,
            next((hop.error for hop in item.hops if hop.error), None),
        )
        for item in capture.items()
    }
    for item in capture.items():
        history = conn.execute(
            "SELECT node, outcomes, contributors, emissions, retries, error"
            " FROM lineage.record_history(%s) ORDER BY ordinal",
            [item.correlation_id],
        ).fetchall()
        assert [(node, tuple(names), *rest) for node, names, *rest in history] == [
            (
                hop.node_id,
                hop.outcome.flag_names,
                hop.input_contributor_count,
                hop.output_emission_count,
                hop.retry_count,
                hop.error,
            )
            for hop in item.hops
        ]


def test_large_numbers_are_decoded_by_sql_as_by_python(conn: Connection) -> None:
    from lineage.records.packing import PackedHop, pack_hops

    hops = [
        PackedHop(300, 127, 3, True, 1 << 40, 128, None),
        PackedHop(1, 2, 0, False, None, None, 127),
    ]
    rows = conn.execute(
        "SELECT node, outcome, cardinality, truncated, contributors, emissions, retries"
        " FROM lineage.record_hops(%s)",
        [pack_hops(hops)],
    ).fetchall()
    assert [PackedHop(*row) for row in rows] == hops


def test_no_value_of_a_row_is_stored(dsn: str, conn: Connection, tmp_path: Path) -> None:
    record(dsn, tmp_path, redact=lambda row: {"masked": True}, snapshots=True)
    for table in ("record_item", "record_node"):
        text = repr(conn.execute(f"SELECT * FROM lineage.{table}").fetchall())
        assert "secret" not in text
        assert "masked" not in text


def test_a_database_that_does_not_respond_does_not_reach_the_job(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    sink = GraphSink("postgresql://nobody@127.0.0.1:1/none")
    with records.capture(sample=1.0, sinks=[sink]) as capture:
        assert list(records.step(dict, key="id")(iter([{"id": 1}]))) == [{"id": 1}]
    [result] = capture.sink_results
    assert result.failed == 1
    assert "DatabaseUnavailable" in (result.error or "")
    assert "recorded 0 of 1 items" in caplog.text


def test_a_writer_may_store_and_a_reader_read_items(dsn: str, conn: Connection) -> None:
    for table in ("record_item", "record_node"):
        for role, right, expected in (
            ("lineage_writer", "INSERT, UPDATE, SELECT", True),
            ("lineage_writer", "DELETE", False),
            ("lineage_reader", "SELECT", True),
            ("lineage_reader", "INSERT", False),
        ):
            row = conn.execute(
                "SELECT has_table_privilege(%s, %s, %s)", [role, f"lineage.{table}", right]
            ).fetchone()
            assert row == (expected,), (role, table, right)


def test_items_of_old_months_go_with_their_events(
    dsn: str, conn: Connection, session: Session, tmp_path: Path
) -> None:
    record(dsn, tmp_path)
    other = str(uuid.uuid4())
    record(dsn, tmp_path, run_id=other)
    conn.execute("UPDATE lineage.record_node SET recorded_at = '2026-01-31' WHERE run = %s", [RUN])
    prune_months(conn, "2026-01-31")
    assert len(items_of_run(session, RUN)) == 61
    prune_months(conn, "2026-02-01")
    with pytest.raises(NotFound):
        items_of_run(session, RUN)
    assert len(items_of_run(session, other)) == 61
    rows = conn.execute("SELECT count(*) FROM lineage.record_item").fetchone()
    assert rows == (61,)
