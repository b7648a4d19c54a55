"""Rows of the sources of a table that may be behind its rows, without running its job."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lineage.errors import StaleInputs
from lineage.query.details import describe_dataset
from lineage.query.names import resolve_dataset
from lineage.records.comparisons import parse_condition
from lineage.records.data_files import PLAIN_OPTIONS, TEXT_FORMATS, read_matching
from lineage.records.fidelity import Fidelity
from lineage.records.identity_filters import read_source_filters
from lineage.records.input_changes import as_of_run
from lineage.records.listed_files import Unreadable, compare_listing, list_files
from lineage.records.manifests import input_manifests

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lineage.query.session import Session
    from lineage.records.comparisons import Condition
    from lineage.records.identity_filters import SourceFilter
    from lineage.records.listed_files import ListingComparison
    from lineage.records.manifests import RunInputs


@dataclass(frozen=True)
class CandidateRows:
    """Rows of one source. ``dataset``: its full name.

    ``count``: number of rows that match; None if none were selected. ``rows``: the first of them,
    as dictionaries with the path of the file as ``_file``. ``fidelity``: superset if all rows of
    the source that contribute are among the counted ones, stale if its files have changed since the
    run ``changed_since`` as ``changes`` say, else unknown.
    """

    dataset: str
    fidelity: Fidelity
    reasons: tuple[str, ...]
    count: int | None = None
    rows: tuple[dict[str, Any], ...] = ()
    changes: tuple[str, ...] = ()
    changed_since: str | None = None


@dataclass(frozen=True)
class Candidates:
    """Rows of the sources of ``target``, one step upstream.

    ``unused``: parts of the condition that no source can use, as SQL. ``fidelity``: the worst one
    of a source; unknown if the graph has no source.
    """

    target: str
    where: str
    unused: tuple[str, ...]
    sources: tuple[CandidateRows, ...]
    fidelity: Fidelity


def candidates(
    session: Session, table: str, where: str, limit: int = 20, *, force: bool = False
) -> Candidates:
    """Select the rows of the sources of a table that have the values of its matching rows.

    The condition is applied to the columns of which the table's columns are copies, by the column
    lineage of the graph. ``where``: comparisons of columns with literals, joined by AND; parts of
    another form are not used. ``limit``: maximum number of rows of each source that are returned.

    The files of the sources are compared with those that the runs read which wrote the table.
    Files that were added since are left out. If they differ otherwise, StaleInputs is raised, or
    with ``force`` the fidelity is stale. Raises NotFound, Ambiguous, UsageError, DatabaseError.
    """
    condition = parse_condition(where)
    with session.snapshot():
        target = resolve_dataset(session, table)
        filters = read_source_filters(session, target, condition.comparisons)
        facets = [describe_dataset(session, f.source.full_name).facets for f in filters]
        runs = input_manifests(session, target.full_name)
    sources = [
        _select_rows(filter_, facet, condition, limit, runs)
        for filter_, facet in zip(filters, facets, strict=True)
    ]
    changed = [source for source in sources if source.changes]
    if changed and not force:
        changes = [change for source in changed for change in source.changes]
        raise StaleInputs(table, changed[0].changed_since or "", changes)
    worst = max((s.fidelity for s in sources), key=list(Fidelity).index, default=Fidelity.UNKNOWN)
    return Candidates(target.full_name, where, condition.unused, tuple(sources), worst)


def _select_rows(
    selected: SourceFilter,
    facets: Any,
    condition: Condition,
    limit: int,
    runs: Sequence[RunInputs],
) -> CandidateRows:
    name = selected.source.full_name
    if not selected.conditions:
        texts = dict.fromkeys(comparison.column for comparison in condition.comparisons)
        reason = f"no identity column: {', '.join(texts)}" if texts else "no usable condition"
        return CandidateRows(name, Fidelity.UNKNOWN, (reason,))
    file_format = facets.get("storage", {}).get("fileFormat")
    schema = {field["name"]: field["type"] for field in facets.get("schema", {}).get("fields", ())}
    try:
        listing = list_files(selected.source)
        compared = compare_listing(listing, runs)
        if not compared.files:
            return CandidateRows(name, Fidelity.SUPERSET, tuple(_reasons_of(compared)), 0)
        files = replace(listing, files=compared.files)
        matching = read_matching(files, file_format, schema, selected.conditions, limit)
    except Unreadable as exc:
        return CandidateRows(name, Fidelity.UNKNOWN, (f"not read: {exc}",))
    if not matching.used:
        columns = sorted({column for each in selected.conditions for column in each.columns})
        reason = f"types that are not compared: {', '.join(columns)}"
        return CandidateRows(name, Fidelity.UNKNOWN, (reason,))
    own = (each.comparison.text for each in selected.conditions)
    unused = dict.fromkeys((*selected.unused, *(text for text in own if text not in matching.used)))
    doubts = [*selected.doubts, *_doubts_about_reader(selected, file_format)]
    reasons = [f"identity columns: {', '.join(matching.columns)}", *doubts]
    reasons += [f"not used: {text}" for text in unused]
    reasons += _reasons_of(compared)
    fidelity = Fidelity.STALE if compared.changes else Fidelity.SUPERSET
    if doubts or compared.doubtful:
        fidelity = Fidelity.UNKNOWN
    return CandidateRows(
        name, fidelity, tuple(reasons), matching.total, tuple(matching.rows), compared.changes,
        compared.run_id,
    )  # fmt: skip


def _doubts_about_reader(selected: SourceFilter, file_format: str) -> Iterator[str]:
    """Yield why the values of text may be others in Spark than in pyarrow."""
    if file_format not in TEXT_FORMATS:
        return
    if selected.options is None:
        yield "not reported: the options of its reader"
    elif options := sorted(
        name for name in selected.options - PLAIN_OPTIONS if not name.startswith("__")
    ):
        yield f"read with options: {', '.join(options)}"


def _reasons_of(compared: ListingComparison) -> list[str]:
    """Return how the files compare with those of the runs, as the labels of a trace do."""
    reasons = [f"changed: {change}" for change in compared.changes]
    reasons += [f"changed unless replaced: {change}" for change in compared.doubtful]
    if compared.unknown:
        reasons.append(compared.unknown)
    if compared.left_out:
        reasons.append(as_of_run(compared.left_out))
    return reasons
