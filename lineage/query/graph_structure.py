"""Components, cycles and reachability of a directed graph.

Time and memory are linear in the number of edges, except in ``GraphStructure.count_reachable``,
whose time is quadratic if it counts for more than ``FEW`` nodes. There is no recursion, because a
graph may be deeper than Python's stack.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from itertools import accumulate, chain, count
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

Node = TypeVar("Node")

# Nodes for which one pass over the graph counts what they reach.
FEW = 4096
# Minimum number of nodes counted in one pass; each is one bit in the masks of all components.
# MASKS: bits of all masks together, 256 MB; they allow more nodes per pass in small graphs.
CHUNK = 4096
MASKS = 256 << 23


def find_reachable(starts: Iterable[Node], neighbours: Mapping[Node, Iterable[Node]]) -> set[Node]:
    """Return the starts and all nodes that can be reached from them."""
    seen = set(starts)
    waiting = list(seen)
    while waiting:
        for node in neighbours.get(waiting.pop(), ()):
            if node not in seen:
                seen.add(node)
                waiting.append(node)
    return seen


class GraphStructure:
    """A graph of ``pairs`` (source, target) of node ids; duplicate pairs count once."""

    def __init__(self, pairs: Iterable[tuple[int, int]]) -> None:
        distinct = dict.fromkeys(pairs)
        self._ids = list(dict.fromkeys(chain.from_iterable(distinct)))
        self._number = number = {id: n for n, id in enumerate(self._ids)}
        self._next: list[list[int]] = [[] for _ in self._ids]
        self.self_loops: list[int] = []
        for source, target in distinct:
            if source == target:
                self.self_loops.append(source)
            else:
                self._next[number[source]].append(number[target])

    def cycle_components(self) -> list[list[int]]:
        """Return the strongly connected components with at least two nodes."""
        return [[self._ids[n] for n in part] for part in self._strong_components if len(part) > 1]

    def component_sizes(self) -> list[int]:
        """Return the number of nodes of each weakly connected component, the largest first."""
        root = list(range(len(self._ids)))

        def find_root(node: int) -> int:
            while root[node] != node:
                root[node] = root[root[node]]
                node = root[node]
            return node

        for source, targets in enumerate(self._next):
            for target in targets:
                root[find_root(source)] = find_root(target)
        return sorted(Counter(map(find_root, range(len(root)))).values(), reverse=True)

    def longest_chain(self) -> int:
        """Return the number of edges of the longest path; a cycle counts as one node."""
        parts = self._strong_components
        part_of = {node: number for number, part in enumerate(parts) for node in part}
        length = [0] * len(parts)
        for number, part in enumerate(parts):  # after all parts that it leads to
            for node in part:
                for target in self._next[node]:
                    if (other := part_of[target]) != number:
                        length[number] = max(length[number], length[other] + 1)
        return max(length, default=0)

    def count_reachable(self, ids: Iterable[int]) -> Mapping[int, int]:
        """Count the other nodes reachable from each of ``ids``; 0 for an id that is not a node."""
        parts, numbers = self._strong_components, {id: self._number.get(id) for id in ids}
        part_of = [0] * len(self._ids)
        for number, part in enumerate(parts):
            for node in part:
                part_of[node] = number

        def list_successors(number: int) -> frozenset[int]:
            targets = chain.from_iterable(map(self._next.__getitem__, parts[number]))
            numbers = frozenset(map(part_of.__getitem__, targets))
            return numbers - {number} if number in numbers else numbers

        sizes = [len(part) for part in parts]
        components = {part_of[node] for node in numbers.values() if node is not None}
        if len(components) <= FEW:
            counted = _count_from_few(sizes, list_successors, components)
        else:
            successors = [list_successors(number) for number in range(len(parts))]
            counted = _count_reached(sizes, successors, components)
        return {
            id: 0 if node is None else counted[part_of[node]] - 1 for id, node in numbers.items()
        }

    @cached_property
    def _strong_components(self) -> list[list[int]]:
        """The strongly connected components, each after all components that it leads to."""
        return _strong_components(self._next)


def _count_from_few(
    sizes: Sequence[int],
    list_successors: Callable[[int], Iterable[int]],
    components: Collection[int],
) -> Mapping[int, int]:
    """Count the nodes reachable from each of ``components``, including the nodes of its own.

    Components lead only to earlier ones. Each component has a bit mask of those of ``components``
    from which it can be reached, and its size is added to the sums of their bits.
    """
    bits = {number: bit for bit, number in enumerate(components)}
    masks = [0] * len(sizes)
    for number, bit in bits.items():
        masks[number] = 1 << bit
    digits: list[int] = []
    for number in range(max(bits, default=-1), -1, -1):
        if mask := masks[number]:
            for other in list_successors(number):
                masks[other] |= mask
            _add_to_sums(digits, mask, sizes[number])
    return {
        number: sum((digit >> bit & 1) << place for place, digit in enumerate(digits))
        for number, bit in bits.items()
    }


def _add_to_sums(digits: list[int], mask: int, summand: int) -> None:
    """Add a number to the sum of each bit of a mask.

    ``digits``: one binary digit of all sums in each item, the lowest first.
    """
    for place in range(summand.bit_length()):
        carry = mask if summand >> place & 1 else 0
        while carry:
            digits.extend([0] * (place + 1 - len(digits)))
            digits[place], carry = digits[place] ^ carry, digits[place] & carry
            place += 1


def _count_reached(
    sizes: Sequence[int], successors: Sequence[frozenset[int]], components: Collection[int]
) -> Mapping[int, int]:
    """Count the nodes reachable from each of ``components``, including the nodes of its own.

    Components lead only to earlier ones. Nodes are counted in chunks: each component that others
    lead to has a bit mask of the chunk's nodes reachable from it, combined from the masks of its
    successors. The other components, often most, need no mask: those with the same successors reach
    the same nodes beside their own.
    """
    inner = sorted(frozenset().union(*successors))
    begins = [0, *accumulate(sizes[number] for number in inner)]
    counted = dict.fromkeys(inner, 0)
    outside = {successors[number]: 0 for number in components if number not in counted}
    wide = max(CHUNK, MASKS // max(1, len(inner)))
    first = last = 0
    for low in range(0, begins[-1], wide):
        # Components before ``first`` have no node of the chunk and lead to none.
        while begins[first + 1] <= low:
            first += 1
        while last < len(inner) and begins[last] < low + wide:
            last += 1
        masks = dict.fromkeys(inner, 0)
        for place in range(first, last):
            begin, end = max(begins[place] - low, 0), min(begins[place + 1] - low, wide)
            masks[inner[place]] = (1 << end) - (1 << begin)
        for number in inner[first:]:
            masks[number] |= _union_masks(masks, successors[number])
            counted[number] += masks[number].bit_count()
        for targets in outside:
            outside[targets] += _union_masks(masks, targets).bit_count()
    return {
        number: counted[number]
        if number in counted
        else sizes[number] + outside[successors[number]]
        for number in components
    }


def _union_masks(masks: Mapping[int, int], numbers: Iterable[int]) -> int:
    union = 0
    for number in numbers:
        union |= masks[number]
    return union


def _strong_components(successors: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the strongly connected components, each after all that it leads to."""
    peeled, rest = _peel_sources(successors)
    components = _tarjan_components(successors, rest)
    components += [[node] for node in reversed(peeled)]
    return components


