"""Answers of the read API are compressed, and not sent again to clients that have them."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import psycopg
import pytest
import requests
from support.events.builders import run_event

from lineage.ingest.writer import write_events

if TYPE_CHECKING:
    from support.fixtures.collectors import Collector


@pytest.fixture
def wide(collector: Collector) -> str:
    """Return the address of a query whose result has 40 edges."""
    with psycopg.connect(collector.dsn, autocommit=True) as conn:
        reads = tuple(f"raw/table{number}" for number in range(40))
        write_events(conn, [run_event("r1", "COMPLETE", 1, "load", reads, ("gold",))])
    return f"{collector.url}/api/v1/graph/dataset-lineage?dataset=gold"


def raw_body(url: str, **headers: str) -> tuple[requests.Response, bytes]:
    """Return a response and its body as it was sent."""
    answer = requests.get(url, headers={"Accept-Encoding": "", **headers}, stream=True, timeout=60)
    return answer, answer.raw.read(decode_content=False)


@pytest.mark.parametrize("accepted", ["gzip", "br, gzip;q=0.5", "*", "GZIP ; q=1"])
def test_a_client_that_accepts_gzip_gets_it(wide: str, accepted: str) -> None:
    plain, whole = raw_body(wide)
    assert "Content-Encoding" not in plain.headers
    packed, body = raw_body(wide, **{"Accept-Encoding": accepted})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(body) == whole
    assert len(body) < len(whole) / 8
    assert packed.headers["ETag"] == plain.headers["ETag"]
    assert "Accept-Encoding" in packed.headers["Vary"]


@pytest.mark.parametrize("accepted", ["", "identity", "br", "gzip;q=0", "gzip; q=0.000, *"])
def test_a_client_that_does_not_accept_gzip_gets_plain_json(wide: str, accepted: str) -> None:
    answer, body = raw_body(wide, **{"Accept-Encoding": accepted})
    assert "Content-Encoding" not in answer.headers
    assert body.startswith(b"{")


def test_small_results_are_not_compressed(collector: Collector) -> None:
    url = f"{collector.url}/api/v1/graph/datasets"
    answer, _ = raw_body(url, **{"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in answer.headers


def test_the_same_result_is_sent_once(wide: str, collector: Collector) -> None:
    first = requests.get(wide, timeout=60)
    again = requests.get(wide, headers={"If-None-Match": first.headers["ETag"]}, timeout=60)
    assert (again.status_code, again.content) == (304, b"")
    listed = f'"other", {first.headers["ETag"].removeprefix("W/")}'
    assert requests.get(wide, headers={"If-None-Match": listed}, timeout=60).status_code == 304
    with psycopg.connect(collector.dsn, autocommit=True) as conn:
        write_events(conn, [run_event("r2", "COMPLETE", 2, "load", ("raw/more",), ("gold",))])
    changed = requests.get(wide, headers={"If-None-Match": first.headers["ETag"]}, timeout=60)
    assert changed.status_code == 200
    assert changed.headers["ETag"] != first.headers["ETag"]
    assert len(changed.json()["edges"]) == 41
