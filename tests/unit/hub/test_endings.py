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

if TYPE_CHECKING:
    from collections.abc import Mapping

PROGRAM = Path(__file__).with_name("program.py")


def environment(tmp_path: Path) -> Mapping[str, str]:
    own = {"TARGET": str(tmp_path / "out.jsonl"), "LINEAGE_HUB_SPOOL": str(tmp_path / "spool")}
    return {**os.environ, **own}


def delivered(tmp_path: Path) -> list[int]:
    return sorted(numbers(tmp_path / "out.jsonl"))


def numbers(file: Path) -> list[int]:
    lines = file.read_text().splitlines() if file.exists() else []
    return [json.loads(line)["number"] for line in lines]


@pytest.mark.parametrize(
    ("ending", "exit_code", "count"),
    [
        ("normal", 0, 250),
        ("exit", 3, 250),
        ("exception", 1, 250),
        ("interrupt", 1, 250),
        ("term", 0, 250),
        ("fork", 0, 500),
        ("nested-fork", 0, 750),
        ("fork-process", 0, 500),
        ("fork-pool", 0, 500),
        ("spawn-process", 0, 500),
        ("spawn-pool", 0, 500),
        ("forkserver-process", 0, 500),
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


@pytest.mark.parametrize("seen", range(1, 400, 57))
def test_a_killed_program_loses_at_most_the_linger_and_a_batch(tmp_path: Path, seen: int):
    """The queue has less than a batch of 100, and another may be on its way to the sink."""
    emitted = kill_program(environment(tmp_path), seen)
    assert emitted - len(delivered(tmp_path)) <= 200


@pytest.mark.parametrize("seen", [1, 40, 399, 1999])
def test_a_killed_program_that_is_durable_loses_no_end(tmp_path: Path, seen: int):
    emitted = kill_program({**environment(tmp_path), "LINEAGE_DURABLE": "Y"}, seen)
    journals = sorted((tmp_path / "spool").glob("lines-journal-*.jsonl"))
    on_disk = [number for file in journals for number in numbers(file)]
    assert set(range(emitted)) <= {*delivered(tmp_path), *on_disk}
    assert len(on_disk) <= 2000, "files whose events were sent are removed"


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