def _peel_sources(successors: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """Remove nodes without predecessors while there are any; return them in order, and the rest.

    No cycle leads to them. In an acyclic graph these are all nodes, and this is the faster way.
    """
    predecessors = [0] * len(successors)
    for targets in successors:
        for target in targets:
            predecessors[target] += 1
    peeled: list[int] = []
    free = [node for node, number in enumerate(predecessors) if not number]
    while free:
        peeled.append(node := free.pop())
        for target in successors[node]:
            predecessors[target] -= 1
            if not predecessors[target]:
                free.append(target)
    return peeled, [node for node, number in enumerate(predecessors) if number]


def _tarjan_components(
    successors: Sequence[Sequence[int]], starts: Iterable[int]
) -> list[list[int]]:
    """Return the strongly connected components that are reachable from ``starts``.

    Each is after all that it leads to. This is Tarjan's algorithm,
    https://doi.org/10.1137/0201010, with an explicit stack instead of recursion.
    """
    met = count(1)
    order = [0] * len(successors)  # order of discovery; 0: not discovered
    low = [0] * len(successors)  # least order of a node reachable from it
    opened: list[int] = []  # discovered, and not in a component yet
    components: list[list[int]] = []
    placed = [False] * len(successors)
    for start in starts:
        walk = [] if order[start] else [(start, iter(successors[start]))]
        while walk:
            node, targets = walk[-1]
            if not order[node]:
                order[node] = low[node] = next(met)
                opened.append(node)
            for target in targets:
                if not order[target]:
                    walk.append((target, iter(successors[target])))
                    break
                if not placed[target]:
                    low[node] = min(low[node], order[target])
            else:
                walk.pop()
                if walk:
                    low[walk[-1][0]] = min(low[walk[-1][0]], low[node])
                if low[node] == order[node]:
                    at = len(opened) - 1
                    while opened[at] != node:
                        at -= 1
                    components.append(opened[at:])
                    del opened[at:]
                    for member in components[-1]:
                        placed[member] = True
    return components
