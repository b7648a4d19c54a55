"""The TPC-H queries as a real Spark ran them with the listener."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openlineage.client.serde import Serde
from spark_column_cases import claimed

from lineage.spark.applications import events
from lineage.spark.spool import find

if TYPE_CHECKING:
    from tpch_queries import Query

JOB = Path(__file__).parent / "spark" / "jobs" / "tpch.py"
Event = dict[str, Any]


@dataclass
class Recorded:
    """The last event of each query."""

    ends: dict[str | None, Event]

    def facet(self, query: Query) -> Event:
        (output,) = self.ends[query.name]["outputs"]
        return dict(output["facets"]["columnLineage"])

    def columns(self, query: Query) -> dict[str, set[Any]]:
        fields = self.facet(query)["fields"]
        return {name: claimed(field["inputFields"]) for name, field in fields.items()}

    def rows(self, query: Query) -> set[Any]:
        return claimed(self.facet(query)["dataset"])


def run(directory: Path, *words: str, timeout: float = 300) -> Recorded:
    """Run the job and read what the listener left."""
    done = subprocess.run(
        [sys.executable, JOB, directory, *words],
        cwd=directory,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parent), "SPARK_LOCAL_IP": "127.0.0.1"},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    bad: list[object] = []
    found = map(Serde.to_dict, events(find(directory / "spool"), bad.append))
    ends = {_query(event): event for event in found if event["eventType"] == "COMPLETE"}
    assert bad == []
    return Recorded(ends)


def _query(event: Event) -> str | None:
    facet = event["run"]["facets"].get("lineage_execution", {})
    name = facet.get("facts", {}).get("jobGroup")
    return str(name) if name else None
