"""Reference implementation of orphans, cycles and statistics, computed from the list of events."""

from __future__ import annotations

from collections import Counter
from typing import Any

from support.reference.impact import Log


class Health(Log):
    """The events of a log, with queries over all of them."""

    def __init__(self, texts: list[str]) -> None:
        super().__init__(texts, 30)
        self.datasets = [key[1] for key in self.graph if key[0] == "Dataset"]
        self.pairs = {(source, target) for source, target, _ in self.feeds}
        self.declared = {
            key[1:3] for key in self.graph if key[0] == "DECLARED" and len(key) == len("dstj")
        }

    def kind(self, dataset: Any) -> str | None:
        """Return the kind of orphan of ``dataset``; None if it is not an orphan."""
        readers = self.readers(dataset)
        writers = {job for _, run, job in self.row_writes(dataset) if self._fed(run)}
        feeds = any(s == dataset != t for s, t in self.pairs)
        if self.used(dataset).last_written:
            designed = any(s == dataset != t for s, t in self.declared) or self._is_read_alone(
                dataset
            )
            return None if feeds or designed or readers - writers - self.checks else "unused"
        if readers or any(s == dataset for s, _ in self.pairs):
            return "external source"
        declared = {end for pair in self.declared for end in pair}
        declared.update(of for of, _, _ in self.designed)
        return None if dataset in declared else "unreferenced"

    def _is_read_alone(self, dataset: Any) -> bool:
        """Return whether a design of a job that writes nothing reads the dataset."""
        writers = {job for _, job, output in self.designed if output}
        return any(
            of == dataset and not output and job not in writers for of, job, output in self.designed
        )

    def silent(self, job: Any) -> bool:
        """Return whether neither the runs of ``job``, no check, nor their descendants wrote."""
        runs = {key[2] for key in self.graph if key[0] == "EXECUTES" and key[1] == job}
        for _ in self.graph:
            runs |= {key[1] for key in self.graph if key[0] == "PARENT" and key[2] in runs}
        return job not in self.checks and not any(
            key[0] == "OUTPUTS" and key[1] in runs and self._fed(key[1]) for key in self.graph
        )

    def cycles(self, *, observed: bool = False) -> set[frozenset[Any]]:
        """Return the strongly connected components, and the datasets that feed themselves."""
        leads = self.leads(self.pairs if observed else self.pairs | self.declared)
        found = {frozenset(e for e in leads[d] if d in leads[e]) for d in self.datasets}
        return {part for part in found if part}

    def parts(self) -> list[int]:
        """Return the sizes of the weakly connected components."""
        both = self.leads(self.pairs | {(target, source) for source, target in self.pairs})
        return sorted(map(len, {frozenset({d} | both[d]) for d in self.datasets}), reverse=True)

    def leads(self, pairs: set[tuple[Any, Any]]) -> dict[Any, set[Any]]:
        """Return the datasets reachable from each dataset by at least one edge."""
        leads = {d: {target for source, target in pairs if source == d} for d in self.datasets}
        for _ in leads:
            for dataset, targets in leads.items():
                leads[dataset] = targets.union(*(leads[target] for target in targets))
        return leads

    def labels(self) -> Counter[str]:
        """Count vertices and edges by label."""
        return Counter(key[0] for key in self.graph)

    def states(self) -> Counter[str]:
        """Count runs by state."""
        return Counter(
            properties.get("state", "unknown")
            for key, properties in self.graph.items()
            if key[0] == "Run"
        )

    def _fed(self, run: str) -> bool:
        return self.graph["Run", run].get("state") not in ("FAIL", "ABORT")
