"""Measure the event lake against ``lineage ingest`` of the same events.

python -m benchmarks.lake [--events N] [--part N] [--cores N] [--lake] [--dsn DSN]

The events are ingested and added from files of N events each, of which one is on disk at a time.
Archive and rebuild run in one process, add and fold on Spark; the start of Spark is not counted.
With --lake, the events are only added and folded. DSN is a maintenance database of a server, as
for benchmarks.emitter.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.emitter import dsn_of, fresh, stream
from benchmarks.ingest import ingest
from benchmarks.processor import Taken, taken_by_all
from lineage.lake.adding import add_files
from lineage.lake.folding import fold_lake
from lineage.lake.opening import open_lake
from lineage.maintenance.archive import archive_months
from lineage.projection.rebuild import graph_fingerprint, rebuild_graph

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import psycopg


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=60_000)
    parser.add_argument("--part", type=int, default=1_000_000)
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--lake", action="store_true")
    parser.add_argument("--dsn")
    options = parser.parse_args()
    databases = [fresh(options.dsn), fresh(options.dsn)]
    ingested, folded = map(next, databases)
    spark = start_spark(options.cores)
    with tempfile.TemporaryDirectory() as directory:
        source, lake, archived = (f"{directory}/{name}" for name in ("jsonl", "lake", "archive"))
        print("| step | events/s | processor, µs an event: ours | the server's | bytes |")
        print("|---|---:|---:|---:|---:|")
        ingests, adds, size = [], [], 0
        for count in write_parts(Path(source), options.events, options.part):
            size += Path(source).stat().st_size
            if not options.lake:
                ingests.append(taken_by_all(ingested, partial(ingest, ingested, source, 1)))
            add = partial(add_files, open_lake(spark, lake), [source])
            adds.append(taken_by_all(folded, add))
            if count < options.events:
                show(f"lake add, part {len(adds)}", count, adds[-1])
        if not options.lake:
            show("lineage ingest, one process", options.events, total(ingests))
            archive = partial(archive_all, ingested, archived)
            show("archive", options.events, taken_by_all(ingested, archive), archived)
            rebuild = partial(rebuild_graph, ingested)
            expected = graph_fingerprint(ingested)
            show("rebuild from the archive", options.events, taken_by_all(ingested, rebuild))
            assert graph_fingerprint(ingested) == expected
        show("lake add", options.events, total(adds), lake)
        show("lake fold", options.events, taken_by_all(folded, partial(fold, spark, folded, lake)))
        assert options.lake or graph_fingerprint(folded) == expected
        print(f"\n{size / options.events:,.0f} bytes of JSON an event, {options.cores} cores.")
    spark.stop()
    for database in databases:
        database.close()  # type: ignore[attr-defined]


def write_parts(source: Path, events: int, part: int) -> Iterator[int]:
    """Write a file of the next ``part`` events each time; yield their number."""
    texts = (event + "\n" for event in stream(events))
    while True:
        with source.open("w") as file:
            count = 0
            for text in islice(texts, part):
                file.write(text)
                count += 1
        if not count:
            return
        yield count


def total(times: Sequence[Taken]) -> Taken:
    return Taken(*map(sum, zip(*times, strict=True)))


def show(step: str, events: int, took: Taken, directory: str | None = None) -> None:
    """Print the row of a step; ``directory``: what it writes."""
    ours, servers = (seconds * 1e6 / events for seconds in (took.ours, took.servers))
    size = f"{stored_size(directory) / events:,.0f}" if directory else ""
    print(
        f"| {step} | {events / took.clock:,.0f} | {ours:,.0f} | {servers:,.0f} | {size} |",
        flush=True,
    )


def stored_size(directory: str) -> int:
    return sum(file.stat().st_size for file in Path(directory).rglob("*.parquet"))


def archive_all(conn: psycopg.Connection[Any], lake: str) -> None:
    list(archive_months(conn, "now", lake))


def fold(spark: Any, conn: psycopg.Connection[Any], lake: str) -> None:
    list(fold_lake(open_lake(spark, lake), conn, dsn_of(conn)))


def start_spark(cores: int) -> Any:
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(f"local[{cores}]")
    spark = builder.config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    spark.range(1000).mapInArrow(lambda batches: batches, "id bigint").count()  # starts workers
    return spark


if __name__ == "__main__":
    main()
