"""The event lake: Spark adds events and folds them into the same graph as ``lineage ingest``."""

from __future__ import annotations

import gzip
import random
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pyarrow
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from lineage_cli import main
from pyarrow import parquet
from support.events.builders import dataset, dataset_event, run_event
from support.events.builders import events as any_event
from support.events.months import MONTHS, in_month, three_months
from support.properties import slow_examples
from support.slow import slow_except
from support.spark.version import SPARK

from lineage.errors import DatabaseError, LakeError
from lineage.eventlog import archived, log
from lineage.events.entry import read_entry
from lineage.ingest.writer import write_events
from lineage.lake import layout
from lineage.lake.adding import Added, add_files, add_lines
from lineage.lake.folding import Folded, fold_lake
from lineage.lake.opening import open_lake
from lineage.lake.sources import read_lines
from lineage.lake.statistics import compute_statistics
from lineage.lake.streaming import read_properties, read_topic, stream_lines
from lineage.maintenance.archive import archive_months
from lineage.projection import backlog
from lineage.projection.rebuild import graph_fingerprint, rebuild_graph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.fixtures.database import Server

    from lineage.lake.statistics import Grouping

    Connection = psycopg.Connection[Any]


# Spark itself reads plain and gzipped files, in the same way.
FORMATS = slow_except(["a.jsonl", "a.jsonl.zst"], ["a.jsonl", "a.jsonl.gz", "a.jsonl.zst"])


@pytest.fixture
def fresh(server: Server, database: Callable[[str], str]) -> Iterator[Callable[[], Connection]]:
    """Return a function that connects to another fresh database."""
    with ExitStack() as opened:
        yield lambda: opened.enter_context(
            psycopg.connect(database(server.migrated()), autocommit=True)
        )


def write_lines(file: Path, lines: list[str]) -> str:
    text = "\n".join(lines) + "\n"
    if file.suffix == ".zst":
        with pyarrow.CompressedOutputStream(str(file), "zstd") as stream:
            stream.write(text.encode())
    elif file.suffix == ".gz":
        file.write_bytes(gzip.compress(text.encode()))
    else:
        file.write_text(text)
    return str(file)


def add_sources(spark: Any, lake: Path | str, sources: list[str]) -> Added:
    return add_files(open_lake(spark, str(lake)), sources)


def lines_of(spark: Any, sources: list[str]) -> set[str]:
    return {bytes(row.value).decode() for row in read_lines(spark, sources).collect()} - {""}


def fold_all(spark: Any, conn: Connection, dsn: str, lake: Path) -> list[Folded]:
    return list(fold_lake(open_lake(spark, str(lake)), conn, dsn))


def test_a_folded_lake_gives_the_graph_of_ingested_events(
    spark: Any, conn: Connection, dsn: str, fresh: Callable[[], Connection], tmp_path: Path
) -> None:
    events = three_months()
    shuffled = random.Random(7).sample(events, len(events))
    sources = [
        write_lines(tmp_path / "a.jsonl", [*shuffled[:20], *shuffled[5:15], "", "no event"]),
        write_lines(tmp_path / "b.jsonl.gz", shuffled[15:]),
    ]
    lake = tmp_path / "lake"
    assert add_sources(spark, lake, sources) == Added(52, 36, 1, MONTHS)
    assert add_sources(spark, lake, sources[1:]) == Added(21, 0, 0, MONTHS)
    assert fold_all(spark, conn, dsn, lake) == [
        Folded("2025-01", 12), Folded("2025-02", 12), Folded("2025-03", 12),
    ]  # fmt: skip
    ingested = fresh()
    write_events(ingested, events)
    assert graph_fingerprint(conn) == graph_fingerprint(ingested)
    assert fold_all(spark, conn, dsn, lake) == []
    assert rebuild_graph(conn) == 36, "a rebuild reads the lake"
    assert graph_fingerprint(conn) == graph_fingerprint(ingested)


def test_the_name_of_a_directory_may_have_any_character(
    spark: Any, conn: Connection, dsn: str, tmp_path: Path
) -> None:
    lake = tmp_path / "the {lake}, 50% [1]"
    events = three_months()
    for part in (events[:20], events[20:]):
        add_sources(spark, lake, [write_lines(tmp_path / "a.jsonl", part)])
        fold_all(spark, conn, dsn, lake)
    assert rebuild_graph(conn) == 36


