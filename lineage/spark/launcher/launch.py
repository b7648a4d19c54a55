"""A Spark command that runs to its end with the listener, for ``lineage run``."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from lineage.errors import SpoolError, UsageError
from lineage.spark.launcher import jar
from lineage.spark.launcher.submit import LAUNCHERS, SparkCommand, with_listener

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import FrameType
    from typing import IO


def prepare_command(command: list[str], spool: Path, settings: Mapping[str, str]) -> SparkCommand:
    """Add the listener to ``command`` and create its spool directory.

    ``settings`` are Spark settings. Raises JarError, and SpoolError if the spool cannot be created.
    """
    path = jar.jar_path(*spark_of(command))
    try:
        spool.mkdir(parents=True)
    except OSError as error:
        raise SpoolError(
            f"The spool {spool} cannot be created: {error.strerror}.",
            "Choose another directory with --spool or LINEAGE_SPOOL.",
        ) from error
    # A collector in the environment is for drivers that are not started by ``lineage run``.
    ours = {"spark.lineage.transport": "file", "spark.lineage.spool": str(spool)}
    return with_listener(command, path, {**ours, **settings})


def spark_of(command: list[str]) -> jar.Spark:
    """Return the Spark of the launcher in the command, or else of the installed pyspark."""
    if Path(command[0]).name in LAUNCHERS and (launcher := shutil.which(command[0])):
        return jar.installed_spark(Path(launcher).resolve().parent.parent)
    return jar.installed_spark()


def new_spool(parent: Path) -> Path:
    """Return a unique directory for one command; the directory is not created."""
    return parent / f"run-{uuid4()}"


def remove_empty_spool(spool: Path) -> None:
    """Remove the directory of a command that wrote no plan document."""
    with suppress(OSError):  # it is not empty
        spool.rmdir()


def run_command(command: SparkCommand, stdout: IO[str] | None = None) -> int:
    """Run the command and return its exit code. Its stdout is that of this process by default.

    After a signal, the exit code is 128 plus the number of the signal, as in a shell. SIGTERM
    is forwarded to the command, and SIGINT is ignored here, so that the spool can be read
    afterwards. Raises UsageError if the command cannot be started.
    """
    try:
        process = subprocess.Popen(
            command.arguments,
            env={**os.environ, **command.environment, "PATH": _search_path()},
            stdout=stdout,
        )
    except OSError as error:
        raise UsageError(
            f"{command.arguments[0]} cannot be started: {error.strerror}.",
            "Add its directory to the PATH, or specify its full path.",
        ) from error
    with _signals_to(process):
        code = process.wait()
    return code if code >= 0 else 128 - code


def _search_path() -> str:
    """Return the PATH with this environment's programs last, which may have the only pyspark."""
    return os.pathsep.join([os.environ.get("PATH", os.defpath), str(Path(sys.executable).parent)])


@contextmanager
def _signals_to(process: subprocess.Popen[bytes]) -> Iterator[None]:
    def forward(number: int, frame: FrameType | None) -> None:
        process.send_signal(number)

    # A terminal sends SIGINT to the whole process group, so the command has received it already.
    before = {
        signal.SIGINT: signal.signal(signal.SIGINT, lambda number, frame: None),
        signal.SIGTERM: signal.signal(signal.SIGTERM, forward),
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
