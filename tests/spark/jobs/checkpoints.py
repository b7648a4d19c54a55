"""Checkpoints of several frames with the same column ids: ``checkpoints.py DIRECTORY``."""

from __future__ import annotations

import sys
from typing import Any

from pyspark.sql import SparkSession
from support.spark.session import session

from lineage.spark import configure

NAMES = (
    "local",
    "reliable",
    "loop",
    "chain",
    "sorted_rows",
    "lazy",
    "lazy_together",
    "lazy_of_rows",
)


class Cases:
    """Each method is a case, with the name of the case as its job group."""

    def __init__(self, spark: Any) -> None:
        self.spark = spark
        spark.sql("CREATE TABLE src USING parquet AS SELECT id, id * 10 AS v FROM range(3)")
        for name in ("rules", "ext"):
            spark.sql(f"CREATE TABLE {name} USING parquet AS SELECT id FROM range(1, 2)")

    def local(self) -> None:
        src = self.spark.table("src")
        good = src.where("v > 15").localCheckpoint()
        bad = src.join(self.spark.table("rules"), "id", "left_semi").localCheckpoint()
        good.write.saveAsTable("local_good")
        bad.write.saveAsTable("local_bad")

    def reliable(self) -> None:
        src = self.spark.table("src")
        bad = src.join(self.spark.table("rules"), "id", "left_anti").checkpoint()
        good = src.where("v > 15").checkpoint()
        bad.write.saveAsTable("reliable_bad")
        good.write.saveAsTable("reliable_good")
        good.alias("a").join(good.alias("b"), "id").select("a.id").write.saveAsTable("with_itself")

    def loop(self) -> None:
        src = self.spark.table("src")
        parts = [
            src.join(self.spark.table(name), "id", "left_anti").localCheckpoint()
            for name in ("rules", "ext")
        ]
        for name, part in zip(("rules", "ext"), parts, strict=True):
            part.write.saveAsTable(f"without_{name}")

    def chain(self) -> None:
        first = self.spark.table("src").localCheckpoint()
        second = first.where("v > 1").localCheckpoint()
        third = first.join(self.spark.table("rules"), "id", "left_anti").localCheckpoint()
        first.write.saveAsTable("chain_first")
        second.write.saveAsTable("chain_second")
        third.write.saveAsTable("chain_third")

    def sorted_rows(self) -> None:
        """Make a checkpoint whose rows are computed by several stages."""
        src = self.spark.table("src")
        first = src.orderBy("v").localCheckpoint()
        second = src.join(self.spark.table("rules"), "id", "left_semi").orderBy("v")
        second = second.localCheckpoint()
        first.write.saveAsTable("sorted_first")
        second.write.saveAsTable("sorted_second")

    def lazy(self) -> None:
        """Read each lazy checkpoint before the next one is made."""
        frame = self.spark.table("src")
        for name in ("rules", "ext"):
            frame = frame.join(self.spark.table(name), "id", "left_anti")
            frame = frame.localCheckpoint(eager=False)
            frame.write.saveAsTable(f"lazy_without_{name}")

    def lazy_together(self) -> None:
        """Make two lazy checkpoints with the same column ids, which nothing distinguishes."""
        src = self.spark.table("src")
        first = src.where("v > 1").localCheckpoint(eager=False)
        second = src.join(self.spark.table("rules"), "id", "left_semi").localCheckpoint(eager=False)
        first.write.saveAsTable("lazy_first")
        second.write.saveAsTable("lazy_second")

    def lazy_of_rows(self) -> None:
        """Write rows of the driver after a lazy checkpoint with the same column ids."""
        rows = self.spark.createDataFrame([(1, 2)], "id bigint, v bigint")
        kept = rows.join(self.spark.table("rules"), "id", "left_semi")
        kept = kept.localCheckpoint(eager=False)
        rows.write.saveAsTable("of_rows")
        kept.write.saveAsTable("of_kept_rows")


def read_stream(cases: Cases, directory: str) -> None:
    """Make checkpoints of a micro-batch, which keep its column ids."""
    spark = cases.spark
    spark.table("src").write.parquet(f"{directory}/in")

    def write(batch: Any, number: int) -> None:
        dim = batch.sparkSession.table("rules")
        kept = batch.join(dim, "id", "left_semi").where("v > 1").localCheckpoint()
        kept.write.mode("append").parquet(f"{directory}/kept")
        later = batch.where("v > 2").localCheckpoint(eager=False)
        later.write.mode("append").parquet(f"{directory}/later")
        batch.write.mode("append").parquet(f"{directory}/whole")

    stream = spark.readStream.schema("id bigint, v bigint").parquet(f"{directory}/in")
    writer = stream.writeStream.foreachBatch(write).queryName("batches")
    writer.trigger(availableNow=True).start().awaitTermination()


def main(directory: str) -> None:
    builder = SparkSession.builder.appName("checkpoints").master("local[2]")
    builder = configure(builder, spool=f"{directory}/spool")
    spark = session(builder, directory)
    spark.sparkContext.setCheckpointDir(f"{directory}/checkpoints")
    cases = Cases(spark)
    for name in NAMES:
        spark.sparkContext.setJobGroup(name, name)
        getattr(cases, name)()
    read_stream(cases, directory)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
