"""Measure the analyses of ``lineage rank`` on a random layered graph, without the database.

python -m benchmarks.analyses [--edges N]

There are four edges for each dataset, from datasets of the layer before it. The memory is that of
the whole process when an analysis has ended, with the graphs of those before it.
"""

from __future__ import annotations

import argparse
import random
import resource
import time
from itertools import islice
from typing import TYPE_CHECKING

from lineage.query.graph_structure import GraphStructure
from lineage.query.ranking import compute_ranks

if TYPE_CHECKING:
    from collections.abc import Callable

LAYERS = 50
EDGES_PER_DATASET = 4
DEPENDENTS_OF = 100  # datasets whose dependents are counted


def make_pairs(edges: int) -> list[tuple[int, int]]:
    """Return so many pairs of source and target, a few of them equal."""
    numbers = random.Random(1)
    layer = max(1, edges // EDGES_PER_DATASET // LAYERS)
    targets = (numbers.randrange(layer, layer * LAYERS) for _ in range(edges))
    return [
        ((target // layer - 1) * layer + numbers.randrange(layer), target) for target in targets
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edges", type=int, default=1_000_000)
    pairs = make_pairs(parser.parse_args().edges)
    structures: list[GraphStructure] = []
    ranks = {}

    def rank() -> None:
        ranks.update(compute_ranks(pairs))

    def count_dependents() -> None:
        structures[0].count_reachable(list(islice(ranks, DEPENDENTS_OF)))

    steps: dict[str, Callable[[], object]] = {
        "ranks": rank,
        "structure": lambda: structures.append(GraphStructure(pairs)),
        "components": lambda: structures[0].component_sizes(),
        "longest chain": lambda: structures[0].longest_chain(),
        f"dependents of {DEPENDENTS_OF} datasets": count_dependents,
    }
    print(f"{len(pairs):,} edges\n| analysis | processor, s | memory, GB |\n|---|---:|---:|")
    for name, step in steps.items():
        before = time.process_time()
        step()
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 / 1024
        print(f"| {name} | {time.process_time() - before:.1f} | {memory:.1f} |", flush=True)
    print(f"\n{len(ranks):,} datasets.")


if __name__ == "__main__":
    main()
