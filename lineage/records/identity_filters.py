"""Conditions on the sources of a table that all rows behind its matching rows meet."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from lineage.database.statements import StatementFile
from lineage.query.columns import resolve_column, trace_reported_columns
from lineage.query.records import Dataset

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lineage.query.records import ColumnEdge
    from lineage.query.session import Session
    from lineage.records.comparisons import Comparison

# Modes of writes whose rows one execution makes.
_PLAIN_WRITES = {"append", "create", "overwrite", "overwrite_partitions"}


class FeedRow(NamedTuple):
    """An edge into the table, from a job with a number of runs."""

    source: int
    namespace: str
    name: str
    job: int
    runs: int


class ReadRow(NamedTuple):
    """How a run that wrote the table read a source."""

    source: int
    mode: str
    reads: int
    operators: list[str]
    options: list[str] | None


_SQL = StatementFile(__file__)
_SELECT_FEEDS = _SQL.statement("select_contributing_edges", FeedRow)
_SELECT_READS = _SQL.statement("select_reads_of_writers", ReadRow)


@dataclass(frozen=True)
class IdentityCondition:
    """A comparison that holds for one of these columns of the source."""

    columns: tuple[str, ...]
    comparison: Comparison


@dataclass(frozen=True)
class SourceFilter:
    """The conditions on the rows of a source, all of which hold for rows that contribute.

    ``doubts``: reasons for which other rows may contribute too. ``unused``: comparisons of columns
    whose values are not those of columns of the source. ``options``: names of the options of its
    readers, if it is text; None if not all runs report them.
    """

    source: Dataset
    conditions: tuple[IdentityCondition, ...]
    unused: tuple[str, ...]
    doubts: tuple[str, ...]
    options: frozenset[str] | None


def read_source_filters(
    session: Session, target: Dataset, comparisons: Sequence[Comparison]
) -> list[SourceFilter]:
    """Return a filter for each dataset that feeds the table, by name. Raises NotFound."""
    edges = {name: _read_edges(session, target, name) for name in {c.column for c in comparisons}}
    feeds = session.fetch(_SELECT_FEEDS, target=target.id)
    reads = session.fetch(_SELECT_READS, target=target.id)
    feeds_itself = any(feed.source == target.id for feed in feeds)
    filters = []
    for id, group in groupby(feeds, key=lambda feed: feed.source):
        rows = list(group)
        usable, unused = [], []
        for comparison in comparisons:
            own = [edge for edge in edges[comparison.column] if edge.source.dataset.id == id]
            columns = _identity_columns(rows, own)
            if columns:
                usable.append(IdentityCondition(columns, comparison))
            else:
                unused.append(comparison.text)
        doubts = list(_doubts_about(id, reads))
        if feeds_itself:
            doubts.append(f"{target} feeds itself")
        filters.append(
            SourceFilter(
                Dataset(id, rows[0].namespace, rows[0].name), tuple(usable),
                tuple(dict.fromkeys(unused)), tuple(doubts), _options_of(id, reads),
            )
        )  # fmt: skip
    return filters


def _read_edges(session: Session, target: Dataset, column: str) -> list[ColumnEdge]:
    """Return the DIRECT edges into a column."""
    root = resolve_column(session, target.full_name, column)
    trace = trace_reported_columns(
        session, target.full_name, root.name or column, "upstream", 1, direct_only=True
    )
    return [edge for edge in trace.edges if edge.type == "DIRECT"]


def _identity_columns(feeds: Iterable[FeedRow], edges: Sequence[ColumnEdge]) -> tuple[str, ...]:
    """Return the columns of a source one of which has the value; none if a run may differ.

    In each run of each job, the value must be that of a column, without any other origin.
    """
    columns: set[str] = set()
    for feed in feeds:
        own = [edge for edge in edges if (edge.job.id if edge.job else 0) == feed.job]
        if not own or not all(_is_identity(edge) for edge in own):
            return ()
        if not feed.runs or max(edge.runs or 0 for edge in own) < feed.runs:
            return ()
        columns |= {edge.source.name or "" for edge in own}
    return tuple(sorted(columns))


def _is_identity(edge: ColumnEdge) -> bool:
    is_whole = edge.source.name is None or edge.target.name is None
    return edge.subtype == "IDENTITY" and not (edge.masking or is_whole)


def _options_of(source: int, reads: Iterable[ReadRow]) -> frozenset[str] | None:
    own = [read.options for read in reads if read.source == source]
    if not own or None in own:
        return None
    return frozenset(name for options in own for name in options or ())


def _doubts_about(source: int, reads: Iterable[ReadRow]) -> Iterable[str]:
    own = [read for read in reads if read.source == source]
    modes = {read.mode for read in own} - _PLAIN_WRITES
    if not own or "" in modes:
        yield "not reported: how often it was read"
    if modes - {""}:
        yield f"written by: {', '.join(sorted(modes - {''}))}"
    if (count := max((read.reads for read in own), default=1)) > 1:
        yield f"read {count} times by one execution"
    for operator in sorted({operator for read in own for operator in read.operators}):
        yield f"combined by: {operator}"
