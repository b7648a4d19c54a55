"""A clean copy of the sources from which the wheel is built."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[3]


def run(*command: object, **environment: str) -> str:
    """Run a command and return its stdout. If it fails, its output is in the report."""
    done = subprocess.run(
        [str(word) for word in command],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def check_out(place: Path) -> Path:
    """Copy the files of a clean checkout, without jar, environment and build results."""
    listed = run("git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard")
    for name in listed.splitlines():
        if not name.startswith(("tests/", "docs/", "benchmarks/")):
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, place / name)
    return place
