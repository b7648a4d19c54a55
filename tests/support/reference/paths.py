"""Reference implementation of paths between datasets, computed from the list of events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from support.reference.graph import expected

if TYPE_CHECKING:
    from collections.abc import Iterable

Step = tuple[Any, Any]


def steps(texts: list[str]) -> dict[Step, set[Any]]:
    """Return the jobs of each observed or declared edge (source, target)."""
    found: dict[Step, set[Any]] = {}
    for key in expected(texts):
        if key[0] in ("FEEDS", "DECLARED") and len(key) == len("dstj"):
            found.setdefault((key[1], key[2]), set()).add(key[3])
    return found


def shortest(pairs: Iterable[Step], start: Any, goal: Any) -> dict[Step, int]:
    """Return the edges of the shortest paths with their numbers, by extending all paths by one."""
    pairs = set(pairs)
    ways = [[pair] for pair in pairs if pair[0] == start]
    for _ in {name for pair in pairs for name in pair}:
        if done := [way for way in ways if way[-1][1] == goal]:
            return {step: number for way in done for number, step in enumerate(way, start=1)}
        ways = [[*way, pair] for way in ways for pair in pairs if pair[0] == way[-1][1]]
    return {}


def between(pairs: Iterable[Step], start: Any, goal: Any) -> dict[Step, int]:
    """Return the edges on any path, each with its least distance from ``start``."""
    pairs = set(pairs)
    number: dict[Step, int] = {}
    here = {start}
    for distance in range(1, len(pairs) + 1):
        for pair in pairs:
            if pair[0] in here:
                number.setdefault(pair, distance)
        here = {target for source, target in pairs if source in here}
    leads = {goal}
    for _ in pairs:
        leads |= {source for source, target in pairs if target in leads}
    return {pair: distance for pair, distance in number.items() if pair[1] in leads}
