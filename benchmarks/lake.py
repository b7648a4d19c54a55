"""Measure the event lake against ``lineage ingest`` of the same events.

python -m benchmarks.lake [--events N] [--cores N] [--dsn DSN]

Archive and rebuild run in one process, add and fold on Spark; the start of Spark is not counted.
DSN is a maintenance database of a server, as for benchmarks.emitter.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.emitter import dsn_of, fresh, stream
from benchmarks.ingest import ingest
from benchmarks.processor import taken_by_all
from lineage.lake.adding import add_files
from lineage.lake.folding import fold_lake
from lineage.maintenance.archive import archive_months
from lineage.projection.rebuild import graph_fingerprint, rebuild_graph

if TYPE_CHECKING:
    from collections.abc import Callable

    import psycopg


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=60_000)
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--dsn")
    options = parser.parse_args()
    databases = [fresh(options.dsn), fresh(options.dsn)]
    ingested, folded = map(next, databases)
    spark = start_spark(options.cores)
    with tempfile.TemporaryDirectory() as directory:
        source = Path(directory) / "events.jsonl"
        lake, archived = f"{directory}/lake", f"{directory}/archive"
        with source.open("w") as file:
            file.writelines(json.dumps(event) + "\n" for event in stream(options.events))
        size = source.stat().st_size
        print("| step | events/s | processor, µs an event: ours | the server's | bytes |")
        print("|---|---:|---:|---:|---:|")
        show = partial(measure, options.events)
        show("lineage ingest, one process", ingested, partial(ingest, ingested, str(source), 1))
        expected = graph_fingerprint(ingested)
        show("archive", ingested, partial(archive, ingested, archived), archived)
        show("rebuild from the archive", ingested, partial(rebuild_graph, ingested))
        assert graph_fingerprint(ingested) == expected
        show("lake add", folded, partial(add_files, spark, lake, [str(source)]), lake)
        show("lake fold", folded, partial(fold, spark, folded, lake))
        assert graph_fingerprint(folded) == expected
        print(f"\n{size / options.events:,.0f} bytes of JSON an event, {options.cores} cores.")
    spark.stop()
    for database in databases:
        database.close()  # type: ignore[attr-defined]


def measure(
    events: int,
    step: str,
    conn: psycopg.Connection[Any],
    run: Callable[[], object],
    directory: str | None = None,
) -> None:
    """Run a step once, and print its row; ``directory``: what it writes."""
    took = taken_by_all(conn, run)
    ours, servers = (seconds * 1e6 / events for seconds in (took.ours, took.servers))
    size = f"{stored_size(directory) / events:,.0f}" if directory else ""
    print(
        f"| {step} | {events / took.clock:,.0f} | {ours:,.0f} | {servers:,.0f} | {size} |",
        flush=True,
    )


def stored_size(directory: str) -> int:
    return sum(file.stat().st_size for file in Path(directory).rglob("*.parquet"))


def archive(conn: psycopg.Connection[Any], lake: str) -> None:
    list(archive_months(conn, "now", lake))


def fold(spark: Any, conn: psycopg.Connection[Any], lake: str) -> None:
    list(fold_lake(spark, conn, dsn_of(conn), lake))


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
