"""Archiving: old months move to Parquet files, and the graph is rebuilt from files and log."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from pyarrow import parquet
from support.events.builders import run_event

from lineage.errors import LakeError, QueryError, UsageError
from lineage.eventlog import archived, log
from lineage.events.entry import read_entry
from lineage.ingest.writer import write_events
from lineage.maintenance.archive import archive_months
from lineage.maintenance.retention import prune_months
from lineage.projection.rebuild import graph_fingerprint, need_whole_log, rebuild_graph

if TYPE_CHECKING:
    import psycopg

    from lineage.eventlog.lake_files import LakeFile

    Connection = psycopg.Connection[Any]


def at_time(time: str, event: str) -> str:
    return json.dumps({**json.loads(event), "eventTime": time})


def events_of(month: int, runs: int = 3) -> list[str]:
    return [
        at_time(
            f"2026-{month:02}-0{n + 1}T00:00:00Z",
            run_event(
                f"run {month} {n}", "COMPLETE", 1, reads=(f"t{month}",), writes=(f"t{month + 1}",)
            ),
        )
        for n in range(runs)
    ]


def archive_before(conn: Connection, before: str, lake: Path) -> list[LakeFile]:
    return list(archive_months(conn, before, str(lake)))


def count_logged(conn: Connection) -> int:
    return int(conn.execute("SELECT count(*) FROM lineage.event").fetchall()[0][0])


def test_the_graph_is_rebuilt_from_archived_months_and_the_log(
    conn: Connection, tmp_path: Path
) -> None:
    write_events(conn, [*events_of(1), *events_of(2), *events_of(3)])
    graph = graph_fingerprint(conn)
    files = archive_before(conn, "2026-03-15", tmp_path)
    assert [(file.month, file.events) for file in files] == [("2026-01", 3), ("2026-02", 3)]
    assert count_logged(conn) == 3
    assert graph_fingerprint(conn) == graph
    assert rebuild_graph(conn, page=2) == 9
    assert graph_fingerprint(conn) == graph
    assert log.count_projected(conn) == 9


def test_files_contain_the_events_byte_for_byte(conn: Connection, tmp_path: Path) -> None:
    events = events_of(1)
    write_events(conn, [f" {events[0]}\n", *events[1:]])
    [file] = archive_before(conn, "2026-02-01", tmp_path)
    assert Path(file.location).parent == tmp_path / "month=2026-01"
    rows = parquet.read_table(file.location).to_pylist()
    assert [row["body"].decode() for row in rows] == events
    assert [row["event_time"] for row in rows] == [
        f"2026-01-0{n}T00:00:00.000000Z" for n in (1, 2, 3)
    ]
    assert [row["sha256"] for row in rows] == [read_entry(event).sha256 for event in events]


@pytest.mark.parametrize("name", ["{}/lake/", "{}/other/../lake", "file://{}/lake", "file:{}/lake"])
def test_a_file_has_one_location_whichever_way_the_lake_is_named(
    conn: Connection, tmp_path: Path, name: str
) -> None:
    """The fold of the lake registers its files by their paths."""
    write_events(conn, events_of(1))
    [file] = archive_months(conn, "2026-02-01", name.format(tmp_path))
    assert Path(file.location).parent == tmp_path / "lake" / "month=2026-01"


def test_events_that_arrive_late_or_again_are_archived_too(
    conn: Connection, tmp_path: Path
) -> None:
    first, second, third = events_of(1)
    write_events(conn, [first])
    archive_before(conn, "2026-02-01", tmp_path)
    write_events(conn, [first, second, third])
    graph = graph_fingerprint(conn)
    rebuild_graph(conn)
    assert graph_fingerprint(conn) == graph, "an event in both places counts once"
    archive_before(conn, "2026-02-01", tmp_path)
    assert sorted(file.events for file in archived.archived_files(conn)) == [1, 3]
    rebuild_graph(conn)
    assert graph_fingerprint(conn) == graph


def test_the_same_events_are_archived_again_into_the_same_file(
    conn: Connection, tmp_path: Path
) -> None:
    write_events(conn, events_of(1))
    files = archive_before(conn, "2026-02-01", tmp_path)
    graph = graph_fingerprint(conn)
    write_events(conn, events_of(1))
    assert archive_before(conn, "2026-02-01", tmp_path) == files
    assert archived.archived_files(conn) == files
    assert count_logged(conn) == 0
    assert rebuild_graph(conn) == 3
    assert graph_fingerprint(conn) == graph


def test_pending_events_are_projected_before_they_are_archived(
    conn: Connection, tmp_path: Path
) -> None:
    with conn.transaction():
        log.queue_events(conn, [read_entry(event) for event in events_of(1)])
    archive_before(conn, "2026-02-01", tmp_path)
    assert conn.execute("SELECT count(*) FROM lineage.feeds").fetchall() == [(1,)]


def test_rejected_and_superseded_events_stay_out_of_the_graph(
    conn: Connection, tmp_path: Path
) -> None:
    rejected, superseded, valid = events_of(1)
    log.append_events(conn, [read_entry(rejected), read_entry(superseded)])
    mark = "INSERT INTO lineage.{} SELECT {} FROM lineage.event WHERE sha256 = %s"
    conn.execute(mark.format("rejected_event", "id, 'wrong'"), (read_entry(rejected).sha256,))
    conn.execute(mark.format("superseded_event", "id"), (read_entry(superseded).sha256,))
    write_events(conn, [valid])
    graph = graph_fingerprint(conn)
    [file] = archive_before(conn, "2026-02-01", tmp_path)
    assert [row["not_projected"] for row in parquet.read_table(file.location).to_pylist()] == [
        "wrong", "superseded", None,
    ]  # fmt: skip
    assert rebuild_graph(conn) == 1
    assert graph_fingerprint(conn) == graph


@pytest.mark.parametrize("damage", ["missing", "cut", "other"])
def test_a_damaged_file_leaves_the_graph_as_it_is(
    conn: Connection, tmp_path: Path, damage: str
) -> None:
    write_events(conn, [*events_of(1), *events_of(2)])
    graph = graph_fingerprint(conn)
    first, second = (Path(file.location) for file in archive_before(conn, "2026-03-01", tmp_path))
    if damage == "missing":
        first.unlink()
    elif damage == "cut":
        first.write_bytes(first.read_bytes()[:-100])
    else:
        first.write_bytes(second.read_bytes())
    with pytest.raises(LakeError, match=first.name):
        rebuild_graph(conn)
    assert graph_fingerprint(conn) == graph


def test_a_lake_that_cannot_be_written_leaves_the_log_as_it_is(
    conn: Connection, tmp_path: Path
) -> None:
    write_events(conn, events_of(1))
    (tmp_path / "lake").write_text("")
    with pytest.raises(LakeError, match="cannot be written"):
        archive_before(conn, "2026-02-01", tmp_path / "lake")
    assert count_logged(conn) == 3


def test_a_full_disk_in_the_middle_of_a_month_ends_the_command(
    conn: Connection, dsn: str, tmp_path: Path
) -> None:
    """The rest of the month has not been read from the connection by then."""
    random = Random(1)
    message = {"errorMessage": {"message": random.randbytes(1 << 20).hex()}}
    events = [run_event(f"r{n}", "FAIL", n, **message) for n in range(20)]
    log.append_events(conn, [read_entry(event) for event in events])
    program = str(Path(sys.executable).parent / "lineage")
    done = subprocess.run(
        [program, "archive", "--before", "2026-02", "--to", str(tmp_path), "--dsn", dsn],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)),
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot be written" in done.stderr
    assert "File too large" in done.stderr
    assert count_logged(conn) == 20


def test_months_that_were_pruned_cannot_be_rebuilt(conn: Connection, tmp_path: Path) -> None:
    write_events(conn, [*events_of(1), *events_of(2), *events_of(3)])
    archive_before(conn, "2026-02-01", tmp_path)
    prune_months(conn, "2026-03-01")
    with pytest.raises(
        UsageError, match="The log begins at 2026-03-01: earlier events were dropped"
    ):
        rebuild_graph(conn)


def test_archived_events_cannot_be_replaced(conn: Connection, tmp_path: Path) -> None:
    write_events(conn, events_of(1))
    archive_before(conn, "2026-02-01", tmp_path)
    with pytest.raises(
        UsageError, match="The log begins at 2026-02-01: earlier months were archived"
    ):
        need_whole_log(conn)


def test_a_month_of_the_future_is_not_archived(conn: Connection, tmp_path: Path) -> None:
    with pytest.raises(QueryError, match="is in the future"):
        archive_before(conn, "2999-01-01", tmp_path)


@pytest.mark.parametrize("text", ["yesterday", "infinity", "2026", "2026-13", "2026-02-30", ""])
def test_a_text_that_is_not_a_time_is_an_error(conn: Connection, tmp_path: Path, text: str) -> None:
    archive = partial(archive_before, conn, text, tmp_path)
    for reject in (archive, partial(prune_months, conn, text)):
        with pytest.raises(UsageError, match=f'The time "{text}" ') as raised:
            reject()
        assert raised.value.hint == "Write it as 2026-01, 2026-01-31 or 2026-01-31T18:00:00Z."


@pytest.mark.parametrize("before", ["2026-02", "2026-02-01", "2026-02-01T00:00:00"])
def test_months_are_those_of_utc_whatever_the_session_has(
    conn: Connection, tmp_path: Path, before: str
) -> None:
    write_events(conn, [*events_of(1), *events_of(2)])
    conn.execute("SET TimeZone = 'Asia/Tokyo'")
    assert [file.month for file in archive_before(conn, before, tmp_path)] == ["2026-01"]
    assert prune_months(conn, "2026-03").retained_from == "2026-03-01T00:00:00.000000Z"


def test_events_that_are_to_be_forwarded_stay(conn: Connection, tmp_path: Path) -> None:
    write_events(conn, events_of(1))
    conn.execute("INSERT INTO lineage.forward (target, position) VALUES ('b', 0)")
    with pytest.raises(UsageError, match="still to be forwarded to b"):
        archive_before(conn, "2026-02-01", tmp_path)
    assert count_logged(conn) == 3
    assert archived.archived_files(conn) == []
