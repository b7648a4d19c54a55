"""A worker of Kafka Connect with its broker, from jars that the installed Spark downloads."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
import requests

from support.services.jvm import free_ports, java, server
from support.services.kafka import broker, download_jars

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGES = (
    "org.apache.kafka:kafka_2.13:3.9.1",
    "org.apache.kafka:connect-runtime:3.9.1",
    "org.apache.kafka:connect-file:3.9.1",
)
PROPERTIES = """
bootstrap.servers={servers}
listeners=http://127.0.0.1:{port}
key.converter=org.apache.kafka.connect.storage.StringConverter
value.converter=org.apache.kafka.connect.storage.StringConverter
offset.storage.file.filename={directory}/offsets
offset.flush.interval.ms=500
"""


@dataclass(frozen=True)
class Worker:
    """A running worker. ``url``: its REST interface; ``servers``: the broker."""

    url: str
    servers: str
    classpath: str


def read_classpath(directory: Path) -> str:
    """Return the jars of broker and worker. Scala is that of Spark."""
    jars = download_jars(PACKAGES, directory, {})
    scala = Path(pyspark.__file__).parent.glob("jars/scala-library-*.jar")
    return os.pathsep.join([*jars, *map(str, scala)])


@contextmanager
def connect_worker(directory: Path) -> Iterator[Worker]:
    """Run a worker and its broker with their files below ``directory``."""
    classpath = read_classpath(directory)
    [port] = free_ports(1)
    (directory / "broker").mkdir()
    with broker(directory / "broker", classpath) as kafka:
        properties = directory / "worker.properties"
        text = PROPERTIES.format(servers=kafka.plain, port=port, directory=directory)
        properties.write_text(text)
        main = "org.apache.kafka.connect.cli.ConnectStandalone"
        options = ["-Xmx512m", "-XX:+UseSerialGC", "-cp", classpath, main]
        with server([java(), *options, str(properties)], port, directory):
            _wait_for_resources(f"http://127.0.0.1:{port}/connectors")
            yield Worker(f"http://127.0.0.1:{port}", kafka.plain, classpath)


def _wait_for_resources(url: str) -> None:
    """Wait for a path that answers 404 until the worker has started."""
    pause = threading.Event()
    for _ in range(1200):
        if requests.get(url, timeout=60).status_code == 200:
            return
        pause.wait(0.1)
    raise AssertionError(f"{url} does not answer")
