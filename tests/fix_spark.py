"""Real Spark jobs: spark-submit with the listener, and what the listener recorded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import spark_java
from recorded import ENVIRONMENT
from spark_version import SPARK

from lineage.spark import jar

if TYPE_CHECKING:
    from collections.abc import Mapping

JOBS = Path(__file__).parent / "spark" / "jobs"

# A test runs small jobs: what matters is the start of the JVM.
SETTINGS = {
    "spark.master": "local[2]",
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    **spark_java.WITHOUT_CODE_GENERATION,
    "spark.extraListeners": "io.lineage.spark.LineageListener",
}


@dataclass
class Submitted:
    """A spark-submit that was started, and where it leaves what it does."""

    process: subprocess.Popen[str]
    directory: Path
    spool: Path

    def finish(self, timeout: float = 300) -> int:
        """Wait for the end and return the exit code."""
        return self.process.wait(timeout)

    def wait_for(self, name: str) -> None:
        """Wait until the job made this file; it is over if the job ends before."""
        deadline = time.monotonic() + 300
        while not (self.directory / name).exists():
            assert self.process.poll() is None, self.log[-3000:]
            assert time.monotonic() < deadline, f"no {name} within five minutes"
            time.sleep(0.05)

    @property
    def log(self) -> str:
        return (self.directory / "spark.log").read_text()

    def documents(self, **wanted: object) -> list[dict[str, Any]]:
        """The complete documents of the spool, in order, whose fields have these values."""
        lines = [
            line
            for file in sorted(self.spool.glob("*.jsonl"))
            for line in file.read_text().splitlines(keepends=True)
        ]
        documents = [json.loads(line) for line in lines if line.endswith("\n")]
        return [d for d in documents if all(d.get(key) == wanted[key] for key in wanted)]


class SparkSubmit:
    """Starts jobs of tests/spark/jobs, each in a new directory below one."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self._started: list[Submitted] = []

    def start(
        self,
        job: str,
        *arguments: str,
        conf: Mapping[str, str] | None = None,
        env: Mapping[str, str] | None = None,
        listener: Path | None = None,
    ) -> Submitted:
        """Start a job. It finds its own directory as the first argument."""
        directory = self.base / f"{len(self._started)}-{Path(job).stem}"
        directory.mkdir()
        spool = directory / "spool"
        spark_java.prepare()
        settings = {
            **SETTINGS,
            "spark.driver.extraJavaOptions": spark_java.options(),
            "spark.lineage.spool": str(spool),
            "spark.sql.warehouse.dir": str(directory / "warehouse"),
            **(conf or {}),
        }
        with (directory / "spark.log").open("w") as log:
            process = subprocess.Popen(
                self._command(job, directory, settings, listener, *arguments),
                cwd=directory,
                env={**os.environ, **ENVIRONMENT, **(env or {})},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                text=True,
                start_new_session=True,
            )
        submitted = Submitted(process, directory, spool)
        self._started.append(submitted)
        return submitted

    def _command(
        self,
        job: str,
        directory: Path,
        settings: Mapping[str, str],
        listener: Path | None,
        *arguments: str,
    ) -> list[str]:
        jars = listener or jar.path(*jar.installed())
        words = [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]
        submit = str(Path(sys.executable).parent / "spark-submit")
        return [submit, "--jars", str(jars), *words, str(JOBS / job), str(directory), *arguments]

    def close(self) -> None:
        """Leave no process behind, whatever became of the tests."""
        for submitted in self._started:
            if submitted.process.poll() is None:
                os.killpg(submitted.process.pid, 9)
            submitted.process.wait()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A case that this Spark cannot run does not apply; it is counted as skipped."""
    for item in items:
        case = item.callspec.params.get("case") if hasattr(item, "callspec") else None
        since = getattr(case, "since", SPARK)
        if since > SPARK:
            reason = f"Spark has it since {'.'.join(map(str, since))}"
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def spark_submit(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Starts Spark jobs and stops what is left of them at the end."""
    submit = SparkSubmit(tmp_path_factory.mktemp("spark"))
    yield submit
    submit.close()
