"""Streaming queries of every kind: their sources, sinks and ends."""

import contextlib
import sys
import threading
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

home = Path(sys.argv[1])
spark = SparkSession.builder.appName("streams").getOrCreate()
SCHEMA = "id bigint, name string, at timestamp"


def lake(name):
    return str(home / "lake" / name)


def put(directory, name, *rows):
    """Write a file of JSON lines atomically."""
    folder = Path(lake(directory))
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f'{{"id": {i}, "name": "{n}", "at": "2024-01-01T00:00:0{i}Z"}}' for i, n in rows]
    unfinished = folder / f".{name}"
    unfinished.write_text("\n".join(lines) + "\n")
    unfinished.rename(folder / name)


def people(directory="people", **options):
    return spark.readStream.schema(SCHEMA).options(**options).json(lake(directory))


def finish(writer, name=None):
    """Run until all available data are read."""
    if name:
        writer = writer.queryName(name)
    query = writer.trigger(availableNow=True).start()
    query.awaitTermination()


def checkpoint(writer, name):
    return writer.option("checkpointLocation", lake(f"checkpoints/{name}"))


put("people", "1.json", (1, "ann"), (2, "bob"))
spark.sql("CREATE TABLE grades (id BIGINT, grade STRING) USING parquet")
spark.sql("INSERT INTO grades VALUES (1, 'a'), (2, 'b')")


def to_files():
    frame = people().selectExpr("id", "upper(name) AS big").where("id > 0")
    finish(checkpoint(frame.writeStream.format("parquet"), "files").option("path", lake("big")))
    put("people", "2.json", (3, "eve"))
    finish(checkpoint(frame.writeStream.format("parquet"), "files").option("path", lake("big")))


def to_table():
    writer = checkpoint(people().select("id", "name").writeStream, "table")
    writer.trigger(availableNow=True).toTable("kept").awaitTermination()
    read = spark.readStream.table("kept").join(spark.table("grades"), "id").select("name", "grade")
    writer = checkpoint(read.writeStream, "table2")
    finish(writer.format("parquet").option("path", lake("graded")), "graded")


def foreach_batch():
    """Run two batches; the second writes to another location, too."""

    def write(batch, number):
        batch.persist()
        batch.join(spark.table("grades"), "id").select("twice", "grade").write.mode(
            "append"
        ).parquet(lake("joined"))
        batch.createOrReplaceTempView("updates")
        if number == 0:
            batch.sparkSession.sql(
                "CREATE TABLE pairs USING parquet AS"
                " SELECT a.twice, b.name FROM updates a JOIN updates b ON a.id = b.id"
            )
        else:
            batch.sparkSession.sql("SELECT name FROM updates").write.mode("append").json(
                lake("later")
            )
        batch.unpersist()

    frame = people(maxFilesPerTrigger=1).selectExpr("id", "id * 2 AS twice", "name")
    finish(frame.writeStream.foreachBatch(write), "by batch")


def each_its_own():
    """Write other rows in each batch: those of the batch, those of a table, those of the driver."""

    def write(batch, number):
        if number == 0:
            batch.select("id").write.mode("append").parquet(lake("of the stream"))
        elif number == 1:
            spark.table("grades").select("id").write.mode("append").parquet(lake("of a table"))
        else:
            rows = spark.createDataFrame(batch.select("id").collect(), "id bigint")
            rows.write.mode("append").parquet(lake("of the driver"))

    for number in (1, 2, 3):
        put("parts", f"{number}.json", (number, "part"))
    finish(people("parts", maxFilesPerTrigger=1).writeStream.foreachBatch(write), "each its own")


def kept_nowhere():
    finish(people().writeStream.format("memory"), "in_memory")
    finish(people().writeStream.format("noop"), "noop")
    finish(people().writeStream.foreach(lambda row: None), "each row")
    finish(people().writeStream.format("noop").option("apiToken", "hunter2"), "secret")


def failing():
    """Run two batches; the second fails."""

    def write(batch, number):
        if number == 1:
            raise ValueError("no second batch")
        batch.write.mode("append").json(lake("before failure"))

    with contextlib.suppress(Exception):
        finish(people(maxFilesPerTrigger=1).writeStream.foreachBatch(write), "failing")


def two_at_once():
    """Stop two continuing queries after their first batch."""
    queries = [
        people()
        .writeStream.format("parquet")
        .option("path", lake(f"copy {n}"))
        .option("checkpointLocation", lake(f"checkpoints/copy{n}"))
        .queryName(f"copy {n}")
        .start()
        for n in (1, 2)
    ]
    for query in queries:
        query.processAllAvailable()
    for query in queries:
        query.stop()


def stateful():
    marked = people().withWatermark("at", "1 hour")
    once = marked.dropDuplicatesWithinWatermark(["id"]).select("id", "name")
    finish(
        once.writeStream.format("parquet")
        .option("path", lake("once"))
        .option("checkpointLocation", lake("checkpoints/once")),
        "once",
    )
    put("visits", "1.json", (1, "door"))
    visits = (
        people("visits")
        .withWatermark("at", "1 hour")
        .selectExpr("id AS who", "name AS place", "at AS then")
    )
    met = marked.join(visits, F.expr("id = who AND then BETWEEN at AND at + INTERVAL 1 HOUR"))
    finish(
        met.select("name", "place")
        .writeStream.format("parquet")
        .option("path", lake("met"))
        .option("checkpointLocation", lake("checkpoints/met")),
        "met",
    )
    hours = marked.groupBy(F.window("at", "1 hour"), "name").count().select("name", "count")
    finish(hours.writeStream.outputMode("complete").format("memory"), "counted")


def no_files_yet():
    Path(lake("empty")).mkdir(parents=True)
    query = (
        checkpoint(people("empty").writeStream.format("parquet"), "empty")
        .option("path", lake("from empty"))
        .start()
    )
    query.processAllAvailable()
    # Without a batch, the listener can read the plan only from the query, while it is active.
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    query.stop()


def never_stopped():
    rates = spark.readStream.format("rate").option("rowsPerSecond", 100).load()
    done = threading.Event()

    def write(batch, number):
        batch.select("value").write.mode("append").parquet(lake("rates"))
        if number > 0:  # the previous batch has ended and is recorded
            done.set()

    rates.writeStream.foreachBatch(write).queryName("endless").start()
    done.wait()


for part in (to_files, to_table, foreach_batch, each_its_own, kept_nowhere, failing, two_at_once,
             stateful, no_files_yet, never_stopped):  # fmt: skip
    part()
spark.stop()
