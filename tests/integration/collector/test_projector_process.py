"""The projector process of ``lineage serve``, which ends with the collector."""

from __future__ import annotations

import logging
import os
import resource
import select
import signal
from contextlib import closing
from logging.handlers import QueueHandler
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING

from support.events.builders import run_event
from support.services.processes import spawned

from lineage.http.collector.projector_process import ProjectorProcess

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Process

RUNS = 'SELECT count(*) FROM provenance."Run"'
AGAIN = "It is restarted."


def assert_draws(collector: Process, runs: int) -> None:
    """Post an event of another run, and wait for ``runs`` runs in the graph."""
    assert collector.post("/api/v1/lineage", run_event(f"r{runs}", "START", 1)).status_code == 201
    with collector.drawn() as conn:
        assert conn.execute(RUNS).fetchall() == [(runs,)]


def assert_ends(pid: int) -> None:
    with open(os.pidfd_open(pid)) as process:
        assert select.select([process], [], [], 30)[0], f"process {pid} runs for ever"


def test_it_is_started_again_when_it_was_killed(process: Process, tmp_path: Path) -> None:
    assert_draws(process, runs=1)
    killed = process.projector()
    os.kill(killed, signal.SIGKILL)
    assert_draws(process, runs=2)
    assert process.projector() != killed
    said = (tmp_path / "collector.log").read_text()
    assert said.count(AGAIN) == 1
    assert "exit code -9" in said


def test_it_ends_with_a_collector_that_was_killed(process: Process) -> None:
    assert_draws(process, runs=1)
    projector = process.projector()
    process.process.kill()
    assert_ends(projector)


def test_signals_do_not_end_it_before_the_collector(process: Process, tmp_path: Path) -> None:
    """systemd and terminals signal all processes: the last events are projected, too."""
    assert_draws(process, runs=1)
    projector = process.projector()
    for word in (signal.SIGTERM, signal.SIGINT):
        os.kill(projector, word)
    assert_draws(process, runs=2)
    assert process.projector() == projector
    process.process.terminate()
    assert_ends(projector)
    process.process.wait(30)
    assert AGAIN not in (tmp_path / "collector.log").read_text()


def tell_more_than_a_pipe_holds(projector: ProjectorProcess) -> None:
    for _ in range(100_000):
        projector.notify_events()


def test_nobody_waits_for_it_to_listen(dsn: str) -> None:
    with closing(ProjectorProcess(dsn)) as projector:
        os.kill(pid := spawned(os.getpid()), signal.SIGSTOP)
        telling = Thread(target=tell_more_than_a_pipe_holds, args=(projector,), daemon=True)
        telling.start()
        telling.join(30)
        os.kill(pid, signal.SIGCONT)
        assert not telling.is_alive()


def test_it_is_started_as_soon_as_that_is_possible(dsn: str) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    log, said = logging.getLogger(ProjectorProcess.__module__), SimpleQueue[logging.LogRecord]()
    log.addHandler(handler := QueueHandler(said))  # type: ignore[arg-type]
    os.close(lowest := os.dup(0))
    try:
        # No file can be opened. With a limit of 0, threads of earlier tests could not poll theirs.
        resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, hard))
        projector = ProjectorProcess(dsn)
        assert "cannot be started: [Errno 24]" in said.get(timeout=30).getMessage()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        log.removeHandler(handler)
    with closing(projector):
        assert spawned(os.getpid())
