"""Reads and writes topics in batches and streams: ``kafka.py DIRECTORY PLAIN SASL PASSWORD``."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession
from support.spark.connector_packages import KAFKA
from support.spark.session import session

from lineage.spark import configure

if TYPE_CHECKING:
    from collections.abc import Iterator

home, plain, sasl, password = sys.argv[1:]
builder = SparkSession.builder.appName("Topics").master("local[2]")
builder = configure(builder, spool=f"{home}/spool", namespace="tests")
spark = session(builder, home, KAFKA.settings)


@contextmanager
def case(name: str) -> Iterator[None]:
    spark.sparkContext.setJobGroup(name, name)
    yield


def topics(reader: Any, server: str = plain, **options: str) -> Any:
    return (
        reader.format("kafka")
        .option("kafka.bootstrap.servers", server)
        .option("startingOffsets", "earliest")
        .options(**options)
    )


def finish(writer: Any, name: str) -> None:
    writer = writer.option("checkpointLocation", f"{home}/checkpoints/{name}").queryName(name)
    writer.trigger(availableNow=True).start().awaitTermination()


def to_topic(writer: Any, topic: str | None = None, server: str = plain) -> Any:
    writer = writer.format("kafka").option("kafka.bootstrap.servers", server)
    return writer.option("topic", topic) if topic else writer


people = spark.sql("SELECT * FROM VALUES ('1', 'ann'), ('2', 'bob') AS t(key, value)")
people.write.parquet(f"{home}/people")
people = spark.read.schema("key string, value string").parquet(f"{home}/people")

with case("write"):
    to_topic(people.selectExpr("key", "upper(value) AS value").write, "people").save()
with case("write, each row where it says"):
    to_topic(people.selectExpr("concat('orders', key) AS topic", "value").write).save()
with case("write where a literal says"):
    to_topic(people.selectExpr("'orders1' AS topic", "value").filter("value > ''").write).save()
with case("write where two literals say"):
    first = people.selectExpr("'orders1' AS topic", "value")
    second = people.selectExpr("value", "'orders2' AS topic")
    to_topic(first.unionByName(second).write).save()
with case("read a list"):
    read = topics(spark.read, subscribe="people,orders1").load()
    read.selectExpr("CAST(value AS string) AS name").write.parquet(f"{home}/listed")
with case("read partitions"):
    topics(spark.read, assign='{"people":[0]}').load().select("value").write.parquet(
        f"{home}/assigned"
    )
with case("read a pattern"):
    topics(spark.read, subscribePattern="orders.*").load().select("value").write.parquet(
        f"{home}/matched"
    )
with case("create a table over topics"):
    given = f"'kafka.bootstrap.servers' '{plain}', subscribe 'people'"
    spark.sql(f"CREATE TABLE logs USING kafka OPTIONS ({given})")
with case("read a table"):
    spark.sql("SELECT value FROM logs").collect()
spark.conf.set("spark.sql.sources.useV1SourceList", "")
with case("read by the second API"):
    topics(spark.read, subscribe="people").load().select("value").collect()
with case("write by the second API"):
    to_topic(people.select("value").write, "spare").mode("append").save()
spark.conf.unset("spark.sql.sources.useV1SourceList")
with case("several servers"):
    servers = f"{plain},localhost:{plain.rpartition(':')[2]}"
    topics(spark.read, servers, subscribe="people").load().count()
with case("behind a password"):
    login = (
        "org.apache.kafka.common.security.plain.PlainLoginModule required"
        f' username="ann" password="{password}";'
    )
    secured = {
        "kafka.security.protocol": "SASL_PLAINTEXT",
        "kafka.sasl.mechanism": "PLAIN",
        "kafka.sasl.jaas.config": login,
    }
    topics(spark.read, sasl, subscribe="people", **secured).load().count()
    finish(
        to_topic(topics(spark.readStream, sasl, subscribe="people", **secured).load()
                 .select("value").writeStream, "guarded", sasl).options(**secured),
        "secured",
    )  # fmt: skip

stream = topics(spark.readStream, subscribe="people").load()
names = stream.selectExpr("CAST(value AS string) AS name")
finish(names.writeStream.format("parquet").option("path", f"{home}/names"), "to files")
files = spark.readStream.schema("key string, value string").parquet(f"{home}/people")
finish(to_topic(files.writeStream, "copies"), "to a topic")
finish(
    to_topic(files.selectExpr("'orders1' AS topic", "value").writeStream), "where a literal says"
)
finish(
    to_topic(files.selectExpr("concat('orders', key) AS topic", "value").writeStream), "to topics"
)
matching = topics(spark.readStream, subscribePattern="orders[12]").load()
finish(to_topic(matching.select("value").writeStream, "gathered"), "by pattern")


def each_batch(batch: Any, number: int) -> None:
    to_topic(batch.selectExpr("name AS value").write, "from_batches").save()
    batch.write.mode("append").saveAsTable("kept")


finish(names.writeStream.foreachBatch(each_batch), "in batches")
spark.stop()
