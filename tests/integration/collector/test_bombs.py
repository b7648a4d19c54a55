"""Small requests that would take much time or memory: they are rejected, and others are served.

ABUSE_INPUTS, which ``make test-abuse`` sets, increases the size of the larger ones.
"""

from __future__ import annotations

import gzip
import json
import os
import threading
import time
from typing import TYPE_CHECKING

import pytest
import requests
from support.events.builders import run_event
from support.services.polling import PAUSE

from lineage.http import request_body
from lineage.http.decompression import MAX_MEMBERS
from lineage.http.request_body import MAX_EVENTS, MAX_VALUES

if TYPE_CHECKING:
    from conftest import Process
    from support.fixtures.collectors import Collector

LINEAGE = "/api/v1/lineage"
BATCH = "/api/v1/lineage/batch"
PLANS = "/api/v1/plan-documents"
JSON = {"Content-Type": "application/json"}
PACKED = {**JSON, "Content-Encoding": "gzip"}
MUCH = 8 << 20 if "ABUSE_INPUTS" in os.environ else 1 << 20  # bytes unpacked
MAX_GROWTH_BYTES = 300 << 20
MAX_BODY_SECONDS = 10  # on a busy machine
MAX_PAUSE_SECONDS = 2.0

EVENT = run_event("r1", "COMPLETE", 1, reads=("a",), writes=("b",))
HEAD = b'{"eventTime":"2026-01-01T00:00:00Z","job":{"namespace":"n","name":"j"},'


def run_with(facets: bytes) -> bytes:
    return HEAD + b'"run":{"runId":"r","facets":{' + facets + b"}}}"


