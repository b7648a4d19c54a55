"""Levels, reduction, critical path, schedule and cycles against networkx and by trying all."""

from __future__ import annotations

from itertools import pairwise, permutations
from typing import TYPE_CHECKING

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage.orchestration.accesses import Access, JobAccesses
from lineage.orchestration.cycles import apply_feedback, find_components, find_shortest_cycle
from lineage.orchestration.job_graph import build_job_graph
from lineage.orchestration.order import reduce_edges, schedule_jobs, sort_jobs, time_jobs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

JOBS = 9
PAIRS = st.tuples(st.integers(0, JOBS - 1), st.integers(0, JOBS - 1)).filter(
    lambda pair: pair[0] != pair[1]
)
ANY = st.frozensets(PAIRS, max_size=30)
# An edge of a graph without cycles leads from a smaller to a greater number; labels are shuffled.
ACYCLIC = st.tuples(
    st.frozensets(PAIRS.map(lambda pair: (min(pair), max(pair))), max_size=30),
    st.permutations(range(JOBS)),
).map(lambda each: frozenset((each[1][a], each[1][b]) for a, b in each[0]))
SECONDS = st.lists(st.integers(0, 9), min_size=JOBS, max_size=JOBS).map(
    lambda each: dict(enumerate(map(float, each)))
)


def successors_of(pairs: frozenset[tuple[int, int]], jobs: int = JOBS) -> dict[int, list[int]]:
    return {job: sorted(b for a, b in pairs if a == job) for job in range(jobs)}


def graph_of(pairs: frozenset[tuple[int, int]], jobs: int = JOBS) -> nx.DiGraph:
    graph = nx.DiGraph()
    graph.add_nodes_from(range(jobs))
    graph.add_edges_from(pairs)
    return graph


@given(ACYCLIC)
def test_levels_are_the_generations_of_networkx(pairs: frozenset[tuple[int, int]]) -> None:
    order = sort_jobs(successors_of(pairs))
    generations = [sorted(each) for each in nx.topological_generations(graph_of(pairs))]
    levels = [[job for job in order.jobs if order.level[job] == n] for n in range(len(generations))]
    assert levels == generations
    position = {job: place for place, job in enumerate(order.jobs)}
    assert all(position[a] < position[b] for a, b in pairs)


@given(ANY)
def test_a_graph_with_a_cycle_is_not_sorted(pairs: frozenset[tuple[int, int]]) -> None:
    if nx.is_directed_acyclic_graph(graph_of(pairs)):
        assert len(sort_jobs(successors_of(pairs)).jobs) == JOBS
    else:
        with pytest.raises(ValueError, match="cycle"):
            sort_jobs(successors_of(pairs))


@given(ACYCLIC)
def test_the_reduction_is_that_of_networkx(pairs: frozenset[tuple[int, int]]) -> None:
    successors = successors_of(pairs)
    reduced = reduce_edges(sort_jobs(successors).jobs, successors)
    expected = set(nx.transitive_reduction(graph_of(pairs)).edges)
    assert {(a, b) for a, each in reduced.items() for b in each} == expected


@given(ACYCLIC, SECONDS)
def test_the_critical_path_is_the_longest(
    pairs: frozenset[tuple[int, int]], seconds: Mapping[int, float]
) -> None:
    successors = successors_of(pairs)
    timing = time_jobs(sort_jobs(successors).jobs, successors, seconds)
    assert all(pair in pairs for pair in pairwise(timing.path))
    assert sum(seconds[job] for job in timing.path) == timing.seconds
    # networkx weighs edges: each job becomes an edge from its begin to its end
    weighed = nx.DiGraph()
    for job in range(JOBS):
        weighed.add_edge(("begin", job), ("end", job), weight=seconds[job])
    weighed.add_edges_from((("end", a), ("begin", b), {"weight": 0}) for a, b in pairs)
    assert timing.seconds == nx.dag_longest_path_length(weighed)


@given(ACYCLIC, SECONDS)
def test_slack_is_the_delay_that_makes_nothing_later(
    pairs: frozenset[tuple[int, int]], seconds: Mapping[int, float]
) -> None:
    successors = successors_of(pairs)
    order = sort_jobs(successors).jobs
    timing = time_jobs(order, successors, seconds)
    for job in range(JOBS):
        slack = timing.slack[job]
        late = time_jobs(order, successors, {**seconds, job: seconds[job] + slack})
        later = time_jobs(order, successors, {**seconds, job: seconds[job] + slack + 1})
        assert (late.seconds, later.seconds) == (timing.seconds, timing.seconds + 1)


