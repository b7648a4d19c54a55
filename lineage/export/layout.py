"""Layout of a picture: nodes in layers from left to right, and edges routed between the nodes.

The method is that of Sugiyama, Tagawa and Toda. First, edges are reversed until there is no cycle,
and nodes are assigned to layers. Edges then get slots in the layers that they cross, layers are
ordered by barycenters, and coordinates are assigned.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from lineage.query.graph_structure import find_reachable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

# A node, or the slot of an edge in a layer that it crosses: its source, target and layer.
Slot: TypeAlias = str | tuple[str, str, int]
Pair: TypeAlias = tuple[str, str]

_SWEEPS = 8
_ROW = 44.0
_EDGE_ROW = 18.0
# Edges are drawn straight if all edges together cross more layers than this.
_MAX_CROSSINGS = 20_000


@dataclass(frozen=True, slots=True)
class Layout:
    """Positions of nodes (left edge and vertical middle), and the inner points of edges."""

    nodes: Mapping[str, tuple[float, float]]
    edges: Mapping[Pair, tuple[tuple[float, float], ...]]
    width: float
    height: float


def place_nodes(
    widths: Mapping[str, float], edges: Iterable[Pair], roots: Collection[str] = (), gap: float = 90
) -> Layout:
    """Place nodes of these widths in layers, ``gap`` apart, so that most edges lead right."""
    pairs = dict.fromkeys(pair for pair in edges if pair[0] != pair[1])
    forward = _without_cycles(widths, pairs, roots)
    layer = _assign_layers(widths, forward)
    chains = _edge_chains(forward, layer)
    ordered = _order_layers(_layer_slots(widths, layer, chains), chains)
    y = _place_rows(ordered, chains)
    left = _column_positions(widths, ordered, gap)
    top = min(y.values(), default=0.0) - _ROW
    nodes = {node: (left[layer[node]], y[node] - top) for node in widths}
    paths = {}
    for source, target in pairs:
        turned = (source, target) not in forward
        chain = chains[(target, source) if turned else (source, target)]
        inner = [(left[slot[2]], y[slot] - top) for slot in chain if isinstance(slot, tuple)]
        paths[source, target] = tuple(reversed(inner) if turned else inner)
    width = left[-1] if left else 0.0
    return Layout(nodes, paths, width, max(y.values(), default=0.0) - top + _ROW)


def _without_cycles(
    nodes: Collection[str], pairs: Collection[Pair], roots: Collection[str]
) -> dict[Pair, None]:
    """Return the pairs without cycles: back edges of a depth-first search are reversed.

    The search begins at the roots and follows the direction in which they reach more nodes.
    Therefore the reversed edge of a cycle is far from the roots.
    """
    after, before = _neighbours_by_direction(pairs)
    against = len(find_reachable(roots, before)) > len(find_reachable(roots, after))
    near = before if against else after
    left = set(nodes).difference(*(near.values() or ((),)))
    retained: dict[Pair, None] = {}
    done: set[str] = set()
    open_: set[str] = set()
    for start in sorted(nodes, key=lambda node: (node not in roots, node not in left)):
        if start in done:
            continue
        walk = [(start, iter(near[start]))]
        open_.add(start)
        while walk:
            node, rest = walk[-1]
            far = next(rest, None)
            if far is None:
                walk.pop()
                open_.discard(node)
                done.add(node)
                continue
            retained[(far, node) if against == (far not in open_) else (node, far)] = None
            if far not in done and far not in open_:
                walk.append((far, iter(near[far])))
                open_.add(far)
    return retained


def _neighbours_by_direction(
    pairs: Iterable[Pair],
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return the successors and the predecessors of each node."""
    after: dict[str, list[str]] = defaultdict(list)
    before: dict[str, list[str]] = defaultdict(list)
    for source, target in pairs:
        after[source].append(target)
        before[target].append(source)
    return after, before


def _assign_layers(nodes: Iterable[str], forward: Collection[Pair]) -> dict[str, int]:
    """Return the layer of each node: the length of the longest path to it.

    A node without predecessors is placed in the layer before its nearest successor.
    """
    after: dict[str, list[str]] = defaultdict(list)
    missing: dict[str, int] = dict.fromkeys(nodes, 0)
    for source, target in forward:
        after[source].append(target)
        missing[target] += 1
    sources = [node for node, count in missing.items() if not count]
    layer = dict.fromkeys(sources, 0)
    ready = list(sources)
    while ready:
        node = ready.pop()
        for target in after[node]:
            layer[target] = max(layer.get(target, 0), layer[node] + 1)
            missing[target] -= 1
            if not missing[target]:
                ready.append(target)
    for node in sources:
        if after[node]:
            layer[node] = min(layer[target] for target in after[node]) - 1
    return layer


