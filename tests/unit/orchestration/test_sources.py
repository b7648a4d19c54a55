"""Sources behind datasets, against networkx."""

from __future__ import annotations

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from lineage.orchestration.sources import find_roots

PAIRS = st.frozensets(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=25)


@given(PAIRS, st.sets(st.integers(0, 9), max_size=5))
def test_roots_are_the_sources_from_which_a_dataset_is_reachable(
    pairs: frozenset[tuple[int, int]], sources: set[int]
) -> None:
    graph = nx.DiGraph()
    graph.add_nodes_from(range(10))
    graph.add_edges_from(pairs)
    expected = {
        dataset: tuple(each for each in sorted(sources) if nx.has_path(graph, each, dataset))
        for dataset in range(10)
    }
    roots = find_roots(sorted(sources), sorted(pairs))
    assert {dataset: roots.get(dataset, ()) for dataset in range(10)} == expected
