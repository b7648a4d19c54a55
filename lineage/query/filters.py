"""Filters of traces, for datasets and for jobs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lineage.query.arguments import need_in_range, texts_of
from lineage.query.time_arguments import TimeArgument, time_of

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Filters:
    """Filters of a trace. An entity matches if it matches one value of each filter that is set.

    ``namespaces``, ``tags`` (``key`` or ``key:value``): of the dataset. ``jobs`` (names accepted by
    ``resolve_job``), ``types`` (of jobs, ignoring case), ``since`` (ISO 8601; last seen then or
    later): of edges; a dataset matches if such an edge leads to it. ``stale``: if false, do not
    follow stale edges. ``limit``: maximum number of datasets, nearest first and at equal distance
    by name. ``observed``: do not follow edges that no run produced.
    ``min_confidence``: do not follow declared edges with a lower confidence (0 to 1). In
    a trace of jobs, ``namespaces``, ``tags`` and ``types`` apply to the job, and ``jobs`` must be
    empty.
    """

    namespaces: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    jobs: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    since: TimeArgument | None = None
    stale: bool = True
    limit: int | None = None
    observed: bool = False
    min_confidence: float = 0

    def __post_init__(self) -> None:
        """Accept a text and any sequence in place of a tuple of texts. Raises UsageError."""
        for name in ("namespaces", "tags", "jobs", "types"):
            object.__setattr__(self, name, texts_of(getattr(self, name)))
        need_in_range(limit=self.limit, min_confidence=self.min_confidence)


@dataclass(frozen=True, slots=True)
class FilterMatcher:
    """Filters with resolved names. lineage.matches_filters() is the same for lists, in SQL."""

    namespaces: frozenset[str]
    tags: frozenset[str]
    types: frozenset[str]
    jobs: frozenset[int]
    since: str

    @classmethod
    def of_filters(cls, filters: Filters, jobs: Iterable[int] = ()) -> FilterMatcher:
        """Return the matcher of ``filters``; ``jobs`` are the ids of the jobs that they name.

        Raises UsageError if ``since`` is not a time.
        """
        return cls(
            frozenset(filters.namespaces),
            frozenset(filters.tags),
            frozenset(type.lower() for type in filters.types),
            frozenset(jobs),
            time_of(filters.since) if filters.since else "",
        )

    def matches_entity(self, namespace: str, tags: Iterable[str] | None) -> bool:
        """Return whether a dataset or a job has one of the namespaces and one of the tags."""
        return (not self.namespaces or namespace in self.namespaces) and (
            not self.tags or not self.tags.isdisjoint(tags or ())
        )

    def matches_type(self, type: str | None) -> bool:
        """Return whether a job has one of the types, in any case."""
        return not self.types or (type or "").lower() in self.types

    def matches_job(self, id: int | None) -> bool:
        """Return whether a job is one of the jobs."""
        return not self.jobs or id in self.jobs


ALL = Filters()
