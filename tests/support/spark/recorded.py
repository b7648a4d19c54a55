"""Events of an application that ran cases, each in a job group with the name of the case."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openlineage.client.serde import Serde

from lineage.spark.conversion.applications import convert_applications
from lineage.spark.document.spool import find_applications
from support.spark import java

if TYPE_CHECKING:
    from collections.abc import Mapping

TESTS = Path(__file__).parents[2]
# Jobs import our modules, and Python workers import the packages of this environment.
ENVIRONMENT = {
    "PYSPARK_PYTHON": sys.executable,
    "PYTHONPATH": str(TESTS),
    "SPARK_LOCAL_IP": "127.0.0.1",
}

Event = dict[str, Any]


@dataclass
class Recorded:
    """The events of one application that ran all cases."""

    directory: Path
    events: list[Event]

    def of(self, case: str) -> list[Event]:
        """Return the events of the executions of a case."""
        return [event for event in self.events if group(event) == case]

    def ends(self, case: str) -> list[Event]:
        """Return the terminal events of the executions of a case."""
        return [event for event in self.of(case) if event["eventType"] != "START"]

    def named(self, datasets: list[Event]) -> set[str]:
        """Return the names below the directory, and those of views without their database."""
        return {self.name(item) for item in datasets}

    def name(self, dataset: Event) -> str:
        """Return a name below the directory, or that of a view without its database."""
        base = f"{self.directory}/"
        return str(dataset["name"]).removeprefix(base).removeprefix("default.")


def group(event: Event) -> str | None:
    """Return the job group. Spark 3.5 reports its description instead, equal to it in cases."""
    facts = event["run"]["facets"].get("lineage_execution", {}).get("facts", {})
    found: str | None = facts.get("jobGroup", facts.get("description"))
    return found


def told(spool: Path) -> list[Event]:
    """Convert the documents of a spool to events. Each document must be valid."""
    bad: list[object] = []
    found = [
        Serde.to_dict(event) for event in convert_applications(find_applications(spool), bad.append)
    ]
    assert bad == []
    return found


def run(
    job: Path,
    directory: Path,
    *arguments: str,
    environment: Mapping[str, str] | None = None,
    timeout: float = 900,  # long enough for a busy machine
) -> Recorded:
    """Run ``job DIRECTORY ARGUMENTS...`` to its end and return the events of its spool."""
    java.prepare()
    done = subprocess.run(
        [sys.executable, job, directory, *arguments],
        cwd=directory,
        env={**os.environ, **ENVIRONMENT, **(environment or {})},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return Recorded(directory, told(directory / "spool"))
