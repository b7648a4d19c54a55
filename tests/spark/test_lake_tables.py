"""An event lake in a table of a catalog, here of Parquet files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from support.events.months import MONTHS, three_months

from lineage.errors import LakeError, UsageError
from lineage.eventlog import archived
from lineage.ingest.writer import write_events
from lineage.lake import layout
from lineage.lake.adding import Added, add_files
from lineage.lake.folding import Folded, fold_lake
from lineage.lake.opening import open_lake
from lineage.lake.statistics import compute_statistics
from lineage.maintenance.archive import archive_months
from lineage.projection.rebuild import graph_fingerprint, rebuild_graph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from support.fixtures.database import Server

    Connection = psycopg.Connection[Any]

TABLE = "lineage_events"
LAKE = f"table:{TABLE}"


@pytest.fixture
def table(spark: Any, tmp_path: Path) -> Iterator[None]:
    spark.sql(
        f"CREATE TABLE {TABLE} ({layout.COLUMNS}, month string) USING parquet"
        f" PARTITIONED BY (month) LOCATION '{tmp_path}/events'"
    )
    yield
    spark.sql(f"DROP TABLE {TABLE}")


@pytest.fixture
def expected(server: Server, database: Callable[[str], str]) -> list[Any]:
    """Return the fingerprint of the graph of all events, ingested."""
    with psycopg.connect(database(server.migrated()), autocommit=True) as conn:
        write_events(conn, three_months())
        return graph_fingerprint(conn)


def add_events(spark: Any, directory: Path, events: list[str]) -> Added:
    source = directory / "events.jsonl"
    source.write_text("\n".join(events))
    return add_files(open_lake(spark, LAKE), [str(source)])


def fold_table(spark: Any, conn: Connection) -> list[Folded]:
    return list(fold_lake(open_lake(spark, LAKE), conn, conn.info.dsn))


def rewrite_table(spark: Any, directory: Path, condition: str = "true") -> None:
    """Write the rows of a condition into new files, one for each month, in place of all files."""
    spark.table(TABLE).where(condition).write.parquet(f"{directory}/rewritten")
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    rows = spark.read.schema(f"{layout.COLUMNS}, month string").parquet(f"{directory}/rewritten")
    rows.coalesce(1).write.insertInto(TABLE, overwrite=True)
    spark.conf.unset("spark.sql.sources.partitionOverwriteMode")


def test_a_table_gives_the_graph_of_ingested_events(
    spark: Any, conn: Connection, tmp_path: Path, table: None, expected: list[Any]
) -> None:
    events = three_months()
    assert add_events(spark, tmp_path, [*events[:20], "no event"]) == Added(21, 20, 1, MONTHS[:2])
    assert add_events(spark, tmp_path, events[10:]) == Added(26, 16, 0, MONTHS)
    assert fold_table(spark, conn) == [Folded(month, 12) for month in MONTHS]
    assert fold_table(spark, conn) == []
    assert graph_fingerprint(conn) == expected
    assert rebuild_graph(conn) == 36
    assert graph_fingerprint(conn) == expected
    assert {file.table for file in archived.archived_files(conn)} == {TABLE}
    days = compute_statistics(open_lake(spark, LAKE), "day").collect()
    assert sum(day.runs for day in days) == 18
    assert open_lake(spark, LAKE).find_location() == f"file:{tmp_path}/events"


def test_rewritten_files_take_the_place_of_the_registered_ones(
    spark: Any, conn: Connection, tmp_path: Path, table: None, expected: list[Any]
) -> None:
    events = three_months()
    for part in (events[::2], events[1::2]):
        add_events(spark, tmp_path, part)
        fold_table(spark, conn)
    before = archived.archived_files(conn)
    rewrite_table(spark, tmp_path)
    with pytest.raises(LakeError, match=f"lineage lake fold {LAKE}"):
        rebuild_graph(conn)
    assert fold_table(spark, conn) == [], "the events are in the graph"
    after = archived.archived_files(conn)
    assert [file.events for file in after] == [12, 12, 12]
    assert not {file.location for file in before} & {file.location for file in after}
    assert rebuild_graph(conn) == 36
    assert graph_fingerprint(conn) == expected


@pytest.mark.slow  # the test above rewrites files after a fold
def test_files_are_rewritten_before_a_fold(
    spark: Any, conn: Connection, tmp_path: Path, table: None, expected: list[Any]
) -> None:
    """Half of the events of the new files are in the graph, the others are not."""
    events = three_months()
    add_events(spark, tmp_path, events[::2])
    fold_table(spark, conn)
    add_events(spark, tmp_path, events[1::2])
    rewrite_table(spark, tmp_path)
    assert fold_table(spark, conn) == [Folded(month, 12) for month in MONTHS]
    assert graph_fingerprint(conn) == expected
    assert rebuild_graph(conn) == 36


def test_a_table_that_lost_events_of_the_graph_is_an_error(
    spark: Any, conn: Connection, tmp_path: Path, table: None, expected: list[Any]
) -> None:
    add_events(spark, tmp_path, three_months())
    fold_table(spark, conn)
    before = archived.archived_files(conn)
    rewrite_table(spark, tmp_path, "run_id != 'r11'")
    with pytest.raises(LakeError, match="lacks 2 events of 2025-01"):
        fold_table(spark, conn)
    assert archived.archived_files(conn) == before
    assert graph_fingerprint(conn) == expected


def test_a_missing_table_is_an_error(spark: Any, conn: Connection, tmp_path: Path) -> None:
    for use in (
        lambda: add_events(spark, tmp_path, three_months()),
        lambda: fold_table(spark, conn),
        lambda: open_lake(spark, LAKE).find_location(),
    ):
        with pytest.raises(LakeError, match=f"Create it, for example: CREATE TABLE {TABLE}"):
            use()
    with pytest.raises(LakeError, match="no name of a table"):
        open_lake(spark, "table:no name of a table")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("sha256 binary, event_time string, run_id string, body string", "lacks .* body binary, "),
        (f"{layout.COLUMNS}, month string, source string", "has further columns: source string"),
        (f"{layout.COLUMNS}, month string", f"The table {TABLE} is not partitioned by month"),
    ],
)
def test_a_table_of_another_form_is_an_error(
    spark: Any, tmp_path: Path, columns: str, message: str
) -> None:
    spark.sql(f"CREATE TABLE {TABLE} ({columns}) USING parquet LOCATION '{tmp_path}/events'")
    try:
        with pytest.raises(LakeError, match=message):
            add_events(spark, tmp_path, three_months())
    finally:
        spark.sql(f"DROP TABLE {TABLE}")


def test_an_archive_needs_a_directory(conn: Connection) -> None:
    write_events(conn, three_months())
    with pytest.raises(UsageError, match=f"{LAKE} is a table"):
        list(archive_months(conn, "2025-02-01", LAKE))