def _edge_chains(forward: Iterable[Pair], layer: Mapping[str, int]) -> dict[Pair, list[Slot]]:
    """Return for each edge its ends and a slot for each layer between them."""
    pairs = list(forward)
    crossings = sum(layer[target] - layer[source] - 1 for source, target in pairs)
    chains: dict[Pair, list[Slot]] = {}
    for source, target in pairs:
        between = range(layer[source] + 1, layer[target]) if crossings <= _MAX_CROSSINGS else ()
        chains[source, target] = [source, *((source, target, at) for at in between), target]
    return chains


def _layer_slots(
    nodes: Iterable[str], layer: Mapping[str, int], chains: Mapping[Pair, Sequence[Slot]]
) -> list[list[Slot]]:
    layers: list[list[Slot]] = [[] for _ in range(max(layer.values(), default=-1) + 1)]
    for node in nodes:
        layers[layer[node]].append(node)
    for chain in chains.values():
        for slot in chain:
            if isinstance(slot, tuple):
                layers[slot[2]].append(slot)
    return layers


def _slot_neighbours(
    chains: Mapping[Pair, Sequence[Slot]],
) -> tuple[dict[Slot, list[Slot]], dict[Slot, list[Slot]]]:
    before: dict[Slot, list[Slot]] = defaultdict(list)
    after: dict[Slot, list[Slot]] = defaultdict(list)
    for chain in chains.values():
        for left, right in pairwise(chain):
            before[right].append(left)
            after[left].append(right)
    return before, after


def _order_layers(
    layers: list[list[Slot]], chains: Mapping[Pair, Sequence[Slot]]
) -> list[list[Slot]]:
    """Sort each layer by the mean position of its neighbours, in both directions, until stable."""
    before, after = _slot_neighbours(chains)
    for sweep in range(_SWEEPS):
        last = [list(layer) for layer in layers]
        place = {slot: at for layer in layers for at, slot in enumerate(layer)}
        back = bool(sweep % 2)
        for layer in reversed(layers) if back else layers:
            near = after if back else before
            centre = {slot: _mean_of([place[s] for s in near.get(slot, [slot])]) for slot in layer}
            layer.sort(key=centre.__getitem__)
            place.update((slot, at) for at, slot in enumerate(layer))
        if back and layers == last:
            break
    return layers


def _place_rows(
    layers: Sequence[Sequence[Slot]], chains: Mapping[Pair, Sequence[Slot]]
) -> dict[Slot, float]:
    """Place each slot as near to the mean of its neighbours as adjacent slots allow."""
    before, after = _slot_neighbours(chains)
    y: dict[Slot, float] = {}
    for layer in layers:
        _place_layer(layer, dict.fromkeys(layer, 0.0), y)
    for sweep in range(_SWEEPS):
        near = after if sweep % 2 else before
        for layer in reversed(layers) if sweep % 2 else layers:
            _place_layer(layer, {s: _mean_of([y[n] for n in near.get(s, [s])]) for s in layer}, y)
    return y


def _place_layer(
    layer: Sequence[Slot], preferred: Mapping[Slot, float], y: dict[Slot, float]
) -> None:
    at, placed = float("-inf"), []
    above = 0.0
    for slot in layer:
        half = (_EDGE_ROW if isinstance(slot, tuple) else _ROW) / 2
        at = max(at + above + half, preferred[slot])
        above = half
        placed.append(at)
    # Slots were only moved down. Moving all of them up by the mean distance balances this.
    shift = _mean_of([preferred[slot] - at for slot, at in zip(layer, placed, strict=True)])
    y.update((slot, at + shift) for slot, at in zip(layer, placed, strict=True))


def _column_positions(
    widths: Mapping[str, float], layers: Sequence[Sequence[Slot]], gap: float
) -> list[float]:
    """Return the position at which each layer begins, and the end of the last one."""
    left = [gap / 2]
    for layer in layers:
        widest = max((widths[slot] for slot in layer if isinstance(slot, str)), default=0.0)
        left.append(left[-1] + widest + gap)
    return left


def _mean_of(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
