"""A small job on tables with versions and, by what its SQL means, what it reads and writes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Case:
    """One job. Tables are named by their place below its directory.

    ``reads`` and ``writes`` have the version of each, by the history that the table itself keeps:
    0 is its first; None where no version is told. ``how`` is the mode of the writes, ``change``
    their lifecycle. ``columns`` are the written ones with what they are made of, ``rows`` what
    decides the rows: ``"people.id IDENTITY"``; None for a job that writes no rows. ``unresolved``
    are the operators of which it must own up to not knowing all. ``counted`` are the rows that were
    read of each table, where no layout of its files decides it.
    """

    name: str
    run: Callable[[Any, str], object]
    reads: dict[str, int | None] = field(default_factory=dict)
    writes: dict[str, int | None] = field(default_factory=dict)
    how: str | None = None
    change: str | None = None
    columns: dict[str, set[str]] | None = None
    rows: set[str] = field(default_factory=set)
    unresolved: set[str] = field(default_factory=set)
    counted: dict[str, int] = field(default_factory=dict)


def sql(text: str) -> Callable[[Any, str], object]:
    """A job that runs SQL statements one after the other; ``{d}`` is the job's directory."""
    return lambda spark, d: [spark.sql(part.format(d=d)) for part in text.split(";")]


def read_sql(text: str) -> Callable[[Any, str], object]:
    """A job that fetches the rows of a query."""
    return lambda spark, d: spark.sql(text.format(d=d)).collect()
