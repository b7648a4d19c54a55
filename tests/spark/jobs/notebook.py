"""Writes with Spark and queries the graph in turns, in one process, as a notebook does.

Prints a JSON object for each query. The database is LINEAGE_DSN, that of a reader READER_DSN.
"""

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

from pyspark.sql import SparkSession

import lineage

base = sys.argv[1]


def session(number: int) -> SparkSession:
    builder = SparkSession.builder.appName(f"notebook{number}").master("local[2]")
    builder = builder.config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "2")
    builder = lineage.spark.configure(builder, spool=f"{base}/spool")
    return builder.getOrCreate()


def answer(question: str, **values: object) -> None:
    sys.stdout.write(json.dumps({"question": question, **values}) + "\n")


def names(datasets) -> list[str]:
    return sorted(Path(dataset.name).name for dataset in datasets)


graph = lineage.connect()
spark = session(1)
spark.range(10).write.parquet(f"{base}/raw")
answer("first", found=names(graph.datasets("raw")))

spark.read.parquet(f"{base}/raw").selectExpr("id * 2 AS twice").write.parquet(f"{base}/silver")
answer("second", upstream=names(graph.upstream(f"{base}/silver").datasets))

# Another process ingests the same spool concurrently.
command = [Path(sys.executable).with_name("lineage"), "ingest", f"{base}/spool"]
spark.read.parquet(f"{base}/silver").write.parquet(f"{base}/gold")
with subprocess.Popen(command) as beside:
    found = names(graph.upstream(f"{base}/gold").datasets)
answer("beside", upstream=found, ingested=beside.returncode)

spark.read.parquet(f"{base}/gold").write.parquet(f"{base}/top")
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    with lineage.connect(os.environ["READER_DSN"]) as reader:
        seen = [names(reader.datasets(name)) for name in ("gold", "top")]
answer("reader", seen=seen, warnings=[str(each.message) for each in caught])

spark.stop()
answer("stopped", upstream=names(graph.upstream(f"{base}/top").datasets))
spark = session(2)
spark.read.parquet(f"{base}/top").write.parquet(f"{base}/next")
answer("again", upstream=names(graph.upstream(f"{base}/next").datasets))
spark.stop()
answer("ended", upstream=names(graph.upstream(f"{base}/next").datasets))
graph.close()
