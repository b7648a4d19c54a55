"""Layout of the diagram: distinct positions of nodes, edges to the right, also with cycles."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lineage.export.layout import place_nodes

_nodes = st.sampled_from("abcdefgh")
PAIRS = st.lists(st.tuples(_nodes, _nodes), max_size=25)


def widths(pairs: list[tuple[str, str]]) -> dict[str, float]:
    return {node: 50.0 + 10 * ord(node) % 70 for node in sorted({n for p in pairs for n in p})}


@given(PAIRS)
def test_no_two_nodes_lie_on_each_other(pairs: list[tuple[str, str]]) -> None:
    wide = widths(pairs)
    places = place_nodes(wide, pairs, "a").nodes
    assert set(places) == set(wide)
    for one, (x, y) in places.items():
        for other, (other_x, other_y) in places.items():
            beside = x + wide[one] <= other_x or other_x + wide[other] <= x
            assert one == other or beside or abs(y - other_y) >= 28


@given(PAIRS.map(lambda pairs: [(min(p), max(p)) for p in pairs if p[0] != p[1]]))
def test_without_a_cycle_every_edge_leads_to_the_right(pairs: list[tuple[str, str]]) -> None:
    placed = place_nodes(widths(pairs), pairs, "h")
    for source, target in pairs:
        xs = [placed.nodes[source][0], *(x for x, _ in placed.edges[source, target])]
        assert sorted(xs) == xs
        assert xs[-1] < placed.nodes[target][0]


def test_a_cycle_is_cut_far_from_the_root() -> None:
    cycle = [("rates", "revenue"), ("staged", "revenue"), ("raw", "staged"), ("board", "staged"),
             ("revenue", "board")]  # fmt: skip
    placed = place_nodes(dict.fromkeys([n for p in cycle for n in p], 50.0), cycle, ["revenue"])
    right = max(x for x, _ in placed.nodes.values())
    assert placed.nodes["revenue"][0] == right
    assert placed.nodes["staged"][0] < right


def test_nothing_and_one_node_have_a_picture() -> None:
    assert place_nodes({}, []).nodes == {}
    assert set(place_nodes({"a": 10.0}, [("a", "a")], "a").nodes) == {"a"}


def test_a_long_chain_and_a_broad_star_are_no_trouble() -> None:
    chain = [(f"n{i}", f"n{i + 1}") for i in range(3000)]
    star = [("n0", f"s{i}") for i in range(3000)]
    nodes = dict.fromkeys([n for p in chain + star for n in p], 50.0)
    assert len(place_nodes(nodes, [*chain, *star], ["n0"]).nodes) == len(nodes)
