"""Each way in which a program can end, as a process: its events are delivered."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support.slow import slow

if TYPE_CHECKING:
    from collections.abc import Mapping

PROGRAM = Path(__file__).with_name("program.py")


def environment(tmp_path: Path) -> Mapping[str, str]:
    own = {"TARGET": str(tmp_path / "out.jsonl"), "LINEAGE_HUB_SPOOL": str(tmp_path / "spool")}
    return {**os.environ, **own}


def delivered(tmp_path: Path) -> list[int]:
    return sorted(numbers(tmp_path / "out.jsonl"))


def on_disk(tmp_path: Path) -> list[int]:
    journals = sorted((tmp_path / "spool").glob("lines-journal-*.jsonl"))
    return [number for file in journals for number in numbers(file)]


def numbers(file: Path) -> list[int]:
    lines = file.read_text().splitlines() if file.exists() else []
    return [json.loads(line)["number"] for line in lines]


# The numbers of events around the ends of batches of 100, and those of the slow tests.
AROUND_BATCHES = [1, 99, 100, 101, 250]
BETWEEN = [slow(seen) for seen in range(22, 400, 21)]


@pytest.mark.parametrize(
    ("ending", "exit_code", "count"),
    [
        ("normal", 0, 250),
        ("exit", 3, 250),
        ("exception", 1, 250),
        ("interrupt", 1, 250),
        ("term", 0, 250),
        slow("fork", 0, 500),
        ("nested-fork", 0, 750),
        ("fork-process", 0, 500),
        slow("fork-pool", 0, 500),
        slow("spawn-process", 0, 500),
        ("spawn-pool", 0, 500),
        slow("forkserver-process", 0, 500),
        ("fork-workers", 0, 500),
        slow("spawn-workers", 0, 500),
    ],
)
def test_all_events_are_delivered_once(tmp_path: Path, ending: str, exit_code: int, count: int):
    done = subprocess.run(
        [sys.executable, str(PROGRAM), ending],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    # Python ends itself by SIGINT, or with 1 if a thread imports a module meanwhile.
    ended_by_interrupt = ending == "interrupt" and done.returncode == -signal.SIGINT
    assert done.returncode == exit_code or ended_by_interrupt, done.stderr
    assert delivered(tmp_path) == list(range(count))


def test_a_child_that_is_forked_while_a_sink_loads_can_load_it(tmp_path: Path):
    """The module of the sink is imported slowly, in the thread of the sink."""
    directory = tmp_path / "modules"
    directory.mkdir()
    (directory / "slow_sink.py").write_text("import time\ntime.sleep(0.5)\nNAME = 'slow'\n")
    env = {**environment(tmp_path), "PYTHONPATH": str(directory), "SLOW_MODULE": "slow_sink"}
    subprocess.run([sys.executable, str(PROGRAM), "fork"], env=env, check=True)
    assert delivered(tmp_path) == list(range(500))


@pytest.mark.parametrize(
    "module",
    ["lineage.hub.observations", "lineage.sql.column_flows", "sqlglot.optimizer.qualify"],
)
def test_a_child_that_is_forked_while_a_thread_reads_sql_can_read_it(module: str):
    program = PROGRAM.with_name("forking_program.py")
    subprocess.run([sys.executable, str(program), module], timeout=120, check=True)


def test_an_abrupt_exit_loses_what_lingers_and_nothing_if_durable(tmp_path: Path):
    """``os._exit`` runs no function of ``atexit``; the last 50 of 250 events fill no batch."""
    for durable, least in (("N", 0), ("Y", 250)):
        env = {**environment(tmp_path / durable), "LINEAGE_DURABLE": durable}
        (tmp_path / durable).mkdir()
        done = subprocess.run([sys.executable, str(PROGRAM), "abrupt"], env=env, check=False)
        assert done.returncode == 7
        sent, journaled = delivered(tmp_path / durable), on_disk(tmp_path / durable)
        assert len(sent) == len(set(sent))
        assert set(sent) <= set(range(250))
        assert len({*sent, *journaled}) >= least


@pytest.mark.parametrize("seen", [*AROUND_BATCHES, *BETWEEN])
def test_a_killed_program_loses_at_most_a_batch(tmp_path: Path, seen: int):
    """The sink has each batch of 100 before the next is complete, as at a moderate rate."""
    emitted = kill_program({**environment(tmp_path), "WAITS_FOR_BATCHES": "Y"}, seen)
    received = delivered(tmp_path)
    assert received == list(range(len(received)))
    assert emitted - len(received) <= 100


@pytest.mark.parametrize("seen", [*AROUND_BATCHES, *BETWEEN])
def test_a_killed_program_loses_at_most_the_linger_and_a_batch(tmp_path: Path, seen: int):
    """The queue has less than a batch of 100, and another may be on its way to the sink."""
    emitted = kill_program(environment(tmp_path), seen)
    assert emitted - len(delivered(tmp_path)) <= 200


@pytest.mark.parametrize("seen", [1, 40, 399, 1999])
def test_a_killed_program_that_is_durable_loses_no_end(tmp_path: Path, seen: int):
    emitted = kill_program({**environment(tmp_path), "LINEAGE_DURABLE": "Y"}, seen)
    journaled = on_disk(tmp_path)
    assert set(range(emitted)) <= {*delivered(tmp_path), *journaled}
    assert len(journaled) <= 2000, "files whose events were sent are removed"


def test_a_durable_program_that_ends_leaves_no_journal(tmp_path: Path):
    env = {**environment(tmp_path), "LINEAGE_DURABLE": "Y"}
    subprocess.run([sys.executable, str(PROGRAM), "normal"], env=env, check=True)
    assert delivered(tmp_path) == list(range(250))
    assert list((tmp_path / "spool").iterdir()) == []


def kill_program(env: Mapping[str, str], seen: int) -> int:
    """Kill the program once it has emitted ``seen`` events; return how many it emitted."""
    command = [sys.executable, str(PROGRAM), "kill"]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout
        for _ in range(seen):
            program.stdout.readline()
        program.kill()
        rest = program.stdout.read().splitlines(keepends=True)
    return seen + sum(line.endswith("\n") for line in rest)
