"""What the listener recorded of an application that ran cases, each in a job group of its name."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from openlineage.client.serde import Serde

from lineage.spark.applications import events
from lineage.spark.spool import find

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Event = dict[str, Any]


@dataclass
class Recorded:
    """The events of one application that ran all cases."""

    directory: Path
    events: list[Event]

    def ends(self, case: str) -> list[Event]:
        """The terminal events of the executions of a case."""
        return [
            event
            for event in self.events
            if event["eventType"] != "START" and self._case(event) == case
        ]

    @staticmethod
    def _case(event: Event) -> object:
        """The job group; Spark 3.5 tells of it the description alone, which cases have the same."""
        facts = event["run"]["facets"].get("lineage_execution", {}).get("facts", {})
        return facts.get("jobGroup", facts.get("description"))

    def named(self, datasets: list[Event]) -> set[str]:
        """Names below the directory, and those of views without their database."""
        return {self.name(item) for item in datasets}

    def name(self, dataset: Event) -> str:
        """A name below the directory, and that of a view without its database."""
        base = f"{self.directory}/"
        return str(dataset["name"]).removeprefix(base).removeprefix("default.")


def run(
    job: Path, directory: Path, *arguments: str, environment: Mapping[str, str], timeout: int = 300
) -> Recorded:
    """Run ``job DIRECTORY ARGUMENTS...`` to its end and return what its spool holds."""
    done = subprocess.run(
        [sys.executable, job, directory, *arguments],
        cwd=directory,
        env={"PYSPARK_PYTHON": sys.executable, **environment},  # workers find what we have
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    bad: list[object] = []
    found = [Serde.to_dict(event) for event in events(find(directory / "spool"), bad.append)]
    assert bad == []
    return Recorded(directory, found)
