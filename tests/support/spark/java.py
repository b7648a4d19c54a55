"""Options of the JVMs of small Spark jobs, whose start takes longer than the jobs.

Spark's classes come from an archive (class data sharing) instead of some 300 jars, which saves a
third of the time. The first test that starts a JVM has the archive created in the background, in
the tests' cache, once for each Spark and JDK. Until it exists, JVMs start without it. Archives take
170 MB each, so those of other virtual environments are removed after a week.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import time
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from lineage import settings

# The second compiler takes more time than a small job gains from it. Warnings of the JVM, such as
# that an archive does not match the class path, go to stdout unless they are disabled.
_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xlog:disable -Xlog:all=error:stderr"

# Settings of Spark that save time: the web server of the UI takes a second to start.
_SETTINGS = "-Dspark.sql.shuffle.partitions=2 -Dspark.ui.enabled=false"

# Compiling code for these jobs takes longer than the jobs themselves.
WITHOUT_CODE_GENERATION = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


def options() -> str:
    """Return the options of a JVM, with the archive if it exists."""
    archive = _archive()
    return f"{_OPTIONS} -XX:SharedArchiveFile={archive}" if archive.exists() else _OPTIONS


def environment() -> dict[str, str]:
    """Return the environment that passes these options to a program that starts Spark."""
    prepare()
    return {
        "SPARK_SUBMIT_OPTS": f"{options()} {_SETTINGS}",
        "SPARK_LOCAL_IP": "127.0.0.1",
    }


@cache
def prepare() -> None:
    """Start to create the archive in the background if it does not exist."""
    if not _archive().exists():
        quiet = subprocess.DEVNULL
        # The shell ends at once, and this process does not have to wait for the other.
        subprocess.run(
            ["sh", "-c", '"$@" &', "sh", sys.executable, __file__],
            stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True, check=True,
        )  # fmt: skip


def _archive() -> Path:
    """Return the path of the archive. Java rejects it after a change of the JDK or of the jars."""
    java = Path(shutil.which("java") or "java").resolve()
    spark = find_spec("pyspark")
    jars = Path(spark.origin if spark and spark.origin else "").parent / "jars"
    files = [file for file in (java, jars) if file.exists()]
    key = repr([(str(file), file.stat().st_mtime_ns) for file in files])
    name = hashlib.sha256(key.encode()).hexdigest()[:16]
    return settings.cache_directory() / "class-archives" / f"{name}.jsa"


def _make() -> None:
    """Run a job whose JVM archives its loaded classes, unless another process is doing so."""
    archive = _archive()
    archive.parent.mkdir(parents=True, exist_ok=True)
    submit = Path(sys.executable).parent / "spark-submit"
    job = Path(__file__).parents[2] / "spark" / "jobs" / "two_steps.py"
    with (
        archive.with_suffix(".lock").open("w") as lock,
        contextlib.suppress(BlockingIOError),
        TemporaryDirectory(dir=archive.parent) as work,
    ):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not archive.exists():
            _remove_old(archive.parent)
            made = Path(work) / "archive"
            java = f"spark.driver.extraJavaOptions={_OPTIONS} -XX:ArchiveClassesAtExit={made}"
            conf = ["--conf", "spark.master=local[1]", "--conf", "spark.ui.enabled=false"]
            environment = {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
            command = [submit, *conf, "--conf", java, job, work]
            subprocess.run(command, env={**os.environ, **environment}, check=True)
            made.rename(archive)  # atomic: Java crashes on an incomplete archive


def _remove_old(directory: Path) -> None:
    for archive in directory.glob("*.jsa"):
        if archive.stat().st_mtime < time.time() - 7 * 24 * 3600:
            archive.unlink()


if __name__ == "__main__":
    _make()
