"""Collector and PostgreSQL killed at random times: acknowledged events are stored once.

CRASH_ROUNDS is the number of kills; ``make test-crash`` sets it to 50.
"""

from __future__ import annotations

import gzip
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import psycopg
import pytest
import requests
from support.events.builders import run_event
from support.fixtures.database import new_home
from support.services.polling import something_waits, wait_for_who_works, wait_until
from support.services.processes import spawned

from lineage.database import create, migrations
from lineage.events.entry import read_entry
from lineage.plan_documents import queue, store
from lineage.postgres.instance import Instance
from lineage.projection import backlog
from lineage.projection.rebuild import graph_fingerprint, rebuild_graph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Connection = psycopg.Connection[Any]

LINEAGE = Path(sys.executable).parent / "lineage"
ROUNDS = int(os.environ.get("CRASH_ROUNDS", "3"))
SPOOL = (Path(__file__).parents[2] / "golden/spools/batch.jsonl").read_bytes()
RUN = b"2e789d10-1fe0-4153-a1b4-0d46e1caa959"


@dataclass
class Sent:
    """The sent and the acknowledged events and documents, by key."""

    events: set[bytes] = field(default_factory=set)
    acknowledged_events: set[bytes] = field(default_factory=set)
    documents: set[bytes] = field(default_factory=set)
    acknowledged_documents: set[bytes] = field(default_factory=set)


