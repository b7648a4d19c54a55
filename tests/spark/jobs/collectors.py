"""Applications in one JVM, each with a collector of another behaviour; exits during a flush.

Arguments: home, URL of the collector, URL of an unreachable one, spool of a killed driver.
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from urllib.request import urlopen

from pyspark.sql import SparkSession
from support.services.polling import wait_until

home, left_spool = Path(sys.argv[1]), Path(sys.argv[4])
collector, down = sys.argv[2:4]


def application(name: str, **settings: str) -> SparkSession:
    builder = SparkSession.builder.appName(name)
    ours = {"spool": f"{home}/{name}", "url": f"{collector}/{name}", "flushTimeout": "60s"}
    for key, value in {**ours, **settings}.items():
        builder = builder.config(key if key.startswith("spark.") else f"spark.lineage.{key}", value)
    return builder.getOrCreate()


def write(spark: SparkSession, *descriptions: str) -> None:
    for description in descriptions:
        spark.sparkContext.setJobDescription(description)
        spark.range(1).coalesce(1).write.format("noop").mode("overwrite").save()


def wait_until_came(name: str, requests: int) -> None:
    urlopen(f"{collector}/{name}/came/{requests}").close()


def fails(name: str, **settings: str) -> None:
    """Run an application whose collector accepts no request from the second one on."""
    spark = application(name, **settings)
    write(spark, "one")
    wait_until_came(name, 1)
    write(spark, "two")
    wait_until_came(name, 3)  # then the listener has noticed the failure of the second
    spark.stop()


spark = application("accepts", token="of-the-setting")
write(spark, "one", "two")
wait_until_came("accepts", 1)
write(spark, "three")
spark.stop()

spark = application("is-down", url=down, spool=str(left_spool), flushTimeout="1s")
write(spark, "one")
spark.stop()

spark = application("is-full", url=f"{down}/full", flushTimeout="1s", **{"unsent.maxBytes": "1"})
unsent = home / "is-full" / "unsent"
wait_until(lambda: any("application_start" in f.read_text() for f in unsent.glob("*.jsonl")))
write(spark, "one", "two")
spark.stop()

spark = application("has-room-again", **{"unsent.maxBytes": "1"})
wait_until_came("has-room-again", 1)
write(spark, "one")
wait_until_came("has-room-again", 2)
unsent = home / "has-room-again" / "unsent"
wait_until(lambda: not list(unsent.glob("*.jsonl")))
write(spark, "two", "two", "two")
spark.stop()

openlineage = {
    "spark.openlineage.transport.type": "http",
    "spark.openlineage.transport.url": f"{collector}/moved",
    "spark.openlineage.transport.endpoint": "/gateway/v1/lineage",
    "spark.openlineage.transport.auth.apiKey": "of-openlineage",
}
spark = application("moved", url="", spool=str(left_spool), **openlineage)
write(spark, "one")
wait_until(lambda: not list(left_spool.glob("unsent/*.jsonl")))
spark.stop()

spark = application("recovers")
write(spark, "one")
wait_until_came("recovers", 3)
write(spark, "two")
spark.stop()

fails("dies")
fails("drips", requestTimeout="200ms")
(home / "token").write_text("of-the-file\n")
fails("knows-no-token", tokenFile=f"{home}/token")
fails("is-no-collector")

spark = application("hangs", flushTimeout="1s")
write(spark, "one", "two")
spark.stop()

spark = application("is-picky")
write(spark, "one", "poison", "three")
spark.stop()

(home / "blocked").touch()
spark = application("has-no-disk", spool=f"{home}/blocked/spool")
write(spark, "one")
spark.stop()

spark = application("bad-url", url="https://admin:hunter2@host")
write(spark, "one")
spark.stop()

spark = application("exits", flushTimeout="600s")
write(spark, "one", "two")
threading.Thread(target=spark.stop, daemon=True).start()
unsent = home / "exits" / "unsent"
wait_until(lambda: any("application_end" in f.read_text() for f in unsent.glob("*.jsonl")))
sys.exit(3)
