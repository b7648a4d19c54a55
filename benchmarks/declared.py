"""Measure what a trace takes longer because it looks for declared edges where there are none.

python -m benchmarks.declared [--rounds N] [--dsn DSN]

The same traces with and without ``observed``, in turns, by their SQL function. With it, declared
edges are not looked for. DSN is a maintenance database of a server, as for benchmarks.emitter.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import TYPE_CHECKING, Any

from benchmarks import bulk
from benchmarks.emitter import fresh

if TYPE_CHECKING:
    import psycopg

DATASETS = "SELECT id FROM lineage.dataset WHERE name LIKE 'wide%%/l19/%%' ORDER BY id LIMIT 20"
TRACE = "SELECT count(*) FROM lineage.dataset_closure_edges(%s, 'upstream', %s, %s)"
DEPTHS = {"one hop": 1, "3 hops": 3, "whole closure": None}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--dsn")
    options = parser.parse_args()
    databases = fresh(options.dsn)
    with next(databases) as conn:
        bulk.load(conn, bulk.Shape(wide=1, narrow=8, runs=2))
        assert conn.execute("SELECT count(*) FROM lineage.declared").fetchall() == [(0,)]
        roots = [id for (id,) in conn.execute(DATASETS)]
        print("| trace | edges | ms, median | times without declared edges | least | most |")
        print("|---|---:|---:|---:|---:|---:|")
        for name, depth in DEPTHS.items():
            print_ratio(conn, name, roots, depth, options.rounds)
    databases.close()  # type: ignore[attr-defined]


def print_ratio(
    conn: psycopg.Connection[Any], name: str, roots: list[int], depth: int | None, rounds: int
) -> None:
    taken: dict[bool, list[float]] = {False: [], True: []}
    edges = 0
    for number in range(rounds + 1):
        for observed in (True, False) if number % 2 else (False, True):
            began = time.perf_counter()
            for root in roots:
                [(edges,)] = conn.execute(TRACE, ([root], depth, observed)).fetchall()
            if number:  # the first round fills the caches
                taken[observed].append(time.perf_counter() - began)
    ratios = [each / other for each, other in zip(taken[False], taken[True], strict=True)]
    each = statistics.median(taken[False]) / len(roots) * 1000
    print(
        f"| {name} | {edges:,} | {each:.2f} | {statistics.median(ratios):.3f} |"
        f" {min(ratios):.3f} | {max(ratios):.3f} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
