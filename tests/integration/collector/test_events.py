"""Events over HTTP: stored before the response, projected afterwards; invalid ones reported."""

from __future__ import annotations

import gzip
import re
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from typing import TYPE_CHECKING

import psycopg
import pytest
import requests
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent
from openlineage.client.transport.http import HttpConfig, HttpTransport
from support.events.builders import run_event
from support.fixtures.collectors import count_logged

from lineage.ingest.writer import write_events
from lineage.projection.rebuild import graph_fingerprint
from lineage.query import Graph

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conftest import Process
    from support.fixtures.collectors import Collector
    from support.fixtures.database import Server

LINEAGE = "/api/v1/lineage"
BATCH = "/api/v1/lineage/batch"
GOOD = [
    run_event("r1", "START", 0, reads=("a",), writes=("b",)),
    run_event("r1", "COMPLETE", 1),
    run_event("r2", "COMPLETE", 2, "next", reads=("b",), writes=("c",)),
]

MANY = [
    run_event(f"r{n}", kind, 2 * n + second, f"j{n % 3}", (f"t{n % 5}",), (f"t{n % 5 + 1}",))
    for n in range(20)
    for second, kind in enumerate(("START", "COMPLETE"))
]


def upstream(collector: Collector, name: str) -> set[str]:
    collector.drawn().close()
    with Graph(collector.dsn) as graph:
        return {dataset.name for dataset in graph.upstream(name).datasets}


def array(*events: str) -> str:
    return f"[{','.join(events)}]"


def test_an_event_is_on_disk_before_the_answer(collector: Collector) -> None:
    answer = collector.post(LINEAGE, GOOD[0])
    assert (answer.status_code, answer.content) == (201, b"")
    assert count_logged(collector.dsn) == 1


def test_posted_events_can_be_queried(collector: Collector) -> None:
    for event in GOOD:
        collector.post(LINEAGE, event)
    assert upstream(collector, "c") == {"a", "b"}


def test_a_resend_is_the_same_event(collector: Collector) -> None:
    assert [collector.post(LINEAGE, GOOD[0]).status_code for _ in range(3)] == [201] * 3
    assert count_logged(collector.dsn) == 1


def test_a_batch_reports_all_that_went_in(collector: Collector) -> None:
    answer = collector.post(BATCH, array(*GOOD))
    assert answer.status_code == 200
    assert answer.json() == {
        "status": "success",
        "summary": {
            "received": 3, "successful": 3, "failed": 0, "retriable": 0, "non_retriable": 0,
        },
        "failed_events": [],
    }  # fmt: skip
    assert upstream(collector, "c") == {"a", "b"}


def test_the_good_events_of_a_batch_go_in_and_the_bad_are_reported(collector: Collector) -> None:
    answer = collector.post(BATCH, array(GOOD[0], '{"eventTime": 7}', GOOD[2])).json()
    assert (answer["status"], answer["summary"]["failed"]) == ("partial_success", 1)
    assert answer["failed_events"] == [
        {"index": 1, "reason": "eventTime: Expected `str`, got `int`.", "retriable": False}
    ]
    assert upstream(collector, "c") == {"b"} | {"a"}


def test_gzip_is_unpacked(collector: Collector) -> None:
    packed = gzip.compress(array(*GOOD).encode())
    answer = collector.post(BATCH, packed, **{"Content-Encoding": "gzip"})
    assert answer.json()["summary"]["successful"] == 3


REFUSED: dict[str, tuple[str, bytes, dict[str, str], int, str]] = {
    "no JSON": (LINEAGE, b"{", {}, 400, "not JSON"),
    "no event": (LINEAGE, b'{"eventTime": null}', {}, 400, "eventTime: Expected `str`"),
    "no array": (BATCH, b"{}", {}, 400, "not a JSON array"),
    "deep": (BATCH, b"[" * 100_000, {}, 400, "nested too deeply|not a JSON array"),
    "no gzip": (LINEAGE, b"{}", {"Content-Encoding": "gzip"}, 400, "not valid gzip"),
    "half a gzip": (
        LINEAGE, gzip.compress(b"x" * 99)[:-9], {"Content-Encoding": "gzip"}, 400, "too early",
    ),
    "a bomb": (
        LINEAGE, gzip.compress(b"[" * (40 << 20)), {"Content-Encoding": "gzip"}, 413, "32 MiB",
    ),
    "too large": (LINEAGE, b"x" * (33 << 20), {}, 413, "32 MiB"),
    "packed otherwise": (LINEAGE, b"{}", {"Content-Encoding": "br"}, 415, "'br' is not supported"),
    "another path": ("/api/v2/lineage", b"{}", {}, 404, "This path does not exist"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("path", "body", "headers", "status", "said"), REFUSED.values(), ids=REFUSED
)
def test_invalid_events_are_rejected_with_the_reason(
    collector: Collector, path: str, body: bytes, headers: dict[str, str], status: int, said: str
) -> None:
    answer = collector.post(path, body, **headers)
    assert answer.status_code == status
    assert re.search(said, answer.json()["error"]["message"])
    assert count_logged(collector.dsn) == 0


def test_the_path_of_single_events_takes_no_other_method(collector: Collector) -> None:
    answer = requests.put(collector.url + LINEAGE, data=GOOD[0], timeout=60)
    assert answer.status_code == 405
    message = "This path does not support the method of the request."
    assert answer.json() == {"error": {"message": message}}
    assert requests.get(collector.url + LINEAGE, timeout=60).status_code == 400  # no nodeId


def posted_at_once(collectors: Sequence[Collector], events: Sequence[str]) -> None:
    """Post all events to the collectors in turn, and each again to the next collector."""
    turns = [*zip(cycle(collectors), events), *zip(cycle(collectors[::-1]), events)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda turn: turn[0].post(LINEAGE, turn[1]), turns))
    assert {answer.status_code for answer in answers} == {201}


@pytest.fixture
def of_one_after_the_other(server: Server, database: Callable[[str], str]) -> str:
    """Return the graph of MANY, written sequentially."""
    with psycopg.connect(database(server.migrated()), autocommit=True) as conn:
        write_events(conn, MANY)
        return graph_fingerprint(conn)


def test_many_at_once_give_the_graph_of_one_after_the_other(
    collector: Collector, of_one_after_the_other: str
) -> None:
    posted_at_once([collector], MANY)
    with collector.drawn() as conn:
        assert graph_fingerprint(conn) == of_one_after_the_other


def test_several_collectors_over_one_database_give_the_same_graph(
    process: Process, other_process: Process, of_one_after_the_other: str
) -> None:
    posted_at_once([process, other_process], MANY)
    with process.drawn() as conn:
        assert graph_fingerprint(conn) == of_one_after_the_other
    assert count_logged(process.dsn) == len(MANY)


def test_a_client_of_openlineage_is_served(collector: Collector) -> None:
    config = HttpConfig.from_dict({"url": collector.url})
    client = OpenLineageClient(transport=HttpTransport(config))
    run = Run(runId="01990000-0000-7000-8000-000000000001")
    job = Job(namespace="etl", name="client")
    source, target = InputDataset("s3://lake", "a"), OutputDataset("s3://lake", "c")
    client.emit(
        RunEvent(
            eventTime="2026-01-01T00:00:00Z",
            producer="test",
            run=run,
            job=job,
            inputs=[source],
            outputs=[target],
        )
    )
    assert upstream(collector, "c") == {"a"}
