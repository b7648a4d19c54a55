"""Small files of a lake are merged, and lake and graph stay as they were."""

from __future__ import annotations

from shutil import copytree
from threading import Thread
from time import sleep
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from support.events.builders import dataset, dataset_event, run_event
from support.events.months import in_month
from support.services.polling import PAUSE
from support.slow import slow

from lineage.errors import LakeError
from lineage.eventlog import archived
from lineage.ingest.writer import write_events
from lineage.lake import compaction, layout
from lineage.lake.adding import add_lines
from lineage.lake.compaction import merge_small_files
from lineage.lake.folding import fold_lake
from lineage.lake.opening import open_lake
from lineage.lake.registration import sum_up
from lineage.lake.streaming import stream_lines
from lineage.maintenance.archive import archive_months
from lineage.projection.rebuild import graph_fingerprint, rebuild_graph

if TYPE_CHECKING:
    from pathlib import Path

    Connection = psycopg.Connection[Any]

MONTH = "2025-01"
WAITING = (
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
)
EVENTS = [
    *(
        in_month(run_event(f"r{n}", kind, n, f"job{n % 2}", (f"s{n}",), (f"t{n}",)), 1)
        for n in range(3)
        for kind in ("START", "COMPLETE")
    ),
    in_month(dataset_event(9, dataset("s1")), 1),
]


@pytest.fixture(autouse=True)
def few_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "FILES_TO_MERGE", 4)


def files_of(lake: Path) -> set[str]:
    return {str(file) for file in lake.glob(f"month={MONTH}/*.parquet")}


def fold_all(spark: Any, conn: Connection, lake: Path) -> int:
    return sum(each.events for each in fold_lake(open_lake(spark, str(lake)), conn, conn.info.dsn))


