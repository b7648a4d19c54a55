"""Measure a query on several roots."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.processor import taken

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import psycopg


@dataclass(frozen=True, slots=True)
class Measured:
    """Medians over the roots: number of results, and milliseconds elapsed and of the processor."""

    found: int
    clock: float
    servers: float
    ours: float


def measured(
    conn: psycopg.Connection[Any], way: Callable[[Any], int], roots: Sequence[Any]
) -> Measured:
    """Run a query on each root, after one run on all of them to fill the caches."""
    for root in roots:
        way(root)
    found, took = [], []
    for root in roots:
        took.append(taken(conn, lambda: found.append(way(root))))  # noqa: B023
    return Measured(
        int(statistics.median(found)),
        *(
            statistics.median(getattr(each, what) for each in took) * 1000
            for what in ("clock", "servers", "ours")
        ),
    )
