"""Events of the column cases, recorded by the listener in a real Spark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from support.cases.columns import Case, Edge, claimed
from support.spark import recorded

if TYPE_CHECKING:
    from pathlib import Path

    from support.spark.recorded import Event

JOB = recorded.TESTS / "spark" / "jobs" / "columns.py"


@dataclass
class Recorded:
    """The last event of each case."""

    application: recorded.Recorded

    def end(self, case: Case) -> Event:
        return self.application.ends(case.name)[-1]

    def facets(self, case: Case) -> dict[str, Event]:
        """Return the facets by prefix of the column names: empty, or the table of several."""
        outputs = self.end(case)["outputs"]
        tables = [f"{output['name'].rsplit('/', 1)[-1]}." for output in outputs]
        names = tables if len(tables) > 1 else [""]
        facets = (output["facets"]["columnLineage"] for output in outputs)
        return dict(zip(names, facets, strict=True))

    def columns(self, case: Case) -> dict[str, set[Edge]]:
        return {
            f"{table}{name}": claimed(field["inputFields"])
            for table, facet in self.facets(case).items()
            for name, field in facet["fields"].items()
        }

    def rows(self, case: Case) -> set[Edge]:
        return {edge for facet in self.facets(case).values() for edge in claimed(facet["dataset"])}


def run(directory: Path, *words: str, timeout: float = 300) -> Recorded:
    """Run the job and read the recorded events."""
    return Recorded(recorded.run(JOB, directory, *words, timeout=timeout))
