"""How the JVMs of small Spark jobs start: that takes more of the processor than the jobs do.

Spark's classes come from an archive (class data sharing) instead of some 300 jars, which takes a
third off. The first test that starts a JVM has it made, once for a Spark and a JDK, in the tests'
cache. That goes on beside the tests: until it is there they start without.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from lineage import settings

# What the second compiler gains in a long job takes longer than a small one. Warnings of the JVM,
# as of an archive that does not fit the class path of a job, go to stdout unless they are disabled.
_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xlog:disable -Xlog:all=error:stderr"

# Compiling code for these jobs takes longer than the jobs themselves.
WITHOUT_CODE_GENERATION = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


def options() -> str:
    """The options of a JVM, with the archive if it is there."""
    archive = _archive()
    return f"{_OPTIONS} -XX:SharedArchiveFile={archive}" if archive.exists() else _OPTIONS


def environment() -> dict[str, str]:
    """Return the environment in which a program that starts Spark by itself starts a JVM so."""
    prepare()
    return {
        "SPARK_SUBMIT_OPTS": f"{options()} -Dspark.sql.shuffle.partitions=2",
        "SPARK_LOCAL_IP": "127.0.0.1",
    }


@cache
def prepare() -> subprocess.Popen[bytes] | None:
    """Have the archive made in the background, if it is not there. Nobody waits for it."""
    if _archive().exists():
        return None
    quiet = subprocess.DEVNULL
    return subprocess.Popen(
        [sys.executable, __file__],
        stdin=quiet,
        stdout=quiet,
        stderr=quiet,
        start_new_session=True,
    )


def _archive() -> Path:
    """It is of no use to another JDK, or to one whose jars were put there anew: Java compares."""
    java = Path(shutil.which("java") or "java").resolve()
    spark = find_spec("pyspark")
    jars = Path(spark.origin if spark and spark.origin else "").parent / "jars"
    files = [file for file in (java, jars) if file.exists()]
    key = repr([(str(file), file.stat().st_mtime_ns) for file in files])
    name = hashlib.sha256(key.encode()).hexdigest()[:16]
    return settings.cache_directory() / "class-archives" / f"{name}.jsa"


def _make() -> None:
    """Run a job whose JVM leaves the classes that it loaded. Another that does so is left to it."""
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
            made = Path(work) / "archive"
            java = f"spark.driver.extraJavaOptions={_OPTIONS} -XX:ArchiveClassesAtExit={made}"
            conf = ["--conf", "spark.master=local[1]", "--conf", "spark.ui.enabled=false"]
            environment = {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
            command = [submit, *conf, "--conf", java, job, work]
            subprocess.run(command, env={**os.environ, **environment}, check=True)
            made.rename(archive)  # whole, or not at all: Java does not survive a part of one


if __name__ == "__main__":
    _make()
