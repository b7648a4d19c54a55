"""A Kafka broker: one process that is broker and controller, on free ports, from Kafka's jars."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
import uuid
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from support.services.jvm import free_ports, java, server
from support.spark.connector_packages import KAFKA_SERVER
from support.spark.releases import environment, site

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

PASSWORD = "hunter2"

# Spark downloads the packages; the settings of the application list the downloaded jars.
RESOLVE = """
import sys
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
spark = builder.config("spark.jars.packages", sys.argv[1]).getOrCreate()
print("\\n" + spark.sparkContext.getConf().get("spark.jars"))
spark.stop()
"""

PROPERTIES = """
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAIN://127.0.0.1:{plain},SASL://127.0.0.1:{sasl},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAIN://127.0.0.1:{plain},SASL://127.0.0.1:{sasl}
listener.security.protocol.map=PLAIN:PLAINTEXT,SASL:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAIN
sasl.enabled.mechanisms=PLAIN
listener.name.sasl.plain.sasl.jaas.config=\
org.apache.kafka.common.security.plain.PlainLoginModule required user_ann="{password}";
log.dirs={data}
num.partitions=1
offsets.topic.replication.factor=1
group.initial.rebalance.delay.ms=0
"""


@dataclass(frozen=True)
class Broker:
    """A running broker. ``sasl`` is its address that requires a password."""

    plain: str
    sasl: str


@contextmanager
def broker(directory: Path, classpath: str | None = None) -> Iterator[Broker]:
    """Run a broker with its files below ``directory``. ``classpath``: its jars, if they exist."""
    ports = dict(zip(("plain", "sasl", "controller"), free_ports(3), strict=True))
    properties = directory / "server.properties"
    data = directory / "data"
    properties.write_text(PROPERTIES.format(**ports, data=data, password=PASSWORD))
    command = [java(), "-Xmx512m", "-XX:+UseSerialGC"]
    command += ["-cp", classpath or _jars(directory)]
    # An id that begins with "-" would be read as an option.
    cluster = base64.urlsafe_b64encode(b"\0" + uuid.uuid4().bytes[1:])[:22].decode()
    storage = ["kafka.tools.StorageTool", "format", "-t", cluster, "-c", str(properties)]
    subprocess.run([*command, *storage], check=True, capture_output=True)
    with server([*command, "kafka.Kafka", str(properties)], ports["plain"], directory):
        yield Broker(f"127.0.0.1:{ports['plain']}", f"127.0.0.1:{ports['sasl']}")


def _jars(directory: Path) -> str:
    jars = download_jars(KAFKA_SERVER.packages, directory, environment(KAFKA_SERVER.spark))
    # Spark contains Scala, and therefore does not download it.
    scala = (site(KAFKA_SERVER.spark) / "pyspark" / "jars").glob("scala-library-*.jar")
    return os.pathsep.join([*jars, *map(str, scala)])


def download_jars(
    packages: Sequence[str], directory: Path, variables: Mapping[str, str]
) -> list[str]:
    """Return the jars of packages and their dependencies, except those that Spark contains."""
    done = subprocess.run(
        [sys.executable, "-c", RESOLVE, ",".join(packages)],
        cwd=directory,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return [jar.removeprefix("file://") for jar in done.stdout.splitlines()[-1].split(",")]
