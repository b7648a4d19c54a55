"""The files that the scans of a query select: their manifests, and their comparison with a run."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.events.builders import dataset, run_event

import lineage.records as records
from lineage.errors import StaleInputs
from lineage.ingest.writer import write_events
from lineage.query.session import Session
from lineage.records import gateway
from lineage.records.input_changes import NO_MANIFEST, compare_inputs
from lineage.records.manifests import FileSet, InputManifest, RunInputs, manifests_of_document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pyspark.sql import DataFrame

NUMBERS = count()


def expected(files: Iterable[Path]) -> FileSet:
    """Return the manifest of files by the documentation of its digest."""
    total, sizes, times = 0, [], []
    for file in files:
        status = file.stat()
        sizes.append(status.st_size)
        times.append(status.st_mtime_ns // 1_000_000)
        line = f"file:{file}\n{sizes[-1]}\n{times[-1]}"
        total += int.from_bytes(hashlib.sha256(line.encode()).digest()[:8], "big")
    newest = max(times, default=None)
    return FileSet(len(sizes), sum(sizes), newest, f"{total % 2**64:016x}")


def data_files(directory: Path, pattern: str = "**/part-*") -> list[Path]:
    return sorted(directory.glob(pattern))


def inputs_of(frame: DataFrame) -> dict[str, InputManifest]:
    """Return the inputs of a frame by the last part of their name."""
    document = gateway.inputs_of(frame, "[]").document()
    return {each.dataset.rsplit("/", 1)[-1]: each for each in manifests_of_document(document)}


@pytest.fixture(scope="module")
def days(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve rows in three partitions."""
    directory = tmp_path_factory.mktemp("lake") / "days"
    rows = spark.range(12).selectExpr("id", "named_struct('a', id, 'b', id) s", "id % 3 AS day")
    rows.coalesce(1).write.partitionBy("day").parquet(str(directory))
    return directory


@pytest.fixture(params=["path", "table", "second version"])
def frame(request: pytest.FixtureRequest, spark: Any, days: Path) -> Iterator[DataFrame]:
    """The same files as a path, as a partitioned table, and by the second version of sources."""
    if request.param == "table":
        columns = "id BIGINT, s STRUCT<a: BIGINT, b: BIGINT>, day BIGINT"
        spark.sql(
            f"CREATE TABLE IF NOT EXISTS days ({columns}) USING parquet PARTITIONED BY (day)"
            f" LOCATION '{days}'"
        )
        spark.sql("MSCK REPAIR TABLE days")
        yield spark.table("days")
        return
    if request.param == "second version":
        spark.conf.set("spark.sql.sources.useV1SourceList", "")
    yield spark.read.parquet(str(days))
    spark.conf.unset("spark.sql.sources.useV1SourceList")


def test_a_manifest_is_that_of_all_files(frame: DataFrame, days: Path) -> None:
    [found] = inputs_of(frame.groupBy("day").count()).values()
    assert found.scans == {expected(data_files(days))}
    assert found.is_known


def test_a_manifest_has_the_partitions_that_the_filters_select(
    frame: DataFrame, days: Path
) -> None:
    [found] = inputs_of(frame.where("day = 1 AND id > 5")).values()
    assert found.scans == {expected(data_files(days, "day=1/part-*"))}


def test_each_selection_of_a_dataset_has_a_manifest(frame: DataFrame, days: Path) -> None:
    one, two = frame.where("day = 1"), frame.where("day = 2")
    [found] = inputs_of(one.union(two).union(one)).values()
    assert found.scans == {expected(data_files(days, f"day={day}/part-*")) for day in (1, 2)}


def test_nested_columns_that_are_pruned_keep_the_manifest(frame: DataFrame, days: Path) -> None:
    [found] = inputs_of(frame.where("day = 1").select("s.a")).values()
    assert found.scans == {expected(data_files(days, "day=1/part-*"))}


def test_subqueries_and_cached_frames_have_manifests(spark: Any, days: Path) -> None:
    rows = spark.read.parquet(str(days))
    rows.where("day = 2").createOrReplaceTempView("two")
    cached = rows.where("day = 1").cache()
    cached.createOrReplaceTempView("one")
    query = spark.sql("SELECT id FROM one WHERE id > (SELECT min(id) FROM two)")
    [found] = inputs_of(query).values()
    assert found.scans == {expected(data_files(days, f"day={day}/part-*")) for day in (1, 2)}
    cached.unpersist()