def test_the_events_of_a_run_are_in_one_file_of_a_month(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fold then finds them together, and writes the run once."""
    monkeypatch.setattr(layout, "EVENTS_PER_FILE", 20)
    events = [
        run_event(f"r{number}", state, second)
        for number in range(50)
        for second, state in ((number, "START"), (number + 5, "COMPLETE"))
    ]
    shuffled = [(event,) for event in random.Random(3).sample(events, len(events))]
    lines = spark.createDataFrame(shuffled, "value string").repartition(4)
    assert add_lines(open_lake(spark, str(tmp_path / "lake")), lines).new == 100
    files = [parquet.read_table(file).to_pylist() for file in tmp_path.rglob("*.parquet")]
    assert len(files) > 1
    runs = [run for rows in files for run in {row["run_id"] for row in rows}]
    assert len(runs) == len(set(runs)) == 50


def test_only_a_large_month_is_divided_into_files(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout, "EVENTS_PER_FILE", 20)
    many = [in_month(run_event(f"r{number}", "COMPLETE", 1), 1) for number in range(60)]
    lines = [(event,) for event in (*many, *three_months())]
    divided = spark.createDataFrame(lines, "value string").repartition(8)
    add_lines(open_lake(spark, str(tmp_path)), divided)
    numbers = {month: len(list(tmp_path.glob(f"month={month}/*.parquet"))) for month in MONTHS}
    assert numbers.pop(MONTHS[0]) > 1
    assert set(numbers.values()) == {1}


def test_rejected_lines_are_stored_with_their_reasons(spark: Any, tmp_path: Path) -> None:
    source = write_lines(tmp_path / "a.jsonl", ["no event", *three_months()[:1], "{}"])
    assert add_sources(spark, tmp_path / "lake", [source]) == Added(3, 1, 2, ("2025-01",))
    assert add_sources(spark, tmp_path / "lake", [source]) == Added(3, 0, 2, ("2025-01",))
    rows = parquet.read_table(tmp_path / "lake" / "month=rejected").to_pylist()
    assert sorted(row["body"] for row in rows) == [b"no event", b"{}"]
    assert all(row["not_projected"] for row in rows)


def test_the_most_frequent_reasons_are_reported(spark: Any, tmp_path: Path) -> None:
    """Plan documents of a spool are for another command; a secret in a line is not shown."""
    secret = "postgresql://me:hunter2@db/x"
    lines = [*(f'{{"lineage": {n}, "kind": "start"}}' for n in range(5)), "{}", "{ }", secret]
    added = add_sources(spark, tmp_path / "lake", [write_lines(tmp_path / "a.jsonl", lines)])
    document, empty, text = added.rejections
    assert (document.lines, document.beginning) == (5, '{"lineage": 0, "kind": "start"}')
    assert "lineage ingest" in document.reason
    assert (empty.lines, empty.beginning) == (2, "{ }")
    assert text.lines == 1
    assert "hunter2" not in text.beginning
    rows = parquet.read_table(tmp_path / "lake" / "month=rejected").to_pylist()
    assert {document.reason, empty.reason, text.reason} == {row["not_projected"] for row in rows}


def test_a_secret_in_the_middle_of_which_a_line_is_cut_is_not_shown(
    spark: Any, tmp_path: Path
) -> None:
    """A line of indented JSON; that it has a password is known by the @ after it."""
    line = f'  "connection": "mysql://loader:{"hunter2" * 4}@mysql:3306/warehouse",'
    source = write_lines(tmp_path / "a.jsonl", [line])
    (rejection,) = add_sources(spark, tmp_path / "lake", [source]).rejections
    shown = '  "connection": "mysql://*********(redacted)@mysql:3306/warehouse",'
    assert rejection.beginning == shown[:60]


def test_files_are_plain_or_compressed(spark: Any, tmp_path: Path) -> None:
    """A directory has all kinds; a line is longer than what is read at a time."""
    source, lake = tmp_path / "source", tmp_path / "lake"
    source.mkdir()
    events = three_months()
    write_lines(source / "a.jsonl", events[:10])
    write_lines(source / "b.jsonl.gz", events[10:20])
    write_lines(source / "c.jsonl.zst", [*events[20:30], "x" * 3_000_000, "", "no event"])
    # Two frames in one file, as `cat a.zst b.zst` gives.
    parts = [Path(write_lines(tmp_path / f"{n}.zst", events[30 + n : 33 + n])) for n in (0, 3)]
    (source / "d.jsonl.zst").write_bytes(b"".join(part.read_bytes() for part in parts))
    assert add_sources(spark, lake, [str(source)]) == Added(38, 36, 2, MONTHS)
    again = add_sources(spark, lake, [str(source / "*.zst")])
    assert again == Added(18, 0, 2, ("2025-02", "2025-03"))


@pytest.mark.parametrize("name", FORMATS)
def test_a_line_that_is_not_utf_8_is_rejected_as_it_is(
    spark: Any, tmp_path: Path, name: str
) -> None:
    event, *_ = three_months()
    wrong = [b"\xff\xfe", event.encode()[:-1] + b', "city": "Orl\xe9ans"}', b"NUL \0"]
    source = tmp_path / name
    lines = b"\n".join([event.encode(), *wrong, b""])
    if source.suffix == ".zst":
        with pyarrow.CompressedOutputStream(str(source), "zstd") as stream:
            stream.write(lines)
    else:
        source.write_bytes(gzip.compress(lines) if source.suffix == ".gz" else lines)
    added = add_sources(spark, tmp_path / "lake", [str(source)])
    assert (added.lines, added.new, added.rejected) == (4, 1, 3)
    rejected = spark.read.parquet(str(tmp_path / "lake/month=rejected")).collect()
    assert {bytes(row.body) for row in rejected} == set(wrong)
    assert sum("not UTF-8" in row.not_projected for row in rejected) == 2


@pytest.mark.parametrize("name", FORMATS)
def test_events_are_those_without_byte_order_mark_and_carriage_returns(
    spark: Any, tmp_path: Path, name: str
) -> None:
    events, lake = three_months()[:3], str(tmp_path / "lake")
    add_sources(spark, lake, [write_lines(tmp_path / "b.jsonl", events)])
    source = write_lines(tmp_path / name, ["\ufeff" + "\r\n".join(events) + "\r"])
    added = add_sources(spark, lake, [source])
    assert (added.lines, added.new, added.rejected) == (3, 0, 0)


def test_a_tombstone_is_no_line(spark: Any, tmp_path: Path) -> None:
    event, *_ = three_months()
    lines = spark.createDataFrame([(event.encode(),), (None,), (b" ",)], "value binary")
    assert add_lines(open_lake(spark, str(tmp_path / "lake")), lines).lines == 1


def test_directories_are_read_with_those_below_them(spark: Any, tmp_path: Path) -> None:
    events = three_months()
    for number, directory in enumerate(("", "2025/10", "day=5", "_temporary")):
        part = tmp_path / "source" / directory
        part.mkdir(parents=True, exist_ok=True)
        write_lines(part / "a.jsonl", events[10 * number : 10 * number + 5])
        write_lines(part / "b.jsonl.zst", events[10 * number + 5 : 10 * number + 10])
    added = add_sources(spark, tmp_path / "lake", [str(tmp_path / "source")])
    assert (added.lines, added.new) == (30, 30), "all but what an interrupted job left"


@pytest.mark.parametrize("further", ["b.jsonl", "b.jsonl.zst"])
def test_the_name_of_a_file_is_no_pattern(spark: Any, tmp_path: Path, further: str) -> None:
    """``a[1].jsonl`` is that file, and not ``a1.jsonl``, also in a directory."""
    first, second, third = (run_event(f"r{number}", "COMPLETE", 1) for number in range(3))
    source = tmp_path / "events"
    source.mkdir()
    write_lines(source / "a1.jsonl", [first])
    named = write_lines(source / "a[1].jsonl", [second])
    write_lines(source / further, [third])
    assert add_sources(spark, tmp_path / "lake", [named]).new == 1
    assert lines_of(spark, [named]) == {second}
    assert lines_of(spark, [str(source)]) == {first, second, third}
    assert lines_of(spark, [str(source / "a*.jsonl")]) == {first, second}
    assert lines_of(spark, [str(source / "a[1-3].jsonl")]) == {first}


def test_a_damaged_file_is_an_error(spark: Any, tmp_path: Path) -> None:
    file = Path(write_lines(tmp_path / "a.jsonl.zst", three_months()))
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(LakeError, match=r"a\.jsonl\.zst cannot be read"):
        add_sources(spark, tmp_path / "lake", [str(file)])
    packed = tmp_path / "b.jsonl.gz"
    packed.write_bytes(gzip.compress("\n".join(three_months()).encode())[:-20])
    file_name = r"b\.jsonl\.gz.*" if SPARK >= (4, 0) else ""  # Spark 3.5 does not name the file
    with pytest.raises(LakeError, match=f"{file_name}: Unexpected end of input stream"):
        add_sources(spark, tmp_path / "lake", [str(packed)])
    assert not (tmp_path / "lake").exists()


def test_lake_and_log_together_give_one_graph(
    spark: Any, conn: Connection, dsn: str, fresh: Callable[[], Connection], tmp_path: Path
) -> None:
    """Runs have events on both sides, some events are on both, and one month was archived."""
    events = three_months()
    lake = tmp_path / "lake"
    write_events(conn, events[::2])
    list(archive_months(conn, "2025-02-01", str(lake)))
    source = write_lines(tmp_path / "a.jsonl", [*events[1::2], *events[:10]])
    assert add_sources(spark, lake, [source]).new == 18
    assert [folded.month for folded in fold_all(spark, conn, dsn, lake)] == [
        "2025-01", "2025-02", "2025-03",
    ]  # fmt: skip
    ingested = fresh()
    write_events(ingested, events)
    assert graph_fingerprint(conn) == graph_fingerprint(ingested)
    rebuild_graph(conn)
    assert graph_fingerprint(conn) == graph_fingerprint(ingested)


@slow_examples(4)
@given(data=st.data(), events=st.lists(any_event, min_size=8, max_size=30))
def test_hard_events_give_one_graph_whoever_writes_them(
    spark: Any,
    fresh: Callable[[], Connection],
    tmp_path_factory: Any,
    data: st.DataObject,
    events: list[str],
) -> None:
    """Aliases, failures, run ids of several jobs, parents, events of jobs and datasets, repeated.

    They are ingested, collected, folded, and folded beside ingested ones of the same runs.
    """
    again = data.draw(st.lists(st.sampled_from(events), max_size=6))
    order = data.draw(st.permutations(events + again))
    cut = data.draw(st.integers(1, len(order) - 1))
    ingested, collected, folded, mixed = fresh(), fresh(), fresh(), fresh()
    write_events(ingested, events)
    expected = graph_fingerprint(ingested)

    log.queue_events(collected, [read_entry(text) for text in order])
    while backlog.project_pending(collected, data.draw(st.integers(1, 9))):
        pass
    assert graph_fingerprint(collected) == expected

    write_events(mixed, order[:cut])
    for conn, lines in ((folded, order), (mixed, order[cut:])):
        directory = tmp_path_factory.mktemp("hard")
        add_sources(spark, directory / "lake", [write_lines(directory / "a.jsonl", lines)])
        fold_all(spark, conn, conn.info.dsn, directory / "lake")
        assert graph_fingerprint(conn) == expected
        rebuild_graph(conn)
        assert graph_fingerprint(conn) == expected


def test_a_stream_writes_lake_and_graph_once(
    spark: Any, conn: Connection, dsn: str, fresh: Callable[[], Connection], tmp_path: Path
) -> None:
    events = three_months()
    source, lake = tmp_path / "source", tmp_path / "lake"
    source.mkdir()
    added: list[Added] = []

    def stream_now(checkpoint: str) -> None:
        lines = spark.readStream.option("maxFilesPerTrigger", 1).text(str(source))
        place = str(tmp_path / checkpoint)
        stream_lines(dsn, str(lake), lines, place, added.append, is_endless=False)

    write_lines(source / "a.jsonl", events[:20])
    write_lines(source / "b.jsonl", [*events[10:30], "no event"])
    stream_now("checkpoint")
    write_lines(source / "c.jsonl", events[25:])
    stream_now("checkpoint")
    ingested = fresh()
    write_events(ingested, events)
    assert graph_fingerprint(conn) == graph_fingerprint(ingested)
    files = archived.archived_files(conn)
    assert sum(file.events for file in files) == 36
    assert (sum(each.new for each in added), sum(each.rejected for each in added)) == (36, 1)
    stream_now("the checkpoint is lost")
    assert archived.archived_files(conn) == files, "nothing was new"
    assert graph_fingerprint(conn) == graph_fingerprint(ingested)


def test_a_missing_package_is_an_error(spark: Any) -> None:
    with pytest.raises(LakeError, match="kafka") as raised:
        read_topic(spark, "localhost:1", "topic", 10)
    assert "--packages org.apache.spark:spark-sql-kafka-0-10_2.1" in str(raised.value)
    assert f":{spark.version} pyspark-shell" in str(raised.value)


def test_a_file_of_properties_is_read_as_kafka_reads_it(spark: Any, tmp_path: Path) -> None:
    file = tmp_path / "consumer.properties"
    file.write_text('# Zoë\nsecurity.protocol = SASL_SSL\nsasl.jaas.config: a \\\n  b="ë";\n')
    assert read_properties(spark, file) == {
        "security.protocol": "SASL_SSL", "sasl.jaas.config": 'a b="ë";',
    }  # fmt: skip
    file.write_text("password=\\u00")
    with pytest.raises(LakeError, match=r"consumer\.properties cannot be read.*uxxxx"):
        read_properties(spark, file)


def test_a_file_system_that_spark_lacks_is_named(spark: Any, tmp_path: Path) -> None:
    source = write_lines(tmp_path / "events.jsonl", three_months())
    with pytest.raises(LakeError, match="S3AFileSystem not found") as raised:
        add_sources(spark, "s3://bucket/lake", [source])
    assert "--packages org.apache.hadoop:hadoop-aws:3." in str(raised.value)


def test_a_missing_lake_is_an_error(spark: Any, conn: Connection, dsn: str, tmp_path: Path) -> None:
    with pytest.raises(LakeError, match="There is no lake"):
        fold_all(spark, conn, dsn, tmp_path / "lake")
    (tmp_path / "file").touch()
    with pytest.raises(LakeError, match="file is a file"):
        fold_all(spark, conn, dsn, tmp_path / "file")


@pytest.mark.parametrize("missing", ["nothing.jsonl", "*.jsonl.gz", "nowhere"])
def test_a_missing_source_is_an_error(spark: Any, tmp_path: Path, missing: str) -> None:
    present = write_lines(tmp_path / "events.jsonl", three_months())
    with pytest.raises(LakeError, match="There is no file") as raised:
        add_sources(spark, tmp_path / "lake", [present, str(tmp_path / missing)])
    assert missing in str(raised.value)
    assert not (tmp_path / "lake").exists()


@pytest.mark.parametrize("name", ["_events.jsonl", ".events.jsonl.gz"])
def test_a_file_that_spark_ignores_is_an_error(spark: Any, tmp_path: Path, name: str) -> None:
    present = write_lines(tmp_path / "events.jsonl", three_months())
    ignored = write_lines(tmp_path / name, three_months())
    with pytest.raises(LakeError, match=f"Spark ignores the file {ignored}"):
        add_sources(spark, tmp_path / "lake", [present, ignored])
    (tmp_path / "_SUCCESS").touch()
    assert add_sources(spark, tmp_path, [present, str(tmp_path / "_SUCCESS")]).new == 36


def test_an_invalid_pattern_is_an_error(spark: Any, tmp_path: Path) -> None:
    source = str(tmp_path / "a[.jsonl")
    with pytest.raises(LakeError, match="Unclosed character class") as raised:
        add_sources(spark, tmp_path / "lake", [source])
    assert str(raised.value).startswith(f"The file {source} cannot be read")


def test_the_tasks_use_the_database_of_the_driver(
    spark: Any, conn: Connection, dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write_lines(tmp_path / "events.jsonl", three_months())
    add_sources(spark, tmp_path / "lake", [source])
    monkeypatch.setenv("LINEAGE_DSN", dsn)  # not in the environment of the tasks
    folded = list(fold_lake(open_lake(spark, str(tmp_path / "lake")), conn, None))
    assert [each.events for each in folded] == [12, 12, 12]


def test_a_task_that_cannot_connect_is_an_error_of_the_database(
    spark: Any, conn: Connection, tmp_path: Path
) -> None:
    source = write_lines(tmp_path / "events.jsonl", three_months())
    add_sources(spark, tmp_path / "lake", [source])
    with pytest.raises(DatabaseError, match="A task of Spark failed: Cannot connect") as raised:
        fold_all(spark, conn, "postgresql://nobody@127.0.0.1:1/none", tmp_path / "lake")
    assert ".py:" not in str(raised.value)


def read_statistics(spark: Any, lake: Path, by: Grouping, since: str | None = None) -> list[Any]:
    statistics = compute_statistics(open_lake(spark, str(lake)), by, since)
    return [tuple(row) for row in statistics.collect()]


@pytest.mark.parametrize("since", ["2025-11-14", "2025-13", "2025-1", "november", ""])
def test_a_text_that_is_not_a_month_is_an_error(tmp_path: Path, since: str) -> None:
    shown = CliRunner().invoke(main, ["lake", "stats", str(tmp_path), "--since", since])
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert f'"{since}" is not a month. Write it as 2026-01.' in shown.stderr


def test_a_run_without_a_start_has_no_duration(spark: Any, tmp_path: Path) -> None:
    """Of three runs, one reported its start."""
    lines = [
        run_event("a", "START", 0, "load"), run_event("a", "COMPLETE", 600, "load"),
        run_event("b", "COMPLETE", 700, "load"), run_event("c", "COMPLETE", 800, "load"),
    ]  # fmt: skip
    add_sources(spark, tmp_path / "lake", [write_lines(tmp_path / "a.jsonl", lines)])
    [row] = read_statistics(spark, tmp_path / "lake", "job")
    assert (row[0], row[-2]) == ("etl/load", 600.0)


def test_statistics_of_the_runs_of_a_lake(
    spark: Any, conn: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that failed and completed, one of two jobs, one that runs, events in two files."""
    events = [
        run_event("a", "START", 0, "load", ("raw",)),
        run_event("a", "FAIL", 10, "load", (), ("clean",)),
        run_event("a", "COMPLETE", 20, "load", ("raw",), ("clean",)),
        run_event("b", "START", 30, "load"),
        run_event("b", "ABORT", 32, "load", ("raw", "rates")),
        run_event("c", "COMPLETE", 40, "report", ("clean",), ("gold",)),
        run_event("c", "RUNNING", 50, "audit", ("gold",)),
        in_month(run_event("d", "START", 0, "load", ("raw",)), 3),
        dataset_event(5, dataset("raw")),
    ]
    lake = tmp_path / "lake"
    write_events(conn, events[:3])
    list(archive_months(conn, "2026-02-01", str(lake)))
    write_events(conn, events[:3])
    list(archive_months(conn, "2026-02-01", str(lake)))
    assert add_sources(spark, lake, [write_lines(tmp_path / "a.jsonl", events)]).new == 6

    day, march = "2026-01-01", "2025-03-01"
    began = f"{day}T00:00:00.000000Z"
    assert read_statistics(spark, lake, "run") == [
        ("c", "etl/audit, etl/report", f"{day}T00:00:40.000000Z", f"{day}T00:00:40.000000Z",
         "COMPLETE", 2, 2, 1),
        ("b", "etl/load", f"{day}T00:00:30.000000Z", f"{day}T00:00:32.000000Z", "ABORT", 2, 2, 0),
        ("a", "etl/load", began, f"{day}T00:00:20.000000Z", "COMPLETE", 3, 1, 1),
        ("d", "etl/load", f"{march}T00:00:00.000000Z", None, "START", 1, 1, 0),
    ]  # fmt: skip
    assert read_statistics(spark, lake, "day") == [
        (day, 3, 2, 1, 7, 3, 4), (march, 1, 0, 0, 1, 1, 1),
    ]  # fmt: skip
    assert read_statistics(spark, lake, "week", "2026-01") == [("2025-12-29", 3, 2, 1, 7, 3, 4)]
    assert read_statistics(spark, lake, "job") == [
        ("etl/load", 3, 1, 1, 6, 3, 20.0, f"{day}T00:00:30.000000Z"),
        ("etl/audit", 1, 1, 0, 2, 2, None, f"{day}T00:00:40.000000Z"),
        ("etl/report", 1, 1, 0, 2, 2, None, f"{day}T00:00:40.000000Z"),
    ]
    assert read_statistics(spark, lake, "use", "2026-01") == [
        (day, "s3://lake/clean", 1, 1), (day, "s3://lake/gold", 1, 1),
        (day, "s3://lake/rates", 1, 0), (day, "s3://lake/raw", 2, 0),
    ]  # fmt: skip
    assert read_statistics(spark, lake, "day", "2027-01") == []

    monkeypatch.setattr("lineage_cli.lake._start_spark", lambda: spark)
    shown = CliRunner().invoke(main, ["lake", "stats", str(lake), "--limit", "1"])
    assert shown.stdout.splitlines()[-1].split() == [day, "3", "2", "1", "7", "3", "4"]
    assert shown.stderr == "There are more; --limit 0 shows all.\n"
    target = tmp_path / "use"
    command = ["lake", "stats", str(lake), "--by", "use", "--to", str(target)]
    assert CliRunner().invoke(main, command).exit_code == 0
    assert parquet.read_table(target).num_rows == 5
    again = CliRunner().invoke(main, command)
    assert (again.exit_code, "cannot be read or written" in again.stderr) == (2, True)
