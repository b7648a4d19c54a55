"""Mutated events from concurrent clients: no 5xx, crash or memory growth; none lost or wrong.

ABUSE_INPUTS is their number; ``make test-abuse`` posts 100,000.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain
from random import Random
from typing import TYPE_CHECKING

import requests
from support.events.builders import run_event
from support.events.mutations import GOOD, mutated

from lineage.projection.rebuild import graph_fingerprint, rebuild_graph

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Process

INPUTS = int(os.environ.get("ABUSE_INPUTS", "1000"))
CLIENTS = 8
ROUNDS = 10  # memory is measured after each
BATCH = 20
MAX_GROWTH_BYTES = 64 << 20


@dataclass
class Outcome:
    """The number of responses by status, and the acknowledged events by key."""

    statuses: Counter[int] = field(default_factory=Counter)
    acknowledged: set[bytes] = field(default_factory=set)


def post_alone(url: str, bodies: list[bytes]) -> Outcome:
    """Post each body in a request."""
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
    """Post compressed batches. One body that is not JSON makes the whole batch invalid."""
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
    """Return whether a body is one JSON value: in a batch, a comma would split it into two."""
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return False
    return True


def post(url: str, seed: str, count: int) -> Outcome:
    """Post ``count`` bodies from several concurrent clients."""
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


def test_nothing_that_is_posted_is_the_collectors_fault(process: Process) -> None:
    total, memory = Outcome(), []
    for n in range(ROUNDS):
        outcome = post(process.url, f"seed {n}", INPUTS // ROUNDS)
        total.statuses += outcome.statuses
        total.acknowledged |= outcome.acknowledged
        process.drawn().close()
        memory.append(process.memory())
    print(dict(total.statuses), [each >> 20 for each in memory])  # noqa: T201
    assert set(total.statuses) == {200, 201, 400}
    assert max(memory) - memory[0] < MAX_GROWTH_BYTES, memory
    assert process.process.poll() is None
    with process.drawn() as conn:
        in_log = {key for (key,) in conn.execute("SELECT sha256 FROM lineage.event")}
        assert in_log == total.acknowledged
        refused = conn.execute("SELECT reason FROM lineage.rejected_event").fetchall()
        assert refused == []
        before = graph_fingerprint(conn)
        rebuild_graph(conn)
        assert graph_fingerprint(conn) == before


def test_what_is_mutated_is_both_good_and_bad() -> None:
    """Otherwise the fuzzer would be ineffective."""
    random = Random("seed")
    bodies = [mutated(random) for _ in range(1000)]
    assert len(set(bodies)) > 900
    assert 400 < sum(map(is_json, bodies)) < 950


def test_a_valid_event_is_accepted_after_invalid_ones(process: Process) -> None:
    post(process.url, "seed", 100)
    answer = requests.post(
        f"{process.url}/api/v1/lineage", data=run_event("good", "COMPLETE", 1), timeout=60
    )
    assert answer.status_code == 201
    with process.drawn() as conn:
        [(state,)] = conn.execute("SELECT state FROM lineage.run WHERE run_id = 'good'").fetchall()
    assert state == "COMPLETE"
    assert len(GOOD) == 5
