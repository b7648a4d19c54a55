"""Mutated events, posted by many at once: no 5xx, no crash, no growth, nothing let in or lost.

ABUSE_INPUTS says how many; ``make test-abuse`` posts 100,000.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
import requests
from graph_events import run_event
from mutations import GOOD, mutated

from lineage.graph import backlog, fingerprint, rebuild

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LINEAGE = Path(sys.executable).parent / "lineage"
INPUTS = int(os.environ.get("ABUSE_INPUTS", "1000"))
CLIENTS = 8
ROUNDS = 10  # memory is looked at after each
BATCH = 20
MOST_GROWTH = 64 << 20


@dataclass
class Outcome:
    """How many were answered in which way, and what was acknowledged, by key."""

    statuses: Counter[int] = field(default_factory=Counter)
    acknowledged: set[bytes] = field(default_factory=set)


@dataclass
class Process:
    """A collector in a process of its own."""

    url: str
    dsn: str
    process: subprocess.Popen[str]

    def memory(self) -> int:
        """Bytes that it has in memory."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        assert found
        return int(found[1]) << 10

    def drawn(self) -> psycopg.Connection[Any]:
        conn = psycopg.connect(self.dsn, autocommit=True)
        while backlog.waiting(conn):
            with conn.transaction():
                conn.execute("LOCK TABLE lineage.pending IN SHARE MODE")
        return conn


@pytest.fixture
def collector(dsn: str, tmp_path: Path) -> Iterator[Process]:
    log = tmp_path / "collector.log"
    with log.open("w") as file:
        command = [LINEAGE, "serve", "--port", "0", "--dsn", dsn]
        with subprocess.Popen(command, stderr=file, text=True) as process:
            while not (url := re.search(r"http://[\d.]+:\d+", log.read_text())):
                assert process.poll() is None, log.read_text()
            yield Process(url[0], dsn, process)
            process.terminate()
            process.communicate(timeout=120)
    assert "Traceback" not in log.read_text(), log.read_text()[-5000:]


def post_alone(url: str, bodies: list[bytes]) -> Outcome:
    """One request each."""
    outcome = Outcome()
    with requests.Session() as session:
        for body in bodies:
            answer = session.post(f"{url}/api/v1/lineage", data=body, timeout=120)
            outcome.statuses[answer.status_code] += 1
            if answer.status_code == 201:
                outcome.acknowledged.add(key(body))
            else:
                assert answer.json()["error"]["message"]
    return outcome


def post_together(url: str, bodies: list[bytes]) -> Outcome:
    """In batches, packed. One that is no JSON makes the whole batch none."""
    outcome = Outcome()
    with requests.Session() as session:
        for start in range(0, len(bodies), BATCH):
            part = bodies[start : start + BATCH]
            packed = gzip.compress(b"[" + b",".join(part) + b"]", 1)
            answer = session.post(
                f"{url}/api/v1/lineage/batch",
                data=packed, headers={"Content-Encoding": "gzip"}, timeout=120,
            )  # fmt: skip
            outcome.statuses[answer.status_code] += 1
            if answer.status_code == 200 and answer.json()["summary"]["received"] == len(part):
                failed = {each["index"] for each in answer.json()["failed_events"]}
                good = {key(body) for at, body in enumerate(part) if at not in failed}
                outcome.acknowledged |= good
    return outcome


def key(body: bytes) -> bytes:
    return hashlib.sha256(body.decode().strip().encode()).digest()


def is_json(body: bytes) -> bool:
    """Of a batch all have to be JSON, by themselves: a comma would make two of one."""
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return False
    return True


def post(url: str, seed: str, count: int) -> Outcome:
    """Post so many from several clients at once."""
    random = Random(seed)
    bodies = [mutated(random) for _ in range(count)]
    half = len(bodies) // 2
    together = [body for body in bodies[half:] if is_json(body)]
    shares: list[tuple[Callable[[str, list[bytes]], Outcome], list[bytes]]] = [
        *((post_alone, bodies[n:half:CLIENTS]) for n in range(CLIENTS)),
        *((post_together, together[n::2]) for n in range(2)),
        (post_alone, [body for body in bodies[half:] if not is_json(body)]),
    ]
    with ThreadPoolExecutor(len(shares)) as threads:
        found = [threads.submit(how, url, share) for how, share in shares]
        outcomes = [each.result() for each in found]
    return Outcome(
        sum((each.statuses for each in outcomes), Counter()),
        set(chain.from_iterable(each.acknowledged for each in outcomes)),
    )


def test_nothing_that_is_posted_is_the_collectors_fault(collector: Process) -> None:
    total, memory = Outcome(), []
    for n in range(ROUNDS):
        outcome = post(collector.url, f"seed {n}", INPUTS // ROUNDS)
        total.statuses += outcome.statuses
        total.acknowledged |= outcome.acknowledged
        collector.drawn().close()
        memory.append(collector.memory())
    print(dict(total.statuses), [each >> 20 for each in memory])  # noqa: T201
    assert set(total.statuses) == {200, 201, 400}
    assert max(memory) - memory[0] < MOST_GROWTH, memory
    assert collector.process.poll() is None
    with collector.drawn() as conn:
        in_log = {key for (key,) in conn.execute("SELECT sha256 FROM lineage.event")}
        assert in_log == total.acknowledged
        refused = conn.execute("SELECT reason FROM lineage.refused").fetchall()
        assert refused == []
        before = fingerprint(conn)
        rebuild(conn)
        assert fingerprint(conn) == before


def test_what_is_mutated_is_both_good_and_bad() -> None:
    """Else the fuzzer would show nothing."""
    random = Random("seed")
    bodies = [mutated(random) for _ in range(1000)]
    assert len(set(bodies)) > 900
    assert 400 < sum(map(is_json, bodies)) < 950


def test_a_good_event_is_taken_after_all_that(collector: Process) -> None:
    post(collector.url, "seed", 100)
    answer = requests.post(
        f"{collector.url}/api/v1/lineage", data=run_event("good", "COMPLETE", 1), timeout=60
    )
    assert answer.status_code == 201
    with collector.drawn() as conn:
        [(state,)] = conn.execute("SELECT state FROM lineage.run WHERE run_id = 'good'").fetchall()
    assert state == "COMPLETE"
    assert len(GOOD) == 5
