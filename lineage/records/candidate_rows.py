"""Rows of the sources of a table that may be behind its rows, without running its job."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lineage.query.details import describe_dataset
from lineage.query.names import resolve_dataset
from lineage.records.comparisons import parse_condition
from lineage.records.data_files import Unreadable, read_matching
from lineage.records.fidelity import Fidelity
from lineage.records.identity_filters import read_source_filters

if TYPE_CHECKING:
    from lineage.query.session import Session
    from lineage.records.comparisons import Condition
    from lineage.records.identity_filters import SourceFilter


@dataclass(frozen=True)
class CandidateRows:
    """Rows of one source. ``dataset``: its full name.

    ``count``: number of rows that match; None if none were selected. ``rows``: the first of them,
    as dictionaries with the path of the file as ``_file``. ``fidelity``: superset if all rows of
    the source that contribute are among the counted ones, else unknown.
    """

    dataset: str
    fidelity: Fidelity
    reasons: tuple[str, ...]
    count: int | None = None
    rows: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class Candidates:
    """Rows of the sources of ``target``, one step upstream.

    ``unused``: parts of the condition that no source can use, as SQL.
    """

    target: str
    where: str
    unused: tuple[str, ...]
    sources: tuple[CandidateRows, ...]

    @property
    def fidelity(self) -> Fidelity:
        """The worst fidelity of a source; unknown if the graph has no source."""
        order = list(Fidelity)
        worst = max((s.fidelity for s in self.sources), key=order.index, default=None)
        return worst or Fidelity.UNKNOWN


def candidates(session: Session, table: str, where: str, limit: int = 20) -> Candidates:
    """Select the rows of the sources of a table that have the values of its matching rows.

    The condition is applied to the columns of which the table's columns are copies, by the column
    lineage of the graph. The files are read as they are now. ``where``: comparisons of columns with
    literals, joined by AND; what has another form is not used. ``limit``: maximum number of rows of
    each source that are returned. Raises NotFound, Ambiguous, UsageError and DatabaseError.
    """
    condition = parse_condition(where)
    with session.snapshot():
        target = resolve_dataset(session, table)
        filters = read_source_filters(session, target, condition.comparisons)
        facets = [describe_dataset(session, f.source.full_name).facets for f in filters]
    sources = [
        _select_rows(filter_, facet, condition, limit)
        for filter_, facet in zip(filters, facets, strict=True)
    ]
    return Candidates(target.full_name, where, condition.unused, tuple(sources))


def _select_rows(
    selected: SourceFilter, facets: Any, condition: Condition, limit: int
) -> CandidateRows:
    name = selected.source.full_name
    if not selected.conditions:
        texts = dict.fromkeys(comparison.column for comparison in condition.comparisons)
        reason = f"no identity column: {', '.join(texts)}" if texts else "no usable condition"
        return CandidateRows(name, Fidelity.UNKNOWN, (reason,))
    file_format = facets.get("storage", {}).get("fileFormat")
    schema = {field["name"]: field["type"] for field in facets.get("schema", {}).get("fields", ())}
    try:
        matching = read_matching(selected.source, file_format, schema, selected.conditions, limit)
    except Unreadable as exc:
        return CandidateRows(name, Fidelity.UNKNOWN, (f"not read: {exc}",))
    if not matching.used:
        columns = sorted({column for each in selected.conditions for column in each.columns})
        reason = f"types that are not compared: {', '.join(columns)}"
        return CandidateRows(name, Fidelity.UNKNOWN, (reason,))
    own = (each.comparison.text for each in selected.conditions)
    unused = dict.fromkeys((*selected.unused, *(text for text in own if text not in matching.used)))
    reasons = [f"identity columns: {', '.join(matching.columns)}", *selected.doubts]
    reasons += [f"not used: {text}" for text in unused]
    fidelity = Fidelity.UNKNOWN if selected.doubts else Fidelity.SUPERSET
    return CandidateRows(name, fidelity, tuple(reasons), matching.total, tuple(matching.rows))
