"""Measure a query on several roots."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.processor import taken

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import psycopg


@dataclass(frozen=True, slots=True)
class Measured:
    """Medians over the roots: number of results, and milliseconds elapsed and of the processor.

    ``p95`` is that of the elapsed time.
    """

    found: int
    clock: float
    servers: float
    ours: float
    p95: float


def measured(
    conn: psycopg.Connection[Any], way: Callable[[Any], int], roots: Sequence[Any]
) -> Measured:
    """Run a query on each root, after one run on all of them to fill the caches."""
    for root in roots:
        way(root)
    found, took = [], []
    for root in roots:
        took.append(taken(conn, lambda: found.append(way(root))))  # noqa: B023
    clock, servers, ours = (
        [getattr(each, what) * 1000 for each in took] for what in ("clock", "servers", "ours")
    )
    return Measured(
        int(statistics.median(found)),
        *map(statistics.median, (clock, servers, ours)),
        p95=sorted(clock)[math.ceil(0.95 * len(clock)) - 1],
    )
