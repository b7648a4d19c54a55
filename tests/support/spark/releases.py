"""Releases of Spark besides the one that is installed, from PyPI into the tests' cache."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from lineage.settings import cache_directory


def site(release: str) -> Path:
    """Return the directory that has ``pyspark`` of this release; it is installed on first use."""
    directory = cache_directory() / "pyspark" / release
    directory.parent.mkdir(parents=True, exist_ok=True)
    with (directory.parent / f"{release}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not directory.exists():
            _install(release, directory)
    return directory


def environment(release: str) -> dict[str, str]:
    """Return what has to stand in the environment for a job to run on this release."""
    return {
        "PYTHONPATH": os.pathsep.join([str(site(release)), str(Path(__file__).parents[2])]),
        "SPARK_HOME": str(site(release) / "pyspark"),
    }


def _install(release: str, directory: Path) -> None:
    uv = Path(sys.executable).parent / "uv"
    with TemporaryDirectory(dir=directory.parent) as work:
        target = Path(work) / "site"
        install = [uv, "pip", "install", "--quiet", "--compile-bytecode", "--target", target]
        subprocess.run(
            [*install, "--python", sys.executable, f"pyspark=={release}"],
            check=True,
        )
        target.rename(directory)
