"""A Spark command run to its end with our listener: what ``lineage run`` does."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from lineage.errors import SpoolError, UsageError
from lineage.spark.launcher import jar
from lineage.spark.launcher.submit import LAUNCHERS, SparkCommand, with_listener

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import FrameType


def prepare_command(command: list[str], spool: Path, settings: Mapping[str, str]) -> SparkCommand:
    """Return ``command`` with the listener, spooling to ``spool``, which is made.

    ``settings`` are Spark's. Raises JarError and SpoolError.
    """
    path = jar.jar_path(*_spark_of(command))
    try:
        spool.mkdir(parents=True)
    except OSError as error:
        raise SpoolError(
            f"The spool {spool} cannot be made: {error.strerror}.",
            "Name another with --spool or LINEAGE_SPOOL.",
        ) from error
    # A collector that the environment names is for drivers that nobody waits for.
    ours = {"spark.lineage.transport": "file", "spark.lineage.spool": str(spool)}
    return with_listener(command, path, {**ours, **settings})


def _spark_of(command: list[str]) -> jar.Spark:
    """The Spark of the launcher that is named; of what is installed where there is none."""
    if Path(command[0]).name in LAUNCHERS and (launcher := shutil.which(command[0])):
        return jar.installed_spark(Path(launcher).resolve().parent.parent)
    return jar.installed_spark()


def new_spool(parent: Path) -> Path:
    """Return a directory of its own for one command, not made yet."""
    return parent / f"run-{uuid4()}"


def run_command(command: SparkCommand) -> int:
    """Run the command and return its exit code, as a shell would: 128 and the signal for one.

    Signals that would end us go to the command, so that we can still read what it left.
    Raises UsageError where there is no such command.
    """
    try:
        process = subprocess.Popen(
            command.arguments, env={**os.environ, **command.environment, "PATH": _search_path()}
        )
    except OSError as error:
        raise UsageError(
            f"{command.arguments[0]} cannot be run: {error.strerror}.",
            "Put it on the PATH, or name it by its whole path.",
        ) from error
    with _signals_to(process):
        code = process.wait()
    return code if code >= 0 else 128 - code


def _search_path() -> str:
    """The PATH, with the programs of our own environment last: pyspark's may be there alone."""
    return os.pathsep.join([os.environ.get("PATH", os.defpath), str(Path(sys.executable).parent)])


@contextmanager
def _signals_to(process: subprocess.Popen[bytes]) -> Iterator[None]:
    def forward(number: int, frame: FrameType | None) -> None:
        process.send_signal(number)

    # A terminal sends SIGINT to the whole group: the command has it already.
    before = {
        signal.SIGINT: signal.signal(signal.SIGINT, lambda number, frame: None),
        signal.SIGTERM: signal.signal(signal.SIGTERM, forward),
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