@given(ACYCLIC, SECONDS, st.integers(1, 4))
def test_a_schedule_keeps_the_order_and_the_number_of_workers(
    pairs: frozenset[tuple[int, int]], seconds: Mapping[int, float], workers: int
) -> None:
    successors = successors_of(pairs)
    order = sort_jobs(successors).jobs
    timing = time_jobs(order, successors, seconds)
    starts, end = schedule_jobs(order, successors, seconds, timing.remaining, workers)
    assert starts.keys() == set(range(JOBS))
    assert all(starts[a] + seconds[a] <= starts[b] for a, b in pairs)
    assert end == max(starts[job] + seconds[job] for job in starts)
    for job, start in starts.items():
        at_once = [o for o in starts if starts[o] <= start < starts[o] + seconds[o]]
        assert len(at_once) <= workers, job
    work = sum(seconds.values())
    assert max(timing.seconds, work / workers) <= end
    # Graham's bound of list scheduling
    assert end <= work / workers + timing.seconds * (workers - 1) / workers + 1e-9
    if workers == 1:
        assert end == work


@given(ANY)
def test_components_are_those_of_networkx(pairs: frozenset[tuple[int, int]]) -> None:
    expected = nx.strongly_connected_components(graph_of(pairs))
    assert sorted(map(sorted, find_components(pairs))) == sorted(
        sorted(each) for each in expected if len(each) > 1
    )


def shortest_by_trying_all(jobs: Sequence[int], pairs: frozenset[tuple[int, int]]) -> int:
    for length in range(2, len(jobs) + 1):
        for way in permutations(jobs, length):
            if all(pair in pairs for pair in pairwise([*way, way[0]])):
                return length
    raise AssertionError("a component has a cycle")


SMALL = st.frozensets(
    st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda pair: pair[0] != pair[1]),
    max_size=14,
)


CYCLES = st.tuples(st.permutations(range(6)), st.integers(2, 6)).map(
    lambda drawn: frozenset(pairwise([*drawn[0][: drawn[1]], drawn[0][0]]))
)


@given(SMALL, CYCLES, st.permutations(range(6)))
def test_no_cycle_is_shorter(
    others: frozenset[tuple[int, int]], cycle: frozenset[tuple[int, int]], rank: list[int]
) -> None:
    pairs = others | cycle
    for component in find_components(pairs):
        way = find_shortest_cycle(component, successors_of(pairs, 6), rank.__getitem__)
        assert len(set(way)) == len(way)
        assert all(pair in pairs for pair in pairwise([*way, way[0]]))
        assert len(way) == shortest_by_trying_all(component, pairs)
        assert rank[way[0]] == min(rank[job] for job in way)
        again = find_shortest_cycle(component[::-1], successors_of(pairs, 6), rank.__getitem__)
        assert again == way


ACCESS = Access("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", None, (), declared=False)
FACTS = st.frozensets(st.tuples(st.integers(0, 5), st.integers(100, 105), st.booleans()))


def accesses_of(facts: frozenset[tuple[int, int, bool]]) -> JobAccesses:
    accesses = JobAccesses()
    for job, dataset, output in facts:
        accesses.add_access(job, dataset, ACCESS, output=output)
    return accesses


@given(FACTS)
def test_a_pair_is_linked_by_exactly_the_datasets_that_one_writes_and_the_other_reads(
    facts: frozenset[tuple[int, int, bool]],
) -> None:
    graph = build_job_graph(accesses_of(facts))
    linked = {(*pair, edge.dataset) for pair, edges in graph.edges.items() for edge in edges} | {
        (job, job, dataset) for job, datasets in graph.own.items() for dataset in datasets
    }
    assert linked == {
        (writer, reader, dataset)
        for writer, dataset, output in facts if output
        for reader, read, is_output in facts if read == dataset and not is_output
    }  # fmt: skip
    assert all(len(set(edges)) == len(edges) for edges in graph.edges.values())


@given(FACTS, st.frozensets(st.integers(100, 105), max_size=3))
def test_feedback_frees_the_links_within_cycles_and_no_other(
    facts: frozenset[tuple[int, int, bool]], datasets: frozenset[int]
) -> None:
    graph = build_job_graph(accesses_of(facts))
    freed, number = apply_feedback(graph, datasets)
    part_of = {job: n for n, part in enumerate(find_components(graph.edges)) for job in part}

    def is_freed(pair: tuple[int, int], dataset: int) -> bool:
        within = part_of.get(pair[0], -1) == part_of.get(pair[1], -2)
        return within and dataset in datasets

    before = {(pair, edge.dataset) for pair, edges in graph.edges.items() for edge in edges}
    after = {(pair, edge.dataset) for pair, edges in freed.edges.items() for edge in edges}
    assert after == {each for each in before if not is_freed(*each)}
    assert all(freed.edges.values())
    assert number == {
        dataset: sum(is_freed(pair, d) for pair, d in before if d == dataset)
        for dataset in datasets
    }
