"""What nobody uses, what goes round, how much there is: by the events and in the plainest way."""

from __future__ import annotations

from collections import Counter
from typing import Any

from support.reference.impact import Log


class Health(Log):
    """The events of a log, and questions to them as a whole."""

    def __init__(self, texts: list[str]) -> None:
        super().__init__(texts, 30)
        self.datasets = [key[1] for key in self.graph if key[0] == "Dataset"]
        self.pairs = {(source, target) for source, target, _ in self.feeds}
        self.declared = {
            key[1:3] for key in self.graph if key[0] == "DECLARED" and len(key) == len("dstj")
        }

    def kind(self, dataset: Any) -> str | None:
        """What kind of orphan it is, if any."""
        readers = self.readers(dataset)
        writers = {job for _, run, job in self._accesses(dataset, "outputs") if self._fed(run)}
        feeds = any(s == dataset != t for s, t in self.pairs)
        if self.used(dataset).last_written:
            return None if feeds or readers - writers else "unused"
        if readers or any(s == dataset for s, _ in self.pairs):
            return "external source"
        declared = {end for pair in self.declared for end in pair}
        return None if dataset in declared else "unreferenced"

    def silent(self, job: Any) -> bool:
        """Did none of its runs write, nor any that these started?"""
        runs = {key[2] for key in self.graph if key[0] == "EXECUTES" and key[1] == job}
        for _ in self.graph:
            runs |= {key[1] for key in self.graph if key[0] == "PARENT" and key[2] in runs}
        return not any(
            key[0] == "OUTPUTS" and key[1] in runs and self._fed(key[1]) for key in self.graph
        )

    def cycles(self, *, observed: bool = False) -> set[frozenset[Any]]:
        """Datasets that feed each other in a circle, and each that feeds itself alone."""
        leads = self.leads(self.pairs if observed else self.pairs | self.declared)
        found = {frozenset(e for e in leads[d] if d in leads[e]) for d in self.datasets}
        return {part for part in found if part}

    def parts(self) -> list[int]:
        """The sizes of what hangs together."""
        both = self.leads(self.pairs | {(target, source) for source, target in self.pairs})
        return sorted(map(len, {frozenset({d} | both[d]) for d in self.datasets}), reverse=True)

    def leads(self, pairs: set[tuple[Any, Any]]) -> dict[Any, set[Any]]:
        """What each dataset leads to in a step or more."""
        leads = {d: {target for source, target in pairs if source == d} for d in self.datasets}
        for _ in leads:
            for dataset, targets in leads.items():
                leads[dataset] = targets.union(*(leads[target] for target in targets))
        return leads

    def labels(self) -> Counter[str]:
        """How many there are of each label."""
        return Counter(key[0] for key in self.graph)

    def states(self) -> Counter[str]:
        """How many runs are in each state."""
        return Counter(
            properties.get("state", "unknown")
            for key, properties in self.graph.items()
            if key[0] == "Run"
        )

    def _fed(self, run: str) -> bool:
        return self.graph["Run", run].get("state") not in ("FAIL", "ABORT")