def load_class(spark: Any, name: str) -> Any:
    return gateway.records_of(spark).getClass().getClassLoader().loadClass(name)


def document_of(spark: Any, frame: DataFrame) -> str:
    """Return the document of the frame's own plan, whose scans it does not let select files."""
    execution = frame._jdf.queryExecution()
    methods = load_class(spark, "io.lineage.spark.QueryDocument").getMethods()
    [method] = [each for each in methods if each.getName() == "of"]
    jvm_gateway = spark.sparkContext._gateway
    arguments = jvm_gateway.new_array(jvm_gateway.jvm.Object, 3)
    arguments[0] = spark._jsparkSession
    arguments[1], arguments[2] = execution.analyzed(), execution.executedPlan()
    return str(method.invoke(None, arguments))


def test_a_manifest_is_read_from_memory(spark: Any, days: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(days, copy)
    before = expected(data_files(copy))
    rows = spark.read.parquet(str(copy))
    [planned] = manifests_of_document(document_of(spark, rows))
    assert planned.scans == frozenset(), "the plan has not run, and is not made to list files"
    rows.collect()
    shutil.rmtree(copy)
    [ran] = manifests_of_document(document_of(spark, rows))
    assert ran.scans == {before}


FILES = st.dictionaries(
    st.sampled_from(["a", "b", "c", "d"]), st.tuples(st.integers(1, 2), st.integers(1, 4))
)


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(FILES, FILES)
def test_files_are_left_out_if_they_are_newer_than_all_of_the_run(
    spark: Any, tmp_path: Path, before: dict[str, Any], now: dict[str, Any]
) -> None:
    directory = tmp_path / str(next(NUMBERS))
    directory.mkdir()

    def write(files: dict[str, tuple[int, int]]) -> None:
        for file in directory.iterdir():
            file.unlink()
        for name, (size, time) in files.items():
            (directory / name).write_text("x" * size)
            os.utime(directory / name, (time, time))

    write(before)
    old = expected(sorted(directory.iterdir()))
    write(now)
    read = spark.read.schema("value STRING").text(str(directory))
    run = RunInputs("r1", None, (InputManifest(f"file:{directory}", scans=frozenset([old])),))
    inputs = gateway.inputs_of(read, json.dumps({"files": [vars(old)]}))
    current = manifests_of_document(inputs.document())
    compared = compare_inputs([run], current, inputs.leftOut())

    added = now.keys() - before.keys()
    is_same = all(now.get(name) == file for name, file in before.items())
    newest = max((time for _, time in before.values()), default=None)
    is_newer = newest is not None and all(now[name][1] > newest for name in added)
    if is_same and not added:
        assert (compared.changes, compared.left_out) == ((), 0)
    elif is_same and is_newer:
        assert (compared.changes, compared.left_out) == ((), len(added))
        rows = gateway.frame_of(spark, inputs.plan().source(0))
        found = sorted(row[0] for row in rows.select("value").collect())
        assert found == sorted("x" * size for size, _ in before.values())
    else:
        assert (len(compared.changes), compared.left_out) == (1, 0)


@pytest.fixture
def sales(spark: Any, tmp_path: Path) -> Path:
    """Two files of sales, of which a run made the table ``total``."""
    for number, name in enumerate(("a", "b"), start=1):
        add_sales(tmp_path / "sales", name, number)
    return tmp_path


def add_sales(directory: Path, name: str, amount: int, time: int | None = None) -> None:
    directory.mkdir(exist_ok=True)
    (directory / f"{name}.csv").write_text(f"x,{amount}\n")
    at = time or 1_700_000_000 + amount
    os.utime(directory / f"{name}.csv", (at, at))


def totals(spark: Any, lake: Path) -> DataFrame:
    rows = spark.read.schema("shop STRING, amount INT").csv(str(lake / "sales"))
    return rows.groupBy("shop").sum("amount")


@pytest.fixture
def session(dsn: str, spark: Any, sales: Path) -> Iterator[Session]:
    [manifest] = inputs_of(totals(spark, sales)).values()
    scans = [vars(each) for each in manifest.scans]
    source = dataset(
        str(sales / "sales"),
        namespace="file",
        inputFacets={"lineage_manifest": {"scans": scans, "omitted": []}},
    )
    target = dataset(str(sales / "total"), namespace="file")
    with Session(dsn) as opened:
        write_events(
            opened.connection, [run_event("r1", "COMPLETE", 1, "sum", (source,), (target,))]
        )
        yield opened


def trace_total(
    spark: Any, session: Session, lake: Path, *, force: bool = False
) -> tuple[int, str, list[str]]:
    """Trace the only row; return its sum, the fidelity and the reasons without that of CSV."""
    frame, table = totals(spark, lake), f"file:{lake}/total"
    with records.trace(frame, "shop = 'x'", table=table, target=session, force=force) as trace:
        [row] = trace.rows.collect()
        reasons = [each for each in trace.reasons if not each.startswith(("content-", "repro"))]
        return row[1], str(trace.fidelity), reasons


def test_a_trace_of_unchanged_sources_is_exact(spark: Any, session: Session, sales: Path) -> None:
    assert trace_total(spark, session, sales) == (3, "exact", [])


def test_files_that_were_added_are_left_out(spark: Any, session: Session, sales: Path) -> None:
    add_sales(sales / "sales", "c", 30)
    reasons = ["as of the run:without 1 newer file"]
    assert trace_total(spark, session, sales) == (3, "exact", reasons)


@pytest.mark.parametrize(
    ("tamper", "total", "change"),
    [
        (lambda sales: add_sales(sales, "b", 5), 6, "last changed at "),
        (lambda sales: (sales / "b.csv").unlink(), 1, "1 instead of 2 files"),
        (lambda sales: add_sales(sales, "c", 9, 1_600_000_000), 12, "3 instead of 2 files"),
        (lambda sales: (sales / "b.csv").rename(sales / "z.csv"), 3, "other files of the same"),
    ],
    ids=["changed", "deleted", "added with an old time", "renamed"],
)
def test_changed_sources_are_rejected(
    tamper: Any, total: int, change: str, spark: Any, session: Session, sales: Path
) -> None:
    tamper(sales / "sales")
    with pytest.raises(StaleInputs, match=change) as caught:
        trace_total(spark, session, sales)
    assert f"The inputs of file:{sales}/total have changed since run r1 wrote it" in str(
        caught.value
    )
    found, fidelity, [reason] = trace_total(spark, session, sales, force=True)
    assert (found, fidelity) == (total, "stale")
    assert reason.startswith(f"changed:file:{sales}/sales has ")
    assert change in reason


@pytest.mark.parametrize("change", ["changed", "deleted", "directory deleted"])
def test_a_frame_of_files_that_have_changed_since_is_rejected(
    change: str, spark: Any, session: Session, sales: Path
) -> None:
    frame, file = totals(spark, sales), sales / "sales" / "b.csv"
    if change == "changed":
        add_sales(sales / "sales", "b", 7)
    elif change == "deleted":
        file.unlink()
    else:
        shutil.rmtree(sales / "sales")
    with pytest.raises(StaleInputs, match=f"file:{file} has changed since the frame was created"):
        records.trace(frame, "shop = 'x'", table=f"file:{sales}/total", target=session)


def test_rows_are_followed_in_the_sources_of_the_run(
    spark: Any, session: Session, sales: Path
) -> None:
    add_sales(sales / "sales", "c", 30)
    options = {"table": f"file:{sales}/total", "target": session}
    followed = records.follow(totals(spark, sales), "sales", "true", **options)
    assert sorted(row.amount for row in followed.rows) == [1, 2]
    assert "as of the run:without 1 newer file" in followed.reasons
    (sales / "sales" / "b.csv").unlink()
    with pytest.raises(StaleInputs, match="has 9 instead of 8 bytes"):
        records.follow(totals(spark, sales), "sales", "true", **options)
    followed = records.follow(totals(spark, sales), "sales", "true", force=True, **options)
    assert followed.fidelity == "stale"


def test_a_table_without_a_run_is_reported(spark: Any, session: Session, sales: Path) -> None:
    with records.trace(totals(spark, sales), "shop = 'x'", table="none", target=session) as trace:
        assert (trace.fidelity, trace.reasons[:2]) == ("exact", ["reproduced", NO_MANIFEST])
