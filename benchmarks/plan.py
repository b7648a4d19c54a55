"""Measure the order of jobs without the database, compared with networkx's part of the work.

python -m benchmarks.plan [--jobs N] [--rounds N]

Each job reads three datasets of the 200 jobs before it, and writes one. networkx builds the graph
of jobs, and computes components and generations. "order" is components, levels, reduction and
critical path of the same graph; "whole plan" begins with the accesses and ends with the records of
jobs, edges and reasons. All run in turns; ratios are those of the medians.
"""

from __future__ import annotations

import argparse
import random
import time
from statistics import median
from typing import TYPE_CHECKING, Any

import networkx as nx

from lineage.orchestration.accesses import Access, DurationRow, JobAccesses, KindRow
from lineage.orchestration.arrangement import Arrangement
from lineage.orchestration.cycles import find_cyclic_components
from lineage.orchestration.job_graph import JobGraph, build_job_graph
from lineage.orchestration.order import reduce_edges, sort_jobs, time_jobs
from lineage.query.records import Dataset

if TYPE_CHECKING:
    from collections.abc import Callable

SEED = 1
TIME = "2026-01-01T00:00:00.000000Z"


def make_accesses(jobs: int) -> JobAccesses:
    """Return the accesses of so many jobs without a cycle."""
    numbers = random.Random(SEED)
    accesses = JobAccesses()
    access = Access(TIME, TIME, TIME, (), declared=False, runs=1)
    for job in range(1, jobs + 1):
        name = f"job_{job:06}"
        accesses.kinds[job] = KindRow(job, "etl", name, None, None, is_stream=False, is_check=False)
        accesses.add_access(job, jobs + job, access, output=True)
        for _ in range(3):
            before = numbers.randrange(max(1, job - 200), job) if job > 1 else 0
            accesses.add_access(job, jobs + before, access, output=False)
    return accesses


def plan_accesses(
    accesses: JobAccesses, durations: dict[int, DurationRow], datasets: dict[int, Dataset]
) -> dict[str, Any]:
    """Compute the fields of a plan."""
    graph = build_job_graph(accesses)
    assert not find_cyclic_components(graph)
    arrangement = Arrangement(graph, accesses, durations, datasets, {})
    return arrangement.describe_order({}, None, is_ordered=True)


def order_graph(graph: JobGraph, seconds: dict[int, float]) -> int:
    """Compute components, levels, reduction and the critical path; return the number of levels."""
    assert not find_cyclic_components(graph)
    successors = graph.next_jobs()
    order = sort_jobs(successors)
    reduce_edges(order.jobs, successors)
    time_jobs(order.jobs, successors, seconds)
    return max(order.level.values()) + 1


def order_by_networkx(jobs: int, pairs: list[tuple[int, int]]) -> int:
    """Build the graph, and compute components and generations; return the number of levels."""
    graph = nx.DiGraph()
    graph.add_nodes_from(range(1, jobs + 1))
    graph.add_edges_from(pairs)
    assert all(len(part) == 1 for part in nx.strongly_connected_components(graph))
    return len(list(nx.topological_generations(graph)))


def seconds_of(work: Callable[[], object]) -> float:
    """Return the processor time of one call, to which other work on the machine adds little."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def run_benchmark() -> None:
    """Print the medians of both, and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    jobs = options.jobs
    accesses = make_accesses(jobs)
    numbers = random.Random(SEED)
    durations = {
        job: DurationRow(job, numbers.random() * 100, 100.0, 20, TIME) for job in range(1, jobs + 1)
    }
    datasets = {id: Dataset(id, "lake", f"table_{id:06}") for id in range(jobs, 2 * jobs + 1)}
    graph = build_job_graph(accesses)
    pairs = list(graph.edges)
    seconds = {id: row.median or 0.0 for id, row in durations.items()}
    plan = plan_accesses(accesses, durations, datasets)
    levels = order_by_networkx(jobs, pairs)
    assert levels == max(each.level for each in plan["jobs"]) + 1
    assert levels == order_graph(graph, seconds)
    ours, orders, theirs = [], [], []
    for _ in range(options.rounds):
        ours.append(seconds_of(lambda: plan_accesses(accesses, durations, datasets)))
        orders.append(seconds_of(lambda: order_graph(graph, seconds)))
        theirs.append(seconds_of(lambda: order_by_networkx(jobs, pairs)))
    print(f"{jobs:,} jobs, {len(pairs):,} edges, {levels:,} levels, {options.rounds} rounds")
    unit = median(theirs)
    print(f"  networkx: build, components, generations         {unit:.3f} s")
    for what, times in (("order", orders), ("whole plan", ours)):
        print(f"  {what:<48} {median(times):.3f} s, {median(times) / unit:.1f} times networkx")


if __name__ == "__main__":
    run_benchmark()
