"""Plan documents over HTTP, as docs/reference/collector-request.md specifies them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from click.testing import CliRunner
from lineage_cli import main

from lineage.query import Graph

if TYPE_CHECKING:
    import requests
    from support.fixtures.collectors import Collector

PLANS = "/api/v1/plan-documents"
SPOOL = (Path(__file__).parents[2] / "golden/spools/batch.jsonl").read_bytes()
LINES = SPOOL.splitlines(keepends=True)
NEWER = b'{"lineage": 9, "kind": "x", "time": 1, "app": {"run": "r", "namespace": "default"}}\n'


def send(collector: Collector, body: bytes, **headers: str) -> requests.Response:
    """Send lines in the request of the listener."""
    sent = {"Content-Type": "application/x-ndjson", "Content-Encoding": "gzip", **headers}
    return collector.post(PLANS, gzip.compress(body), **sent)


def documents(collector: Collector) -> int:
    with psycopg.connect(collector.dsn) as conn:
        return int(conn.execute("SELECT count(*) FROM lineage.plan_document").fetchall()[0][0])


def test_documents_are_stored_before_the_response(collector: Collector) -> None:
    answer = send(collector, SPOOL)
    assert (answer.status_code, answer.json()) == (200, {"accepted": len(LINES)})
    assert documents(collector) == len(LINES)


def test_the_lineage_of_a_job_can_be_queried(collector: Collector) -> None:
    for line in LINES:
        assert send(collector, line).json() == {"accepted": 1}
    collector.drawn().close()
    with Graph(collector.dsn) as graph:
        made_from = {dataset.full_name for dataset in graph.upstream("gold/fleet_age").datasets}
    assert made_from == set()  # that write failed
    with Graph(collector.dsn) as graph:
        [access] = graph.dataset_runs("gold/fleet_age")
        assert (access.access_kind, access.run.state) == ("was to write", "FAIL")
        assert access.job
        assert access.job.name.startswith("report_fleet_age.")


def test_a_resend_in_other_batches_is_accepted_and_adds_nothing(collector: Collector) -> None:
    send(collector, SPOOL)
    answer = send(collector, b"".join(LINES[2:5]))
    assert answer.json() == {"accepted": 3}
    assert documents(collector) == len(LINES)


def test_a_document_of_an_unknown_version_is_stored(collector: Collector) -> None:
    assert send(collector, NEWER + LINES[0]).json() == {"accepted": 2}
    collector.drawn().close()
    with psycopg.connect(collector.dsn) as conn:
        [(reason,)] = conn.execute("SELECT reason FROM lineage.plan_document_queue").fetchall()
    assert "has format 9" in reason


REFUSED: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "Line 1 is not a plan document: it is not JSON"),
    "an event": (LINES[0] + b'{"eventTime": "x"}\n', "Line 2 is not a plan document"),
    "an empty line": (LINES[0] + b"\n" + LINES[1], "Line 2 is not a plan document"),
    "half a line": (SPOOL[:-10], f"Line {len(LINES)} is not a plan document"),
}


@pytest.mark.parametrize(("body", "said"), REFUSED.values(), ids=REFUSED)
def test_a_body_that_is_no_documents_is_rejected_whole(
    collector: Collector, body: bytes, said: str
) -> None:
    answer = send(collector, body)
    assert answer.status_code == 422
    assert said in answer.json()["error"]["message"]
    assert documents(collector) == 0


@pytest.mark.parametrize(("namespaces", "status"), [((), 200), (("default",), 200), (("x",), 403)])
def test_a_token_is_good_for_the_namespaces_of_applications(
    guarded: Collector, namespaces: tuple[str, ...], status: int
) -> None:
    options: list[Any] = [word for name in namespaces for word in ("--namespace", name)]
    made = CliRunner().invoke(main, ["token", "add", "spark", *options, "--dsn", guarded.dsn])
    bearer = {"Authorization": f"Bearer {made.stdout.strip()}"}
    assert send(guarded, SPOOL, **bearer).status_code == status
    assert send(guarded, SPOOL).status_code == 401


def test_it_is_reported_how_many_are_not_converted(collector: Collector) -> None:
    import requests

    with psycopg.connect(collector.dsn) as conn:
        conn.execute("LOCK TABLE lineage.event IN SHARE MODE")  # blocks the log
        send(collector, LINES[0])
        text = requests.get(f"{collector.url}/metrics", timeout=60).text
        conn.rollback()
    assert "lineage_pending_documents 1.0" in text
    assert 'lineage_documents_total{result="new"} 1.0' in text


def test_a_long_document_is_accepted(collector: Collector) -> None:
    document = json.loads(LINES[0])
    document["app"]["conf"]["user.dir"] = "/" + "x" * (4 << 20)
    assert send(collector, json.dumps(document).encode() + b"\n").json() == {"accepted": 1}
