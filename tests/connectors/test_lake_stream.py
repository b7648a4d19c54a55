"""The events of a topic of a real broker, in lake and graph."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.events.builders import run_event
from support.services.kafka import PASSWORD, broker
from support.spark.connector_packages import KAFKA
from support.spark.releases import environment

from lineage.eventlog import archived
from lineage.query import Graph

if TYPE_CHECKING:
    import psycopg

JOB = Path(__file__).parent / "jobs" / "events.py"
LINEAGE = Path(sys.executable).with_name("lineage")


def test_events_of_a_topic_reach_lake_and_graph_once(
    conn: psycopg.Connection[Any], dsn: str, tmp_path: Path
) -> None:
    variables = {
        **os.environ, **environment(KAFKA.spark), "LINEAGE_DSN": dsn,
        "PYSPARK_SUBMIT_ARGS": f"--packages {KAFKA.packages[0]} pyspark-shell",
    }  # fmt: skip
    events = [
        run_event(f"r{n}", "COMPLETE", n, f"job{n % 3}", (f"t{n}",), (f"t{n + 1}",))
        for n in range(25)
    ]
    (tmp_path / "broker").mkdir()
    config = tmp_path / "consumer.properties"
    config.write_text(
        "# as for Kafka's own tools\n"
        "security.protocol = SASL_PLAINTEXT\nsasl.mechanism: PLAIN\nbootstrap.servers=none:1\n"
        "sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \\\n"
        f'    username="ann" password="{PASSWORD}";\n'
    )
    with broker(tmp_path / "broker") as kafka:
        stream = [
            str(LINEAGE), "lake", "stream", str(tmp_path / "lake"), "--servers", kafka.sasl,
            "--consumer-config", str(config),
            "--topic", "openlineage", "--events-per-batch", "10", "--available-now",
        ]  # fmt: skip

        def write_and_stream(lines: list[str], checkpoint: str) -> None:
            (tmp_path / "events.jsonl").write_text("\n".join(lines))
            write = [sys.executable, str(JOB), str(tmp_path), kafka.plain, "openlineage"]
            subprocess.run(write, env=variables, check=True, timeout=600)
            done = subprocess.run(
                [*stream, "--checkpoint", str(tmp_path / checkpoint)],
                env=variables, check=True, timeout=600, stderr=subprocess.PIPE, text=True,
            )  # fmt: skip
            assert "Rejected records: 1 of " in done.stderr

        write_and_stream(events[:15], "first")
        write_and_stream(events[10:], "first")
        assert sum(file.events for file in archived.archived_files(conn)) == 25
        write_and_stream(events[:1], "lost")
    assert sum(file.events for file in archived.archived_files(conn)) == 25
    with Graph(dsn) as graph:
        assert len(graph.upstream("t25").datasets) == 25