class Generator:
    """Posts single events, batches and plan documents in threads until it is stopped."""

    def __init__(self) -> None:
        self.sent = Sent()
        self.url = ""
        self._stopped = threading.Event()
        self._changed = threading.Condition()
        self._acknowledged = 0
        self._threads = [
            threading.Thread(target=self._run, args=(post, n))
            for n, post in enumerate((self._single, self._batch, self._documents))
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stopped.set()
        for thread in self._threads:
            thread.join()

    def wait_for(self, requests: int) -> None:
        """Wait until this many more requests are acknowledged."""
        with self._changed:
            wanted = self._acknowledged + requests
            assert self._changed.wait_for(lambda: self._acknowledged >= wanted, 60)

    def _run(self, post: Callable[[int], None], thread: int) -> None:
        number = 0
        while not self._stopped.is_set():
            number += 1
            try:
                post(1_000_000 * thread + number)
            except requests.RequestException:
                self._stopped.wait(0.02)  # the collector is down

    def _single(self, number: int) -> None:
        text = event(number)
        self.sent.events.add(key := read_entry(text).sha256)
        if self._post("/api/v1/lineage", text.encode(), 201):
            self.sent.acknowledged_events.add(key)

    def _batch(self, number: int) -> None:
        texts = [event(100 * number + n) for n in range(20)]
        keys = {read_entry(text).sha256 for text in texts}
        self.sent.events |= keys
        if self._post("/api/v1/lineage/batch", f"[{','.join(texts)}]".encode(), 200):
            self.sent.acknowledged_events |= keys

    def _documents(self, number: int) -> None:
        lines = SPOOL.replace(RUN, str(UUID(int=number)).encode()).splitlines(keepends=True)
        cut = number % len(lines)
        for part in (lines[:cut], lines[cut:]):
            keys = {store.read_document(line.rstrip(b"\n")).sha256 for line in part}
            self.sent.documents |= keys
            body = gzip.compress(b"".join(part))
            if part and self._post(
                "/api/v1/plan-documents", body, 200, **{"Content-Encoding": "gzip"}
            ):
                self.sent.acknowledged_documents |= keys

    def _post(self, path: str, body: bytes, good: int, **headers: str) -> bool:
        answer = requests.post(self.url + path, data=body, headers=headers, timeout=30)
        assert answer.status_code in (good, 503), answer.text
        with self._changed:
            self._acknowledged += answer.status_code == good
            self._changed.notify_all()
        return answer.status_code == good


def event(number: int) -> str:
    """Return an event of a few jobs and datasets, so that events share them."""
    source, target, job = number % 7, number % 5, number % 3
    return run_event(
        f"r{number // 2}", ("START", "COMPLETE")[number % 2], number % 86_400, f"j{job}",
        (f"t{source}",), (f"t{target}",),
    )  # fmt: skip


@contextmanager
def collecting(
    dsn: str, generator: Generator, directory: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a collector in a separate process, to which the generator sends."""
    log_file = directory / f"serve-{random.randrange(1 << 32):08x}.log"
    with log_file.open("w") as stderr:
        command = [LINEAGE, "serve", "--port", "0", "--dsn", dsn]
        server = subprocess.Popen(command, stderr=stderr)
    try:
        while not (found := re.search(r"http://[\d.]+:\d+", log_file.read_text())):
            assert server.poll() is None, log_file.read_text()
            threading.Event().wait(0.05)
        generator.url = found[0]
        yield server
    finally:
        server.kill()
        server.wait()


@pytest.fixture
def instance() -> Iterator[Instance]:
    """Return a server that writes to disk as in production."""
    home = new_home()
    instance = Instance(home)
    yield instance
    instance.down()
    shutil.rmtree(home)


def kill_database(instance: Instance) -> None:
    before, running = instance.database_uri(), instance.status()
    assert running
    assert running.pid
    os.kill(running.pid, signal.SIGKILL)
    wait_until(lambda: not instance.status())  # until the kernel has removed the process
    assert instance.up() == before


def kill_collector(collector: subprocess.Popen[bytes], chance: random.Random) -> None:
    """Kill the serving process, the projector process, or both."""
    drawing = spawned(collector.pid)
    for pid in chance.choice(([collector.pid], [drawing], [collector.pid, drawing])):
        os.kill(pid, signal.SIGKILL)


def drained(conn: Connection) -> None:
    """Convert and project all pending items, after the rows claimed by an orphaned projector."""
    while something_waits(conn):
        if not queue.convert_pending(conn) and not backlog.project_pending(conn):
            wait_for_who_works(conn)


def keys(conn: Connection, table: str) -> list[bytes]:
    return [key for (key,) in conn.execute(f"SELECT sha256 FROM lineage.{table}")]


@pytest.mark.slow
def test_what_was_acknowledged_is_there_once_whoever_is_killed(
    instance: Instance, tmp_path: Path
) -> None:
    dsn = instance.up()
    create.ensure_database(instance.database_uri("postgres"), "lineage")
    with psycopg.connect(dsn, autocommit=True) as conn:
        migrations.apply_pending(conn)
    generator, chance = Generator(), random.Random()
    try:
        for number in range(ROUNDS):
            with collecting(dsn, generator, tmp_path) as collector:
                if number == 0:
                    generator.start()
                victims = ("database", "collector", "both")[number % 3]
                generator.wait_for(chance.randrange(5, 60))
                if victims != "database":
                    kill_collector(collector, chance)
                if victims != "collector":
                    kill_database(instance)
                if victims == "database":
                    generator.wait_for(3)  # it reconnects to the database
    finally:
        generator.stop()
    with psycopg.connect(dsn, autocommit=True) as conn:
        assert_whole(conn, generator.sent)


def assert_whole(conn: Connection, sent: Sent) -> None:
    """Assert that acknowledged events are stored once, and that the graph matches the log."""
    drained(conn)
    documents = keys(conn, "plan_document")
    assert sent.acknowledged_documents <= set(documents) <= sent.documents
    assert len(documents) == len(set(documents))
    events = keys(conn, "event")
    assert sent.acknowledged_events <= set(events)
    assert len(events) == len(set(events))
    posted = {
        key for (key,) in conn.execute("SELECT sha256 FROM lineage.event WHERE document IS NULL")
    }
    assert posted <= sent.events
    assert keys(conn, "plan_document_queue") == []
    assert conn.execute("SELECT count(*) FROM lineage.rejected_event").fetchall() == [(0,)]
    before = graph_fingerprint(conn)
    assert rebuild_graph(conn) == len(events)
    assert graph_fingerprint(conn) == before
