"""Random requests to all operations: invalid ones are client errors, never 5xx."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import psycopg
import pytest
import requests
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import fields
from support.events.builders import dataset, run_event, schema
from support.properties import examples_in_one_database

from lineage.http.serve.operations import OPERATIONS
from lineage.ingest.writer import write_events

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.fixtures.collectors import Collector

FEW = examples_in_one_database(60)
EVENT = run_event(
    "r1", "COMPLETE", 1, "job", ("a",), (dataset("b", schema=schema(x="int")),),
)  # fmt: skip

# Existing names, similar ones, and arbitrary text.
_known = st.sampled_from(
    ["a", "b", "job", "etl", "s3://lake", "r1", "x", "dataset:s3://lake:b", "job:etl:job",
     "datasetField:s3://lake:b:x", "upstream", "true", "1", "0", "2026-01-01", "COMPLETED", ""]
)  # fmt: skip
_texts = _known | st.text(st.characters(codec="utf-8"), max_size=20) | st.integers().map(str)


@pytest.fixture
def served(collector: Collector) -> Iterator[Collector]:
    with psycopg.connect(collector.dsn, autocommit=True) as conn:
        write_events(conn, [EVENT])
    return collector


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@FEW
@given(data=st.data(), operation=st.sampled_from(OPERATIONS))
def test_no_request_causes_an_internal_error(
    served: Collector, data: st.DataObject, operation: Any
) -> None:
    path = operation.path
    for place in operation.path_parameters:
        path = path.replace(f"{{{place}}}", quote(data.draw(_texts), safe="") or "%20")
    names = [parameter.name for parameter in operation.parameters] or ["unknown"]
    asked = data.draw(st.lists(st.tuples(st.sampled_from(names), _texts), max_size=6))
    if operation.body:
        members = st.sampled_from([field.name for field in fields(operation.body)])
        values = _json | _texts | st.lists(_texts, max_size=3) | st.just("\0")
        posted = data.draw(st.dictionaries(members, values, max_size=4) | _json)
        headers = {"Content-Type": "application/json"}
        body = json.dumps(posted).encode()
        answer = requests.post(served.url + path, body, headers=headers, timeout=60)
    else:
        answer = requests.get(served.url + path, params=asked, timeout=60)
    assert answer.status_code in (200, 400, 404, 409), answer.text
    assert answer.status_code == 200 or answer.json()["error"]["message"]


_documents = st.fixed_dictionaries(
    {
        "lineage": st.just(1) | _json,
        "kind": st.sampled_from(["execution_end", "execution_start", "query_end"]) | _json,
        "time": st.integers(0, 10**13) | _json,
        "app": st.fixed_dictionaries({"run": st.uuids().map(str) | _json, "conf": _json}) | _json,
    },
    optional={
        "execution": st.fixed_dictionaries({"id": st.integers() | _json}) | _json,
        "plan": _json, "query": _json, "outcome": st.just("COMPLETE") | _json, "metrics": _json,
    },
)  # fmt: skip


@FEW
@given(body=st.binary(max_size=60) | _documents.map(lambda d: json.dumps(d).encode()))
@example(body=b'{"lineage":1,"kind":"x","time":1,"app":{"run":"\xc3\xa9"}}')
@example(body=b"[" * 100_000)
@example(
    body=b'{"lineage":1,"kind":"execution_end","time":1,"app":{"run":"r"},"execution":{"id":1e400}}'
)
def test_no_document_is_the_collectors_fault(served: Collector, body: bytes) -> None:
    answer = served.post("/api/v1/plan-documents", body)
    assert answer.status_code in (200, 422), answer.text


def test_what_no_converter_reads_stops_no_other(served: Collector) -> None:
    """A valid document after many kinds of invalid ones is converted."""
    app = {"run": "5f0c1a1e-8a54-4a6e-9d0e-3f6c2b7d9a10", "name": "good"}
    wrong = [
        {"lineage": 1, "kind": "execution_end", "time": n, "app": {**app, "conf": conf}, **more}
        for n, conf in enumerate(([], {"x": 1}, None, "conf"))
        for more in ({}, {"execution": {"id": 1 << 70}}, {"plan": {"nodes": [[]]}, "execution": 3})
    ]
    good = {"lineage": 1, "kind": "application_start", "time": 99, "app": app}
    body = "\n".join(json.dumps(document) for document in [*wrong, good])
    assert served.post("/api/v1/plan-documents", body).json() == {"accepted": len(wrong) + 1}
    with served.drawn() as conn:
        [(aside,)] = conn.execute("SELECT count(*) FROM lineage.plan_document_queue").fetchall()
        runs = conn.execute("SELECT run_id FROM lineage.run WHERE run_id = %s", (app["run"],))
        assert runs.fetchall() == [(app["run"],)]
    assert aside == len(wrong)
