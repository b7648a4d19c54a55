"""Jobs with wrong lineage in other listeners, by their numbers: ``weaknesses.py DIRECTORY``."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Any

from pyspark import InheritableThread
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from support.spark.session import session

from lineage.spark import configure

if TYPE_CHECKING:
    from collections.abc import Callable


class Jobs:
    """The jobs, one per method; its name contains the number."""

    def __init__(self, spark: Any, directory: str) -> None:
        self.spark = spark
        self.lake = f"{directory}/lake"

    def files(self, name: str) -> Any:
        return self.spark.read.parquet(f"{self.lake}/{name}")

    def save(self, frame: Any, name: str) -> None:
        frame.write.parquet(f"{self.lake}/{name}")

    def ctas(self, name: str, query: str) -> None:
        self.spark.sql(f"CREATE TABLE {name} USING parquet AS {query}")

    def n00_prepare(self) -> None:
        rows = self.spark.range(9).selectExpr("id", "id % 3 AS kind", "concat('n', id) AS name")
        self.save(rows, "people")
        rows.write.partitionBy("kind").parquet(f"{self.lake}/parts")
        self.ctas("people", f"SELECT * FROM parquet.`{self.lake}/people`")
        self.ctas("kinds", "SELECT kind, count(*) AS n FROM people GROUP BY kind")
        rows.selectExpr("id", "name").write.csv(f"{self.lake}/csv", header=True)

    def n02_fails_in_a_late_stage(self) -> None:
        people = self.files("people")
        counts = people.repartition(2).groupBy("kind").count()
        joined = people.join(counts, "kind").orderBy("id")
        with contextlib.suppress(Exception):
            failing = F.expr("CAST(raise_error(name) AS STRING) AS x")
            self.save(joined.select(failing), "late")

    def n03_fails_before_a_job(self) -> None:
        with contextlib.suppress(Exception):
            self.save(self.files("people"), "people")

    def n04_quick_ones(self) -> None:
        for at in range(10):
            self.spark.sql(f"CREATE TABLE quick_{at} (id INT) USING parquet")

    def n06_infers_a_schema(self) -> None:
        self.spark.read.csv(f"{self.lake}/csv", header=True, inferSchema=True).collect()

    def n07_an_rdd_alone(self) -> None:
        self.spark.sparkContext.parallelize([1, 2]).map(str).count()

    def n21_subqueries_that_stand_alone(self) -> None:
        self.ctas(
            "c21",
            "SELECT id, (SELECT max(n) FROM kinds) AS m FROM people"
            " WHERE kind IN (SELECT kind FROM kinds)",
        )

    def n22_what_the_optimizer_drops(self) -> None:
        self.ctas(
            "c22",
            "SELECT p.id FROM people p LEFT JOIN (SELECT DISTINCT kind FROM kinds) k"
            " ON p.kind = k.kind WHERE 1 = 0",
        )

    def n23_functions_and_expand(self) -> None:
        text = F.udf(lambda value: f"<{value}>")
        grouped = self.spark.table("people").rollup("kind")
        counted = grouped.agg(F.countDistinct("id").alias("a"), F.countDistinct("name").alias("b"))
        self.save(counted.select(text("kind").alias("t"), "a", "b"), "c23")

    def n24_a_cache_that_is_gone(self) -> None:
        cached = self.spark.table("people").selectExpr("upper(name) AS u").cache()
        grown = cached.select("u")
        cached.unpersist()
        self.save(grown, "c24")

    def n25_a_checkpoint(self) -> None:
        people = self.spark.table("people").selectExpr("id + 1 AS i").localCheckpoint()
        self.save(people, "c25")

    def n29_window_over_a_join_and_a_subquery(self) -> None:
        self.spark.sparkContext.setLogLevel("ERROR")
        joined = self.spark.sql(
            "SELECT name, r FROM (SELECT p.name, row_number() OVER (PARTITION BY p.kind ORDER BY"
            " k.n) AS r FROM people p JOIN kinds k ON p.kind = k.kind) WHERE r < 3"
        )
        joined.write.saveAsTable("c29")

    def n30_joined_filtered_and_grouped(self) -> None:
        self.ctas(
            "c30",
            "SELECT p.kind, max(p.id) AS a, max(p.name) AS b FROM people p JOIN kinds k"
            " ON p.kind = k.kind WHERE k.n > 0 GROUP BY p.kind",
        )

    def n31_partitions_and_globs(self) -> None:
        parts = [self.files("parts/kind=0"), self.files("parts/kind=1"), self.files("part*/k*=2")]
        self.save(parts[0].union(parts[1]).union(parts[2]), "c31")

    def n32_two_threads(self) -> None:
        def work(rows: int) -> None:
            self.save(self.files("people").limit(rows), f"c32_{rows}")

        threads = [InheritableThread(target=work, args=(rows,)) for rows in (2, 5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def n36_many_jobs_in_one(self) -> None:
        people = self.files("people")
        ordered = people.join(people.groupBy("kind").count(), "kind").orderBy("id")
        self.save(ordered.repartition(2), "c36")

    def n37_only_a_projection(self) -> None:
        self.files("people").select("id").collect()

    def n37_with_adaptive_execution_off(self) -> None:
        people = self.files("people")
        for enabled in ("true", "false"):
            self.spark.conf.set("spark.sql.adaptive.enabled", enabled)
            grouped = people.groupBy("kind").count()
            grouped.write.mode("overwrite").parquet(f"{self.lake}/c37")

    def n38_says_what_the_ui_says(self) -> None:
        self.spark.sparkContext.setJobDescription("n38_nightly report")
        self.save(self.files("people"), "c38")


def jobs(of: Jobs) -> list[tuple[str, Callable[[], None]]]:
    names = [name for name in vars(Jobs) if name.startswith("n") and name[1:3].isdigit()]
    return [(name, getattr(of, name)) for name in names]


def main(directory: str) -> None:
    builder = SparkSession.builder.appName("Weaknesses").master("local[2]")
    builder = configure(builder, spool=f"{directory}/spool", namespace="tests")
    spark = session(builder, directory, {"spark.sql.adaptive.enabled": "true"})
    for name, job in jobs(Jobs(spark, directory)):
        spark.sparkContext.setJobGroup(name, name)
        job()
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1])
