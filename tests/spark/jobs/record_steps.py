"""Records steps in jobs of all kinds: ``record_steps.py DIRECTORY``; results in results.json."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import msgspec
from pyspark import TaskContext
from pyspark.sql import SparkSession

import lineage.records as records

RUN = "3c1d8a52-9f0e-4a53-8a9d-2f2f6f0f8a11"
SCHEMA = "id long, y string"

home = Path(sys.argv[1])
spark = SparkSession.builder.appName("RecordSteps").getOrCreate()
results: dict[str, Any] = {}


def result(name: str, capture: records.Capture, **more: Any) -> None:
    report = msgspec.to_builtins(capture.report())
    items = [
        {
            "id": item.correlation_id,
            "outcome": list(item.outcome.flag_names),
            "path": [hop.node_id for hop in item.hops],
            "rows": [hop.input_contributor_count for hop in item.hops],
            "retries": [hop.retry_count for hop in item.hops],
            "errors": [hop.error for hop in item.hops],
            "contributors": item.contributors,
            "data": item.data,
        }
        for item in capture.items()
    ]
    nodes = {node["node_id"]: node for node in report["nodes"]}
    results[name] = {"report": report, "nodes": nodes, "items": items, **more}


def parse_row(row: Any) -> dict[str, Any] | None:
    if row["id"] % 10 == 3:
        return None
    return {"id": row["id"], "y": f"<{row['id'] * 2}>"}


parse = records.step(parse_row, key="id", name="parse")


def write(frame: Any, name: str) -> None:
    frame.write.mode("overwrite").format("noop").save()


def captured(**options: Any) -> records.Capture:
    return records.capture(spark, pipeline="p", run_id=RUN, **{"sample": 0.2, **options})


def ids(first: int, last: int, partitions: int = 3) -> Any:
    return spark.range(first, last, 1, partitions)


# The same items with any number of partitions.
for partitions in (4, 9):
    with captured(cap=30) as capture:
        write(ids(0, 1000, partitions).mapInPandas(parse, SCHEMA), "noop")
    result(f"{partitions} partitions", capture)

# The files of a job with and without a capture.
frame = ids(0, 500).mapInPandas(parse, SCHEMA)  # before the capture
frame.write.parquet(f"{home}/off/parquet")
frame.write.csv(f"{home}/off/csv")
with captured(sample=1.0, redact=False, snapshots=True, cap=10) as capture:
    frame.write.parquet(f"{home}/on/parquet")
    frame.write.csv(f"{home}/on/csv")
result("files", capture)

# A sort evaluates its input twice, and a second action evaluates all again.
with captured() as capture:
    ordered = ids(0, 300).mapInPandas(parse, SCHEMA).orderBy("y").collect()
result("sorted", capture, rows=len(ordered))

# Attempts that fail or are killed after they have processed their rows.


def fail_once(rows: Any) -> Any:
    every = list(rows)
    context = TaskContext.get()
    if context.attemptNumber() == 0 and context.partitionId() == 1:
        raise ValueError("the first attempt")
    if context.attemptNumber() == 0 and context.partitionId() == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return iter(every)


def flaky(row: Any) -> Any:
    if row["id"] % 7 == 0 and row["id"] not in seen:
        seen.add(row["id"])
        raise ConnectionError("no answer")
    if row["id"] % 25 == 1:
        raise ValueError(f"secret {row['id']}")
    return parse_row(row)


seen: set[int] = set()
load = records.step(flaky, key="id", retries=1, dead_letter=home / "dead", name="load")
with captured(sample=1.0) as capture:
    rdd = spark.sparkContext.parallelize([{"id": n} for n in range(300)], 3)
    rows = rdd.mapPartitions(load).mapPartitions(fail_once).count()
result("failed attempts", capture, rows=rows)

# The ways to call a step.
with captured(sample=1.0) as capture:
    rdd = spark.sparkContext.parallelize([{"id": n} for n in range(30)], 2)
    mapped = rdd.map(parse).collect()
    save = records.step(lambda row: None, key="id", maps="one_to_none", name="save")
    ids(100, 120).foreachPartition(save)
    largest = records.step(lambda group: group.nlargest(1, "id"), key="id", by="g", name="largest")
    groups = ids(200, 260).selectExpr("id", "id % 3 AS g").groupBy("g")
    largest_rows = groups.applyInPandas(largest, "id long, g long").collect()
result("calls", capture, mapped=mapped, largest=sorted(row["id"] for row in largest_rows))

# Two steps in one plan, with a filter of Spark between them.
enrich = records.step(dict, key="id", name="enrich")
with captured(sample=1.0) as capture:
    both = ids(0, 60).mapInPandas(parse, SCHEMA).where("id % 20 <> 7").mapInPandas(enrich, SCHEMA)
    write(both, "noop")
unresolved = [item.correlation_id for item in capture.unresolved()]
result("two steps", capture, unresolved=unresolved)

# A step of a module, which workers import.
(home / "shop_steps.py").write_text(
    "import lineage.records as records\n"
    "@records.step(key='id')\n"
    "def parse(row):\n"
    "    return {'id': row['id'], 'y': 'x'}\n"
)
spark.sparkContext.addPyFile(f"{home}/shop_steps.py")
import shop_steps  # noqa: E402

with captured(sample=1.0) as capture:
    write(ids(0, 40).mapInPandas(shop_steps.parse, SCHEMA), "noop")
result("module", capture)

# Errors of the recording, and more items than the cap.
with captured(sample=1.0, redact=lambda row: row["absent"], snapshots=True) as capture:
    failing = records.step(parse_row, key=lambda row: 1 // (row["id"] % 2), name="parse")
    rows = ids(0, 40).mapInPandas(failing, SCHEMA).count()
result("errors of the recording", capture, rows=rows)
received: list[str] = []
sink = records.CallableSink(lambda items: received.extend(i.correlation_id for i in items))
with captured(sample=1.0, cap=20, sinks=[sink]) as capture:
    write(ids(0, 200, 4).mapInPandas(parse, SCHEMA), "noop")
result("degrade", capture, received=received)
with captured(sample=1.0) as capture:
    pass
write(ids(0, 10).mapInPandas(parse, SCHEMA), "noop")
result("after", capture)

# Values that pandas would change.
exact = records.step(lambda row: {"id": row["id"], "n": row["n"]}, key="id", name="exact")
large = spark.createDataFrame([(1, "9007199254740993"), (2, None)], "id long, n string")
with captured(sample=1.0) as capture:
    outputs = large.mapInPandas(exact, "id long, n string").collect()
    to_long = records.step(
        lambda row: {"id": row["id"], "n": int(row["n"]) if row["n"] else None}, key="id"
    )
    outputs += large.mapInPandas(to_long, "id long, n long").collect()
result("values", capture, outputs=[list(row) for row in outputs])

# Times in a zone of the session, null too, and nested values.
spark.conf.set("spark.sql.session.timeZone", "America/New_York")
query = "SELECT id, IF(id = 1, NULL, timestamp '2026-07-01 12:00:00') AS t, struct(id, 'x') AS s"
nested = "id long, t timestamp, s struct<id: long, col2: string>"
times = spark.sql(f"{query} FROM range(3)")
with captured(sample=1.0) as capture:
    identical = times.mapInPandas(records.step(dict, key="id", name="same"), nested)
    result("times", capture, before=str(times.collect()), after=str(identical.collect()))

# The broadcast side of a join runs in a thread of Spark.
with captured(sample=1.0) as capture:
    side = ids(0, 20).mapInPandas(parse, SCHEMA).hint("broadcast")
    rows = ids(0, 40).join(side, "id").count()
result("broadcast", capture, rows=rows)

(home / "results.json").write_text(json.dumps(results))
spark.stop()
