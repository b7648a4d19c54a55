"""A reader that ends early, such as ``head``."""

from __future__ import annotations

import subprocess
import sys


def test_a_closed_pipe_ends_a_command_quietly() -> None:
    program = "from lineage_cli import main; main()"
    command = [sys.executable, "-c", program, "queries", "list", "--format", "json"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        errors = process.stderr.read()
    assert (process.returncode, errors) == (141, "")
