"""A real worker of Kafka Connect: what its REST interface reports, imported and queried."""

from __future__ import annotations

import itertools
import subprocess
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import requests
from click.testing import CliRunner
from lineage_cli import main
from support.services.jvm import java
from support.services.kafka_connect import Worker, connect_worker

from lineage.platforms.kafka_connect import Connector, read_connect_cluster
from lineage.platforms.rest import RestClient
from lineage.platforms.topic_routes import read_route
from lineage.query import Graph

if TYPE_CHECKING:
    from collections.abc import Iterator

JOBS = Path(__file__).parent / "jobs"
FILE = "org.apache.kafka.connect.file.FileStream"
ROUTER = "org.apache.kafka.connect.transforms.RegexRouter"


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("connect")


@pytest.fixture(scope="module")
def worker(directory: Path) -> Iterator[Worker]:
    """Run a worker that copies a file through a topic into two files."""
    (directory / "in.txt").write_text("first\nsecond\n")
    with connect_worker(directory) as worker:
        route = {
            "transforms": "route",
            "transforms.route.type": ROUTER,
            "transforms.route.regex": "(.*)",
        }
        create(worker, "read lines", f"{FILE}SourceConnector", file=f"{directory}/in.txt",
               topic="lines", **route, **{"transforms.route.replacement": "shop.$1"})  # fmt: skip
        create(worker, "write", f"{FILE}SinkConnector", file=f"{directory}/out.txt",
               topics="shop.lines")  # fmt: skip
        create(worker, "write/routed", f"{FILE}SinkConnector", file=f"{directory}/routed.txt",
               **{"topics.regex": r"shop\..*", "consumer.override.metadata.max.age.ms": "500"},
               **route, **{"transforms.route.replacement": "other.$1"})  # fmt: skip
        for name in ("out.txt", "routed.txt"):
            wait_for_text(directory / name, "first\nsecond\n")
        yield worker


def create(worker: Worker, name: str, kind: str, **config: str) -> None:
    body: dict[str, Any] = {"name": name, "config": {"connector.class": kind, **config}}
    response = requests.post(f"{worker.url}/connectors", json=body, timeout=60)
    assert response.status_code == 201, response.text


def wait_for_text(file: Path, text: str) -> None:
    pause = threading.Event()
    for _ in range(1200):
        if file.exists() and file.read_text() == text:
            return
        pause.wait(0.1)
    raise AssertionError(f"{file} does not contain {text!r}")


def test_a_worker_reports_connectors_and_their_active_topics(worker: Worker) -> None:
    cluster = read_connect_cluster(RestClient(worker.url))
    assert cluster.unreadable == ()
    assert len(cluster.kafka_cluster_id or "") == 22
    reported = {
        each.name: (each.direction, each.state, each.active_topics) for each in cluster.connectors
    }
    assert reported == {
        # Of a source the topic after its transforms, and of a sink the one before.
        "read lines": ("source", "RUNNING", ("shop.lines",)),
        "write": ("sink", "RUNNING", ("shop.lines",)),
        "write/routed": ("sink", "RUNNING", ("shop.lines",)),
    }


def test_a_trace_goes_from_file_to_file(worker: Worker, directory: Path, dsn: str) -> None:
    words = ["import", "kafka", "--connect", worker.url, "--servers", worker.servers]
    done = CliRunner().invoke(main, [*words, "--dsn", dsn])
    assert (done.exit_code, done.output) == (0, "7 nodes, 6 edges.\n")
    topic = f"kafka://{worker.servers}/shop.lines"
    with Graph(dsn) as graph:
        for name in ("out.txt", "routed.txt"):
            trace = graph.upstream(f"file:{directory}/{name}")
            edges = [(each.source.full_name, each.target.full_name) for each in trace.edges]
            assert edges == [
                (topic, f"file:{directory}/{name}"),
                (f"file:{directory}/in.txt", topic),
            ]


def test_topics_are_routed_as_the_router_of_kafka_does(worker: Worker, directory: Path) -> None:
    """An expression is understood as Java understands it, or not at all."""
    patterns = [
        "(.*)", r"(.*)\.(.*)", r"([^.]+)\.([^.]+)\.(.*)", "shop.(lines|orders)", "(a)?(.*)", "a*+b",
        r"(\w+)-(\d+)", "(?i)SHOP(.*)", "(?:shop)\\.(.*)", "(?<name>.*)", "[a-z&&[^b]]+", "a{2,}+",
        r"\p{Alpha}+(.*)", r"\Qshop.\E(.*)", "(.*)$", "^(.*)", "(", r"(\d)\1", "(?=shop)(.*)", "",
        "(.)(.)(.)(.)(.)(.)(.)(.)(.)(.)", r"(shop)\.(?:lines|(orders))", r"[\w.]+", "(?s)(.*)",
    ]  # fmt: skip
    replacements = ["$1", "$2_$1", "x", r"\$1", "$0", "$9", "${name}", "a\\\\b", "$1$", "$12", "\\"]
    topics = ["shop.lines", "pg.public.orders", "a", "aab", "SHOP.x", "orders-12", "abcdefghij",
              "Straße-1"]  # fmt: skip
    cases = list(itertools.product(patterns, replacements, topics))
    done = subprocess.run(
        [java(), "-cp", worker.classpath, str(JOBS / "Route.java")],
        input="".join("\t".join(case) + "\n" for case in cases),
        capture_output=True,
        text=True,
        check=True,
    )
    answers = done.stdout.splitlines()
    assert len(answers) == len(cases)
    understood, wrong = 0, []
    for (pattern, replacement, topic), answer in zip(cases, answers, strict=True):
        config = {
            "transforms": "r", "transforms.r.type": ROUTER,
            "transforms.r.regex": pattern, "transforms.r.replacement": replacement,
        }  # fmt: skip
        route = read_route(Connector("c", "sink", config, None, None))
        if route is not None:
            understood += 1
            if route(topic) != answer:
                wrong.append((pattern, replacement, topic, route(topic), answer))
    assert wrong == []
    assert understood > 300