def repeated(item: bytes) -> bytes:
    return b",".join([item] * (MUCH // (len(item) + 1)))


def numbered(item: bytes) -> bytes:
    return b",".join(item % n for n in range(MUCH // (len(item) + 6)))


BOMBS = {
    "numbers": (BATCH, b"[" + repeated(b"0") + b"]", {413}),
    "empty objects": (BATCH, b"[" + repeated(b"{}") + b"]", {413}),
    "empty arrays": (BATCH, b"[" + repeated(b"[]") + b"]", {413}),
    "one item of numbers": (BATCH, b"[[" + repeated(b"0") + b"]]", {200, 413}),
    "brackets": (BATCH, b"[" * MUCH, {400}),
    "brackets that close": (BATCH, b"[" * (MUCH // 2) + b"]" * (MUCH // 2), {200, 400}),
    "quotes": (BATCH, b"[" + b'"' * MUCH + b"]", {200, 400}),
    "escapes": (BATCH, b'["' + b"\\n" * (MUCH // 2) + b'"]', {200}),
    "a deep event": (LINEAGE, HEAD + b'"run":' + b"[" * MUCH + b"]" * MUCH + b"}", {400}),
    "deep objects": (LINEAGE, run_with(b'"a":' + b'{"a":' * (MUCH // 6)), {400}),
    "inputs that are numbers": (LINEAGE, HEAD + b'"inputs":[' + repeated(b"0") + b"]}", {400, 413}),
    "many facets": (LINEAGE, run_with(numbered(b'"%d":0')), {201, 413}),
    "many keys": (LINEAGE, HEAD + numbered(b'"%d":0') + b"}", {201, 413}),
    "many datasets": (
        LINEAGE,
        run_with(b"")[:-1] + b',"inputs":[' + numbered(b'{"namespace":"n","name":"%d"}') + b"]}",
        {201, 413},
    ),
    "many names": (
        LINEAGE,
        run_with(b"")[:-1]
        + b',"inputs":[{"namespace":"n","name":"a","facets":{"symlinks":{"identifiers":['
        + numbered(b'{"namespace":"n","name":"%d"}')
        + b"]}}}]}",
        {201, 413},
    ),
    "a long number": (LINEAGE, run_with(b'"a":' + b"9" * MUCH), {201, 400}),
    "a great number": (LINEAGE, run_with(b'"a":1e' + b"9" * MUCH), {201, 400}),
    "numbers to be looked at": (
        LINEAGE, run_with(b'"a":["\\u0000",' + repeated(b"1e5") + b"]"), {201, 413},
    ),
    "documents of nothing": (PLANS, b"\n" * MUCH, {413}),
    "a document of numbers": (PLANS, b"[" + repeated(b"0") + b"]", {422}),
}  # fmt: skip


class Watch(threading.Thread):
    """Requests the collector's liveness repeatedly; ``longest`` is the longest response time."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self._url = url
        self._ended = threading.Event()
        self.longest = 0.0

    def run(self) -> None:
        with requests.Session() as session:
            while not self._ended.is_set():
                start = time.perf_counter()
                assert session.get(f"{self._url}/health/live", timeout=60).status_code == 204
                self.longest = max(self.longest, time.perf_counter() - start)
                self._ended.wait(PAUSE)

    def __enter__(self) -> Watch:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self.join()


@pytest.mark.slow
def test_no_bomb_stops_the_collector(process: Process) -> None:
    assert process.post(BATCH, f"[{EVENT}]", **JSON).status_code == 200
    before = process.memory()
    for name, (path, body, expected) in BOMBS.items():
        packed = gzip.compress(body, 1)
        headers = {**PACKED, "Content-Type": "application/x-ndjson"} if path == PLANS else PACKED
        start = time.perf_counter()
        with Watch(process.url) as watch:
            answer = process.post(path, packed, **headers)
        assert answer.status_code in expected, (name, answer.text[:200])
        assert time.perf_counter() - start < MAX_BODY_SECONDS * MUCH / (1 << 20), name
        assert watch.longest < MAX_PAUSE_SECONDS, name
        assert len(answer.content) < 2 << 20, name
        assert process.memory() - before < MAX_GROWTH_BYTES, name
    assert process.post(LINEAGE, EVENT, **JSON).status_code == 201


def test_a_batch_may_have_so_many_events(collector: Collector) -> None:
    bad = b"[" + b",".join([b"0"] * MAX_EVENTS) + b"]"
    report = collector.post(BATCH, bad, **JSON).json()
    assert (report["status"], report["summary"]["failed"]) == ("failure", MAX_EVENTS)
    failed = report["failed_events"]
    assert [each["index"] for each in failed] == list(range(MAX_EVENTS))
    assert failed[99]["reason"] == "The event: Expected `object`, got `int`."
    assert failed[100]["reason"] == "Only the first 100 reasons are reported."
    answer = collector.post(BATCH, bad[:-1] + b",0]", **JSON)
    assert (answer.status_code, f"more than {MAX_EVENTS} events" in answer.text) == (413, True)


def test_an_event_may_have_so_many_values(collector: Collector) -> None:
    """A large event is accepted if most of it is a facet that is not parsed."""
    columns = [{"name": f"c{n}", "type": "string"} for n in range(50_000)]
    facet = json.dumps({"fields": columns}).encode()
    body = run_with(b'"x_columns":' + facet)
    assert collector.post(LINEAGE, body, **JSON).status_code == 201
    answer = collector.post(LINEAGE, run_with(b'"a":[' + b"0," * MAX_VALUES + b"0]"), **JSON)
    assert (answer.status_code, f"more than {MAX_VALUES} values" in answer.text) == (413, True)


@pytest.mark.parametrize("at_dataset", [False, True])
def test_an_event_may_have_so_many_names(
    collector: Collector, monkeypatch: pytest.MonkeyPatch, at_dataset: bool
) -> None:
    """The projection of a name takes about a hundred times the memory of its text."""
    most = 50
    monkeypatch.setattr(request_body, "MAX_NAMES", most)
    names = [{"namespace": "n", "name": str(n)} for n in range(most)]
    if at_dataset:
        names = [{**names[0], "facets": {"symlinks": {"identifiers": names[1:]}}}]
    more = {"namespace": "n", "name": "more"}
    head = json.loads(run_with(b""))
    few, many = (json.dumps(head | {"inputs": inputs}) for inputs in (names, [*names, more]))
    answer = collector.post(LINEAGE, many, **JSON)
    assert (answer.status_code, f"more than {most} names" in answer.text) == (413, True)
    report = collector.post(BATCH, f"[{EVENT},{many}]", **JSON).json()
    assert [each["index"] for each in report["failed_events"]] == [1]
    assert collector.post(LINEAGE, few, **JSON).status_code == 201


def members(*texts: bytes) -> bytes:
    return b"".join(gzip.compress(text) for text in texts)


HALF = len(EVENT) // 2
GZIPS = {
    "two members": (members(EVENT[:HALF].encode(), EVENT[HALF:].encode()), 201, ""),
    "empty members": (members(b"", EVENT.encode(), b""), 201, ""),
    "something behind": (
        members(EVENT.encode()) + b"junk",
        400,
        "other data after its gzip members",
    ),
    "half a member behind": (members(EVENT.encode(), EVENT.encode())[:-9], 400, "too early"),
    "no event behind": (members(EVENT.encode(), b"{}"), 400, "not JSON"),
    "nothing": (b"", 400, ""),
    "too many members": (members(b"") * (MAX_MEMBERS + 1), 413, "gzip members"),
    "large members": (members(b" " * (17 << 20)) * 2, 413, "32 MiB"),
}


@pytest.mark.parametrize(("body", "status", "message"), GZIPS.values(), ids=GZIPS)
@pytest.mark.parametrize("path", [LINEAGE, LINEAGE + "?"], ids=["plain", "by uvicorn"])
def test_all_members_of_a_gzip_are_read(
    collector: Collector, path: str, body: bytes, status: int, message: str
) -> None:
    answer = collector.post(path, body, **PACKED)
    assert (answer.status_code, message in answer.text) == (status, True), answer.text


def test_a_batch_in_members_is_one_batch(collector: Collector) -> None:
    packed = members(b"[", EVENT.encode(), b",", EVENT.encode(), b"]")
    assert collector.post(BATCH, packed, **PACKED).json()["summary"]["successful"] == 2
