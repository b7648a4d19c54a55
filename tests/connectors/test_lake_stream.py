"""The events of a topic of a real broker, in lake and graph."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support.events.builders import run_event
from support.services.kafka import PASSWORD, Broker, broker
from support.spark.connector_packages import KAFKA
from support.spark.releases import environment

from lineage.eventlog import archived
from lineage.query import Graph

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psycopg

JOBS = Path(__file__).parent / "jobs"
LINEAGE = Path(sys.executable).with_name("lineage")


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    with broker(tmp_path_factory.mktemp("broker")) as running:
        yield running


@dataclass(frozen=True)
class Stream:
    """The commands that write to a topic and stream it into a lake."""

    kafka: Broker
    topic: str
    directory: Path
    variables: dict[str, str]

    def run_job(self, job: str) -> None:
        command = [sys.executable, str(JOBS / job), self.directory, self.kafka.plain, self.topic]
        subprocess.run(list(map(str, command)), env=self.variables, check=True, timeout=600)

    def write(self, lines: list[str]) -> None:
        (self.directory / "events.jsonl").write_text("\n".join(lines))
        self.run_job("events.py")

    def run(self, checkpoint: str, *options: str) -> subprocess.CompletedProcess[str]:
        stream = [
            str(LINEAGE), "lake", "stream", str(self.directory / "lake"), "--topic", self.topic,
            "--checkpoint", str(self.directory / checkpoint), "--available-now", *options,
        ]  # fmt: skip
        return subprocess.run(
            stream, env=self.variables, timeout=600, capture_output=True, text=True
        )


@pytest.fixture
def stream(kafka: Broker, dsn: str, tmp_path: Path) -> Stream:
    variables = {
        **os.environ, **environment(KAFKA.spark), "LINEAGE_DSN": dsn,
        "PYSPARK_SUBMIT_ARGS": f"--packages {KAFKA.packages[0]} pyspark-shell",
    }  # fmt: skip
    return Stream(kafka, tmp_path.name, tmp_path, variables)


def chain_of_tables(length: int) -> list[str]:
    return [
        run_event(f"r{n}", "COMPLETE", n, f"job{n % 3}", (f"t{n}",), (f"t{n + 1}",))
        for n in range(length)
    ]


def test_events_of_a_topic_reach_lake_and_graph_once(
    stream: Stream, conn: psycopg.Connection[Any], dsn: str
) -> None:
    events = chain_of_tables(25)
    config = stream.directory / "consumer.properties"
    config.write_text(
        "# as for Kafka's own tools\n"
        "security.protocol = SASL_PLAINTEXT\nsasl.mechanism: PLAIN\nbootstrap.servers=none:1\n"
        "sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \\\n"
        f'    username="ann" password="{PASSWORD}";\n'
    )
    options = ["--servers", stream.kafka.sasl, "--consumer-config", str(config)]

    def write_and_stream(lines: list[str], checkpoint: str) -> None:
        stream.write(lines)
        done = stream.run(checkpoint, *options, "--events-per-batch", "10")
        assert done.returncode == 0, done.stderr[-3000:]
        assert "Rejected records: 1 of " in done.stderr

    write_and_stream(events[:15], "first")
    write_and_stream(events[10:], "first")
    assert sum(file.events for file in archived.archived_files(conn)) == 25
    write_and_stream(events[:1], "lost")
    assert sum(file.events for file in archived.archived_files(conn)) == 25
    with Graph(dsn) as graph:
        assert len(graph.upstream("t25").datasets) == 25


def test_records_that_were_deleted_before_they_were_read_are_an_error(
    stream: Stream, conn: psycopg.Connection[Any]
) -> None:
    """The message says how to go on, with the records that are there."""
    options = ["--servers", stream.kafka.plain]
    missing = stream.run("missing", *options)
    assert missing.returncode == 2
    assert missing.stderr.splitlines()[-1].endswith(
        "UnknownTopicOrPartitionException: This server does not host this topic-partition."
        " Check the name of the topic, or create it."
    )
    events = chain_of_tables(8)
    stream.write(events[:5])
    assert stream.run("checkpoint", *options).returncode == 0
    stream.run_job("delete_topic.py")
    stream.write(events[6:])
    lost = stream.run("checkpoint", *options)
    assert lost.returncode == 2
    assert "Delete the checkpoint and run the command again" in lost.stderr.splitlines()[-1]
    assert stream.run("new", *options).returncode == 0
    assert sum(file.events for file in archived.archived_files(conn)) == 7