@pytest.fixture(scope="module")
def small_files(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a lake with a file for each event."""
    lake = tmp_path_factory.mktemp("small") / "lake"
    for event in EVENTS:
        add_lines(open_lake(spark, str(lake)), spark.createDataFrame([(event,)], "value string"))
    return lake


@pytest.fixture
def lake(spark: Any, conn: Connection, small_files: Path, tmp_path: Path) -> Path:
    """A copy of the lake, with all events in the graph; its name is a hard one."""
    lake = copytree(small_files, tmp_path / "the lake, 50%")
    assert fold_all(spark, conn, lake) == len(EVENTS) == len(files_of(lake))
    return lake


def assert_nothing_was_lost(spark: Any, conn: Connection, lake: Path) -> None:
    """The lake has each event, the registered files are there, and the graph is that of them."""
    bodies = spark.read.schema(layout.COLUMNS).parquet(*files_of(lake)).select("body").collect()
    assert {bytes(row.body).decode() for row in bodies} == set(EVENTS)
    assert {file.location for file in archived.archived_files(conn)} == files_of(lake)
    assert archived.unprojected_locations(conn) == []
    before = graph_fingerprint(conn)
    assert rebuild_graph(conn) == len(bodies)
    assert graph_fingerprint(conn) == before


@pytest.mark.parametrize(("most", "number"), [(1_000_000, 1), slow(3, 3)])
def test_files_are_merged_and_registered_in_place_of_the_old_ones(
    spark: Any,
    conn: Connection,
    lake: Path,
    monkeypatch: pytest.MonkeyPatch,
    most: int,
    number: int,
) -> None:
    monkeypatch.setattr(layout, "EVENTS_PER_FILE", most)
    before = sum_up(archived.archived_files(conn))
    new = merge_small_files(conn, open_lake(spark, str(lake)), MONTH)
    assert {file.location for file in new} == files_of(lake)
    assert 1 <= len(new) <= number
    assert sum_up(new) == sum_up(archived.archived_files(conn)) == before
    assert_nothing_was_lost(spark, conn, lake)
    assert fold_all(spark, conn, lake) == 0, "nothing is new"
    assert merge_small_files(conn, open_lake(spark, str(lake)), MONTH) == []
    assert [path.name for path in lake.iterdir() if "unfinished" in path.name] == []


def test_large_files_are_left(
    spark: Any, conn: Connection, lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout, "EVENTS_PER_FILE", 2)
    assert merge_small_files(conn, open_lake(spark, str(lake)), MONTH) == []


def test_files_that_are_not_in_the_graph_are_left(spark: Any, conn: Connection, lake: Path) -> None:
    with conn.transaction():
        conn.execute("UPDATE lineage.archived_file SET projected_at = NULL")
    before = files_of(lake)
    assert merge_small_files(conn, open_lake(spark, str(lake)), MONTH) == []
    assert files_of(lake) == before


def test_files_of_an_archived_log_are_merged_too(
    spark: Any, conn: Connection, tmp_path: Path
) -> None:
    lake = tmp_path / "lake"
    for event in EVENTS:
        write_events(conn, [event])
        list(archive_months(conn, "2025-02", str(lake)))
    [file] = merge_small_files(conn, open_lake(spark, str(lake)), MONTH)
    assert file.events == len(EVENTS)
    assert_nothing_was_lost(spark, conn, lake)


def test_merged_files_with_other_events_change_nothing(
    spark: Any, conn: Connection, lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = files_of(lake)
    monkeypatch.setattr(compaction, "count_events", lambda *_: [])
    with pytest.raises(LakeError, match="have other events than the files had"):
        merge_small_files(conn, open_lake(spark, str(lake)), MONTH)
    assert files_of(lake) == before
    assert_nothing_was_lost(spark, conn, lake)


@pytest.mark.parametrize("step", [slow("remove_files"), "register_file"])
def test_an_interruption_before_the_registration_loses_nothing(
    spark: Any, conn: Connection, lake: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(archived, step, fail)
        with pytest.raises(KeyboardInterrupt):
            merge_small_files(conn, open_lake(spark, str(lake)), MONTH)
    fingerprint = graph_fingerprint(conn)
    assert fold_all(spark, conn, lake) == len(EVENTS), "those of the new file, again"
    assert graph_fingerprint(conn) == fingerprint
    assert_nothing_was_lost(spark, conn, lake)


def test_a_stream_merges_the_files_of_its_micro_batches(
    spark: Any, conn: Connection, dsn: str, tmp_path: Path
) -> None:
    source, lake = tmp_path / "source", tmp_path / "lake"
    source.mkdir()
    for number, event in enumerate(EVENTS):
        (source / f"{number}.jsonl").write_text(event)
    lines = spark.readStream.option("maxFilesPerTrigger", 1).text(str(source))
    place = str(tmp_path / "checkpoint")
    stream_lines(dsn, str(lake), lines, place, lambda _: None, is_endless=False)
    assert len(files_of(lake)) == 1, "the first four, and then these with three others"
    assert_nothing_was_lost(spark, conn, lake)


def test_a_fold_beside_a_merge_registers_no_file_that_is_deleted(
    spark: Any, conn: Connection, dsn: str, lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fold begins when the merged file is registered and the first of the others is deleted."""

    def fold_beside() -> None:
        with psycopg.connect(dsn, autocommit=True) as other:
            fold_all(spark, other, lake)

    fold = Thread(target=fold_beside)
    delete_path = compaction._delete_path

    def delete_beside_fold(store: Any, path: str) -> None:
        if "unfinished" not in path and fold.ident is None:
            fold.start()
            with psycopg.connect(dsn, autocommit=True) as watching:
                while fold.is_alive() and not watching.execute(WAITING).fetchone():
                    sleep(PAUSE)
        delete_path(store, path)

    with monkeypatch.context() as patched:
        patched.setattr(compaction, "_delete_path", delete_beside_fold)
        assert merge_small_files(conn, open_lake(spark, str(lake)), MONTH)
    fold.join()
    assert_nothing_was_lost(spark, conn, lake)
