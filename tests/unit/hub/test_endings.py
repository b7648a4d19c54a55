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
    lines = (tmp_path / "out.jsonl").read_text().splitlines()
    return sorted(json.loads(line)["number"] for line in lines)


@pytest.mark.parametrize(
    ("ending", "exit_code", "count"),
    [
        ("normal", 0, 250),
        ("exit", 3, 250),
        ("exception", 1, 250),
        ("interrupt", -signal.SIGINT, 250),
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
    assert done.returncode == exit_code, done.stderr
    assert delivered(tmp_path) == list(range(count))


@pytest.mark.parametrize("seen", range(1, 400, 57))
def test_a_killed_program_loses_less_than_a_batch(tmp_path: Path, seen: int):
    """The loss is at most what was emitted during the linger, and a batch that was being sent."""
    command = [sys.executable, str(PROGRAM), "kill"]
    with subprocess.Popen(
        command, env=environment(tmp_path), stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout
        for _ in range(seen):
            program.stdout.readline()
        program.kill()
        rest = program.stdout.read().splitlines(keepends=True)
    emitted = seen + sum(line.endswith("\n") for line in rest)
    file = tmp_path / "out.jsonl"
    count = len(delivered(tmp_path)) if file.exists() else 0
    assert emitted - count <= 100
