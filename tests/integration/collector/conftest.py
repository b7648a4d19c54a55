"""Fixtures of collectors in processes of their own, each with a fresh database."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support.fixtures.collectors import Collector
from support.services.polling import PAUSE
from support.services.processes import resident, spawned

if TYPE_CHECKING:
    from collections.abc import Iterator

LINEAGE = Path(sys.executable).parent / "lineage"


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
