"""Other releases of Spark than the installed one, from PyPI into the tests' cache."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from lineage.settings import cache_directory


def site(release: str) -> Path:
    """Return the directory of ``pyspark`` in this release. Install it on first use."""
    directory = cache_directory() / "pyspark" / release
    directory.parent.mkdir(parents=True, exist_ok=True)
    with (directory.parent / f"{release}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not directory.exists():
            _install(release, directory)
    return directory


def environment(release: str) -> dict[str, str]:
    """Return the environment variables with which a job runs on this release."""
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
