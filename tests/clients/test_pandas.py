"""Observed file systems with pandas 3, which accepts chained URLs and opens Parquet by pyarrow."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from support.services.client_packages import PANDAS

ROOT = Path(__file__).parents[2]


def test_observed_file_systems_with_pandas_3() -> None:
    python = PANDAS.bin() / "python"
    install = [Path(sys.executable).parent / "uv", "pip", "install", "--quiet", "--python", python]
    own = ["--no-deps", "--no-build-isolation", "-e", ROOT]
    subprocess.run([*install, *own], check=True)
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--noconftest"]
    done = subprocess.run(
        [*command, "tests/unit/observe/test_filesystem.py"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert "passed" in done.stdout
