"""A small job on versioned tables, with its reads and writes by the semantics of SQL."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Case:
    """One job. Tables are named by their path below its directory.

    ``reads`` and ``writes`` have the version of each table as an index into the table's history: 0
    is the first, None if no version is reported. ``how`` is the mode of the writes, ``change``
    their lifecycle. ``columns`` are the written columns with their sources, ``rows`` the sources of
    the rows: ``"people.id IDENTITY"``; None for a job that writes no rows. ``unresolved`` are the
    operators that must be reported as unresolved. ``counted`` are the rows read from each table, if
    they do not depend on the layout of its files.
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
    """Return a job that runs SQL statements in sequence; ``{d}`` is the job's directory."""
    return lambda spark, d: [spark.sql(part.format(d=d)) for part in text.split(";")]


def read_sql(text: str) -> Callable[[Any, str], object]:
    """Return a job that fetches the rows of a query."""
    return lambda spark, d: spark.sql(text.format(d=d)).collect()
