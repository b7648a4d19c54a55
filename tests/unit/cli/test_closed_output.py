"""A reader that ends early, such as ``head``, and a disk without space."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = "from lineage_cli import main; main()"
COMMAND = [sys.executable, "-c", PROGRAM, "queries", "list", "--format", "json"]
SPOOL = Path(__file__).parents[2] / "golden/spools/batch.jsonl"


def test_a_closed_pipe_ends_a_command_quietly() -> None:
    with subprocess.Popen(
        COMMAND, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        errors = process.stderr.read()
    assert (process.returncode, errors) == (141, "")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&- 2>&-"])
def test_streams_that_a_daemon_closes_are_empty(closed: str) -> None:
    convert = [sys.executable, "-c", PROGRAM, "convert", "-"]
    for command in (COMMAND, convert):
        shell = ["sh", "-c", f'exec "$@" {closed}', "sh", *command]
        done = subprocess.run(shell, input="", capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "command", [COMMAND, [sys.executable, "-c", PROGRAM, "convert", str(SPOOL)]]
)
def test_a_disk_without_space_is_an_error_of_one_line(command: list[str]) -> None:
    with Path("/dev/full").open("w") as output:
        done = subprocess.run(command, stdout=output, stderr=subprocess.PIPE, text=True)
    assert done.stderr == "Error: Output cannot be written: No space left on device.\n"
    assert done.returncode == 2
