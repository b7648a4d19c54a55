"""Fixtures of collectors that listen on a free port, each with a fresh database."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
import requests
import uvicorn
from psycopg.conninfo import make_conninfo
from support.services.polling import PAUSE, wait_until_drawn
from support.services.processes import resident, spawned

from lineage.http.serve.app import create_application
from lineage.http.serve.fast_path import FastPath

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.http.origins import Origins

LINEAGE = Path(sys.executable).parent / "lineage"


@dataclass
class Collector:
    """A running collector: its address and its database."""

    url: str
    dsn: str

    def post(self, path: str, body: str | bytes, **headers: str) -> requests.Response:
        data = body.encode() if isinstance(body, str) else body
        return requests.post(self.url + path, data=data, headers=headers, timeout=60)

    def drawn(self) -> psycopg.Connection[Any]:
        """Return a connection when nothing remains to be converted or projected."""
        conn = psycopg.connect(self.dsn, autocommit=True)
        wait_until_drawn(conn)
        return conn


class _Server(uvicorn.Server):
    """A server that reports when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listens = threading.Event()

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        self.listens.set()


class Serving:
    """Starts collectors for databases."""

    def __init__(self) -> None:
        self._running: list[tuple[_Server, threading.Thread]] = []

    def __call__(
        self, dsn: str, *, tokens: bool = False, origins: Origins | None = None, **settings: Any
    ) -> str:
        """Start a collector and return its URL."""
        app = create_application(dsn, tokens=tokens, origins=origins)
        protocol: Any = FastPath(app)
        config = uvicorn.Config(app, http=protocol, port=0, log_level="warning", **settings)
        server = _Server(config)
        thread = threading.Thread(target=server.run)
        thread.start()
        self._running.append((server, thread))
        assert server.listens.wait(30)
        host, port = server.servers[0].sockets[0].getsockname()[:2]
        return f"http://{host}:{port}"

    def end(self) -> None:
        """Request the graceful shutdown of all collectors."""
        for server, _ in self._running:
            server.should_exit = True

    def wait(self) -> None:
        """Wait until all collectors have ended."""
        for _, thread in self._running:
            thread.join()


@pytest.fixture
def serving() -> Iterator[Serving]:
    """Return a starter of collectors, which end with the test."""
    serving = Serving()
    yield serving
    serving.end()
    serving.wait()


@pytest.fixture
def collector(dsn: str, serving: Serving) -> Collector:
    return Collector(serving(dsn), dsn)


@pytest.fixture
def guarded(dsn: str, serving: Serving) -> Collector:
    """Start a collector that requires tokens."""
    return Collector(serving(dsn, tokens=True), dsn)


@pytest.fixture
def unprivileged(dsn: str, serving: Serving) -> Collector:
    """Start a collector with the rights of lineage_writer."""
    return Collector(serving(make_conninfo(dsn, options="-c role=lineage_writer")), dsn)


@dataclass
class Process(Collector):
    """A collector in a separate process."""

    process: subprocess.Popen[str]

    def memory(self) -> int:
        """Return the resident memory of the collector and its projector process in bytes."""
        return resident(self.process.pid) + resident(self.projector())

    def projector(self) -> int:
        """Wait for the projector process, and return its id."""
        return spawned(self.process.pid)


@contextmanager
def started(dsn: str, log: Path) -> Iterator[Process]:
    with log.open("w") as file:
        command = [LINEAGE, "serve", "--port", "0", "--dsn", dsn]
        with subprocess.Popen(command, stderr=file, text=True) as server:
            while not (url := re.search(r"http://[\d.]+:\d+", log.read_text())):
                assert server.poll() is None, log.read_text()
                time.sleep(PAUSE)
            yield Process(url[0], dsn, server)
            server.terminate()
            server.communicate(timeout=120)
    assert "Traceback" not in log.read_text(), log.read_text()[-5000:]


@pytest.fixture
def process(dsn: str, tmp_path: Path) -> Iterator[Process]:
    with started(dsn, tmp_path / "collector.log") as process:
        yield process


@pytest.fixture
def other_process(dsn: str, tmp_path: Path) -> Iterator[Process]:
    """Start another collector process on the same database."""
    with started(dsn, tmp_path / "other.log") as process:
        yield process
