"""Partly invalid events: they are accepted with their lineage, and omitted parts are reported."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
import requests
from click.testing import CliRunner
from lineage_cli import main
from support.events.builders import dataset, dataset_event, run_event, time

from lineage.projection.rebuild import graph_fingerprint, rebuild_graph

if TYPE_CHECKING:
    from support.fixtures.collectors import Collector

LINEAGE = "/api/v1/lineage"
BATCH = f"{LINEAGE}/batch"
GOOD = run_event("good", "COMPLETE", 1, reads=("a",), writes=("b",))
JSON = {"Content-Type": "application/json"}
LINES = {"Content-Type": "application/x-ndjson"}


def event(run_id: str, **changes: Any) -> bytes:
    return json.dumps(
        json.loads(run_event(run_id, "COMPLETE", 2, "load", ("a",), ("b",))) | changes
    ).encode()


TABLE = {"namespace": "s3://lake", "name": "b"}
NOT_A_NUMBER = [{**TABLE, "outputFacets": {"quality": {"mean": float("nan")}}}]
PARTLY: dict[str, tuple[bytes, str]] = {
    "a number that is none": (
        event("r", outputs=NOT_A_NUMBER),
        "quality.mean: the number cannot be stored",
    ),
    "a name that is none": (
        event("r", outputs=[{**TABLE, "facets": {"symlinks": {"identifiers": [{"name": "x"}]}}}]),
        "identifiers[0]: Object missing required field `namespace`",
    ),
    "a parent that is none": (
        event("r", run={"runId": "r", "facets": {"parent": {"job": {}}}}), "parent.run is missing",
    ),
    "a long name": (
        event("r", inputs=[dataset("a"), dataset("x" * 3000)]), "a name of more than 2400 bytes",
    ),
    "a date alone": (event("r", eventTime="2026-01-01"), "eventTime: a date alone"),
    "an unknown type": (event("r", eventType="DONE"), "eventType: not one of"),
    "an input that is none": (event("r", inputs=["x", dataset("a")]), "inputs[0]: Expected"),
}  # fmt: skip


@pytest.mark.parametrize(("body", "part"), PARTLY.values(), ids=PARTLY)
@pytest.mark.parametrize("path", [LINEAGE, f"{LINEAGE}?"], ids=["plain", "by uvicorn"])
def test_an_event_is_accepted_without_its_invalid_parts(
    collector: Collector, path: str, body: bytes, part: str
) -> None:
    answer = collector.post(path, body, **JSON)
    assert answer.status_code == 201
    [left_out] = answer.json()["left_out"]
    assert part in left_out
    with collector.drawn() as conn:
        edges = (
            "SELECT s.name, t.name FROM lineage.feeds f JOIN lineage.dataset s ON s.id = f.source"
        )
        found = conn.execute(f"{edges} JOIN lineage.dataset t ON t.id = f.target").fetchall()
        assert ("a", "b") in found
        assert conn.execute("SELECT body FROM lineage.event").fetchall() == [(body.decode(),)]
        assert conn.execute("SELECT count(*) FROM lineage.rejected_event").fetchone() == (0,)
        before = graph_fingerprint(conn)
        rebuild_graph(conn)
        assert graph_fingerprint(conn) == before
    again = requests.get(f"{collector.url}/api/v1/graph/events", timeout=60)
    assert again.status_code == 200
    listed = requests.get(f"{collector.url}/api/v1/events/lineage", timeout=60)
    assert len(listed.json()["events"]) == 1


UNCHANGED = {
    "small letters": event("r", eventType="complete"),
    "a zone by name": event("r", eventTime="2026-01-01T00:00:02Z[UTC]"),
}


@pytest.mark.parametrize("body", UNCHANGED.values(), ids=UNCHANGED)
def test_other_forms_of_the_same_leave_nothing_out(collector: Collector, body: bytes) -> None:
    answer = collector.post(LINEAGE, body, **JSON)
    assert (answer.status_code, answer.content) == (201, b"")
    with collector.drawn() as conn:
        rows = conn.execute("SELECT state, lineage.iso8601(ended_at) FROM lineage.run").fetchall()
    assert rows == [("COMPLETE", time(2).replace("Z", ".000000Z"))]


def test_a_dataset_without_a_run_may_have_such_numbers(collector: Collector) -> None:
    """The database reads the dataset of such an event from the log, too."""
    body = dataset_event(
        1, dataset("a", quality={"mean": float("-inf"), "all": [float("nan")] * 2})
    )
    assert len(collector.post(LINEAGE, body, **JSON).json()["left_out"]) == 3
    with collector.drawn() as conn:
        assert conn.execute("SELECT name FROM lineage.dataset").fetchall() == [("a",)]
        key = "ARRAY[lineage.name_hash('s3://lake', 'a')]"
        named = f"SELECT lineage.event_name_hashes(body) = {key} FROM lineage.event"
        assert conn.execute(named).fetchall() == [(True,)]


BAD = {
    "no JSON": b"x",
    "cut off": b'{"eventTime": "2026',
    "NUL": GOOD.replace("good", "a\x00b").encode(),
    "no UTF-8": GOOD.encode().replace(b"good", b"a\xffb"),
    "half of a pair": GOOD.encode().replace(b"good", b"a\xed\xa0\x80b"),
    "too deep": GOOD.encode().replace(b"{}", b'{"x":' + b"[" * 3000 + b"]" * 3000 + b"}", 1),
    "no run": event("r", run={"runId": 7}),
    "no time": event("r", eventTime="soon"),
    "nothing": b"",
}  # fmt: skip


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_one_bad_event_refuses_no_other(collector: Collector, bad: bytes) -> None:
    if bad != BAD["cut off"]:  # its end cannot be determined
        body = b"[" + b",".join([GOOD.encode(), bad, event("r")]) + b"]"
        report = collector.post(BATCH, body, **JSON).json()
        assert [each["index"] for each in report["failed_events"]] == [1]
        assert report["summary"]["successful"] == 2
    if bad:
        lines = b"\n".join([GOOD.encode(), bad, b"", event("r")]) + b"\n"
        report = collector.post(LINEAGE, lines, **LINES).json()
        assert [each["index"] for each in report["failed_events"]] == [1]
    with collector.drawn() as conn:
        found = conn.execute("SELECT run_id FROM lineage.run ORDER BY 1").fetchall()
    assert found == [("good",), ("r",)]


def test_half_of_a_pair_that_is_escaped_is_replaced(collector: Collector) -> None:
    body = GOOD.replace('"good"', r'"a\ud800b"')
    assert collector.post(LINEAGE, body, **JSON).status_code == 201


def test_a_batch_reports_its_omitted_parts(collector: Collector) -> None:
    bodies = [GOOD.encode(), *(body for body, _ in PARTLY.values())]
    report = collector.post(BATCH, b"[" + b",".join(bodies) + b"]", **JSON).json()
    assert (report["status"], report["summary"]["failed"]) == ("success", 0)
    assert [each["index"] for each in report["left_out"]] == list(range(1, len(bodies)))
    for each, (_, part) in zip(report["left_out"], PARTLY.values(), strict=True):
        assert part in each["parts"][0]


@pytest.mark.parametrize("path", [LINEAGE, f"{LINEAGE}/", BATCH, f"{BATCH}/"])
def test_lines_are_a_batch(collector: Collector, path: str) -> None:
    lines = b"\r\n".join([GOOD.encode(), event("r")])
    packed = gzip.compress(lines)
    answer = collector.post(path, packed, **LINES, **{"Content-Encoding": "gzip"})
    assert (answer.status_code, answer.json()["summary"]["successful"]) == (200, 2)


def test_a_slash_at_the_end_is_no_other_path(collector: Collector) -> None:
    assert collector.post(f"{LINEAGE}/", GOOD, **JSON).status_code == 201
    assert collector.post(f"{BATCH}/", f"[{GOOD}]", **JSON).status_code == 200
    assert collector.post("/api/v1/plan-documents/", b"{}", **LINES).status_code == 422


@pytest.mark.parametrize("workers", ["1", "2"])
def test_ingest_is_as_kind_and_reports_on_stderr(dsn: str, tmp_path: Any, workers: str) -> None:
    file = tmp_path / "events.jsonl"
    file.write_bytes(b"\n".join([GOOD.encode(), *(body for body, _ in PARTLY.values())]))
    done = CliRunner().invoke(main, ["ingest", str(file), "--workers", workers, "--dsn", dsn])
    assert done.exit_code == 0, done.stderr
    for number, (_, part) in enumerate(PARTLY.values(), start=2):
        assert any(
            f":{number}: left out: " in line and part in line for line in done.stderr.splitlines()
        )
    with psycopg.connect(dsn) as conn:
        assert conn.execute("SELECT count(*) FROM lineage.event").fetchone() == (1 + len(PARTLY),)
