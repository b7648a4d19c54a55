"""Events of the TPC-H queries, recorded by the listener in a real Spark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from support.cases.columns import claimed
from support.spark import recorded

if TYPE_CHECKING:
    from pathlib import Path

    from support.cases.tpch.queries import Query
    from support.spark.recorded import Event

JOB = recorded.TESTS / "spark" / "jobs" / "tpch.py"


@dataclass
class Recorded:
    """The last event of each query."""

    application: recorded.Recorded

    def end(self, query: Query) -> Event:
        (end,) = self.application.ends(query.name)
        return end

    def facet(self, query: Query) -> Event:
        (output,) = self.end(query)["outputs"]
        return dict(output["facets"]["columnLineage"])

    def columns(self, query: Query) -> dict[str, set[Any]]:
        fields = self.facet(query)["fields"]
        return {name: claimed(field["inputFields"]) for name, field in fields.items()}

    def rows(self, query: Query) -> set[Any]:
        return claimed(self.facet(query)["dataset"])


def run(directory: Path, *words: str, timeout: float = 900) -> Recorded:
    """Run the job and read the recorded events."""
    return Recorded(recorded.run(JOB, directory, *words, timeout=timeout))
