"""Cycles, components and reachability of a graph, compared with a simple implementation."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from lineage.query import graph_structure
from lineage.query.graph_structure import GraphStructure

if TYPE_CHECKING:
    from collections.abc import Iterable

Pairs = list[tuple[int, int]]

pairs = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=30)


def closure(nodes: Iterable[int], pairs: Pairs) -> dict[int, set[int]]:
    """Return the nodes reachable from each node by at least one edge."""
    leads = {node: {target for source, target in pairs if source == node} for node in nodes}
    for _ in leads:
        for node, targets in leads.items():
            leads[node] = targets.union(*(leads[target] for target in targets))
    return leads


@settings(max_examples=500)
@given(pairs)
def test_shape_is_that_of_the_pairs(pairs: Pairs) -> None:
    nodes = {node for pair in pairs for node in pair}
    leads = closure(nodes, pairs)
    found = GraphStructure(pairs)
    assert sorted(found.self_loops) == sorted({s for s, t in pairs if s == t})

    mutual = [frozenset({n} | {m for m in leads[n] if n in leads[m]}) for n in nodes]
    assert len(found.cycle_components()) == len({part for part in mutual if len(part) > 1})
    assert {frozenset(part) for part in found.cycle_components()} == {
        p for p in mutual if len(p) > 1
    }

    both = closure(nodes, pairs + [(t, s) for s, t in pairs])
    hang = {frozenset({n} | both[n]) for n in nodes}
    assert found.component_sizes() == sorted(map(len, hang), reverse=True)

    for few, chunk in ((4096, 1), (0, 1), (0, 3), (0, 4096)):
        with patch.multiple(graph_structure, FEW=few, CHUNK=chunk, MASKS=0):
            assert found.count_reachable([*nodes, 99]) == {
                **{n: len(leads[n] - {n}) for n in nodes},
                99: 0,
            }


def test_a_graph_may_be_deeper_than_the_stack() -> None:
    chain = [(n, n + 1) for n in range(20_000)]
    assert GraphStructure(chain).cycle_components() == []
    assert GraphStructure(chain).count_reachable([0, 15_000]) == {0: 20_000, 15_000: 5_000}
    [ring] = GraphStructure([*chain, (20_000, 0)]).cycle_components()
    assert len(ring) == 20_001


def test_no_pairs() -> None:
    nothing = GraphStructure([])
    assert (
        nothing.cycle_components(),
        nothing.self_loops,
        nothing.component_sizes(),
        nothing.count_reachable([1]),
    ) == (
        [],
        [],
        [],
        {1: 0},
    )
