"""Commands that need Spark, on a machine without Java."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from support.events.builders import run_event

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "words",
    [["stats", "lake"], ["add", "lake", "a.jsonl"], ["add", "lake", "a.jsonl", "--no-lineage"]],
)
def test_a_command_of_the_lake_without_java_says_what_to_install(
    tmp_path: Path, words: list[str]
) -> None:
    (tmp_path / "a.jsonl").write_text(run_event("r", "COMPLETE", 1, "load", ("raw",)))
    program = "from lineage_cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "lake", *words],
        cwd=tmp_path,
        env={**os.environ, "JAVA_HOME": str(tmp_path / "nothing")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "Error: Spark did not start: [JAVA_GATEWAY_EXITED]" in done.stderr
    assert "set JAVA_HOME." in done.stderr
    assert "Traceback" not in done.stderr
