"""A small job on tables of a lake and, by what its SQL means, what it reads and writes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Case:
    """One job. Names are below its directory."""

    name: str
    run: Callable[[Any, str], object]
    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)


def sql(text: str) -> Callable[[Any, str], object]:
    """A job that runs SQL statements one after the other; ``{d}`` is the job's directory."""
    return lambda spark, d: [spark.sql(part.format(d=d)) for part in text.split(";")]


def read_sql(text: str) -> Callable[[Any, str], object]:
    """A job that fetches the rows of a query."""
    return lambda spark, d: spark.sql(text.format(d=d)).collect()
