"""Pages of results: some of the rows, the number of omitted rows, and the next offset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from lineage import export
from lineage.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lineage.query.archive import RunArchive
    from lineage.query.impact_records import Impact
    from lineage.query.records import ColumnTrace, UnreportedColumns

# Maximum characters of a page: clients process, and often pay for, each of them.
PAGE_SIZE = 40_000
_MAX_VALUE_LENGTH = 500
MAX_CELL_VALUES = 20


def page_of(
    result: Mapping[str, Any],
    key: str,
    rows: Sequence[Mapping[str, Any]],
    limit: int,
    offset: int,
    more: int = 0,
    *,
    skipped: int = 0,
) -> dict[str, Any]:
    """Return ``result`` with at most ``limit`` rows from ``offset`` under ``key``.

    ``more`` is the number of rows that follow ``rows``. ``skipped`` is the number of rows before
    the offset that are not in ``rows``.

    The page with ``result`` ends before it has more than ``PAGE_SIZE`` characters. If rows follow
    it, ``omitted`` has their number and the next offset. Null values are omitted. Raises UsageError
    if a single row is too long.
    """
    requested = rows[offset - skipped : offset - skipped + limit]
    returned = _first_rows(requested, PAGE_SIZE - len(msgspec.json.encode(result)))
    if not returned and requested:
        raise UsageError(
            f"Row {offset} has more than {PAGE_SIZE:,} characters.",
            "Return single properties, not whole vertices.",
        )
    total = skipped + len(rows) + more
    page = {**result, "total": total, key: returned}
    next_offset = offset + len(returned)
    if (omitted := total - next_offset) > 0:
        page["omitted"] = {
            "count": omitted,
            "next_offset": next_offset,
            "hint": f"Repeat with offset {next_offset}, or reduce the result by depth or LIMIT.",
        }
    return page


def archive_part(archive: RunArchive | None) -> dict[str, Any]:
    """Return the part of a page that names the archive of runs; empty without an archive."""
    return {"runs_archived_before": archive.before} if archive else {}


def _first_rows(rows: Sequence[Mapping[str, Any]], longest: int) -> list[dict[str, Any]]:
    """Return the first rows of together at most that many characters, without null values."""
    first: list[dict[str, Any]] = []
    for row in rows:
        cells = {name: value for name, value in row.items() if value is not None}
        longest -= len(msgspec.json.encode(cells)) + 1
        if longest < 0:
            break
        first.append(cells)
    return first


def _add_lists(
    page: dict[str, Any],
    lists: Mapping[str, Sequence[Mapping[str, Any]]],
    omitted: Mapping[str, int],
    longest: int,
) -> None:
    """Add the first rows of each list, and the numbers of omitted ones if there are any.

    The lists share ``longest`` characters; later lists may use the rest of earlier ones.
    ``omitted``: numbers of rows that are not in the lists.
    """
    counts = {f"{key}_omitted": len(rows) + omitted.get(key, 0) for key, rows in lists.items()}
    longest -= len(msgspec.json.encode({**page, **dict.fromkeys(lists, ()), **counts}))
    for place, (key, rows) in enumerate(lists.items()):
        page[key] = _first_rows(rows, longest // (len(lists) - place))
        longest -= len(msgspec.json.encode(page[key]))
        if more := counts[f"{key}_omitted"] - len(page[key]):
            page[f"{key}_omitted"] = more


def shorten_edges(rows: list[dict[str, Any]], *, keep: bool = False) -> list[dict[str, Any]]:
    """Remove keys that clients rarely need; ``keep`` retains the direction."""
    omitted = {"first_seen"} if keep else {"first_seen", "direction"}
    return [
        {
            k: v
            for k, v in row.items()
            if k not in omitted and (v or k != "declared") and (v != 1 or k != "confidence")
        }
        for row in rows
    ]


def column_page(trace: ColumnTrace, limit: int, offset: int) -> dict[str, Any]:
    """Return a page of the edges of a column trace, and of the steps that it could not follow."""
    summary: dict[str, Any] = {
        "root": str(trace.root),
        "direction": trace.direction,
        "columns": len(trace.columns) + trace.omitted.get("nodes", 0),
    }
    nested = [{"column": str(each.column), "within": str(each.within)} for each in trace.nested]
    lists = {"nested": nested[:limit], "not_known": unreported_rows(trace.unreported[:limit])}
    omitted = {
        "nested": len(nested[limit:]),
        "not_known": len(trace.unreported[limit:]) + trace.omitted.get("unreported", 0),
    }
    _add_lists(summary, {key: rows for key, rows in lists.items() if rows}, omitted, PAGE_SIZE // 2)
    more = trace.omitted.get("edges", 0)
    return page_of(summary, "edges", shorten_edges(export.rows(trace)), limit, offset, more)


def impact_page(impact: Impact, limit: int) -> dict[str, Any]:
    """Return the first entries of each list, and the number of omitted ones."""
    lists: dict[str, list[dict[str, Any]]] = {
        "owners": [
            {"name": each.name, "datasets": each.datasets, "jobs": each.jobs}
            for each in impact.owners
        ],
        "datasets": [
            {
                "distance": each.distance,
                "dataset": str(each.dataset),
                "columns": ", ".join(each.columns) or None,
                "owners": ", ".join(each.owners) or None,
                "last_read": each.last_read,
                "reads": each.reads,
                "last_fed": each.last_fed,
                "stale": each.stale,
            }
            for each in impact.datasets
        ],
        "jobs": [
            {
                "distance": each.distance,
                "job": str(each.job),
                "owners": ", ".join(each.owners) or None,
                "last_read": each.last_read,
                "reads": each.reads,
                "stale": each.is_stale,
                "state": each.last_run.state if each.last_run else None,
                "declared": each.declared or None,
            }
            for each in impact.jobs
        ],
        "not_known": unreported_rows(impact.unreported),
    }
    page: dict[str, Any] = {
        "root": str(impact.root),
        "window_days": impact.window_days,
        "until": impact.until,
        "datasets_in_use": impact.datasets_in_use,
        **archive_part(impact.archive),
    }
    omitted = {
        "datasets": impact.datasets_omitted,
        "jobs": impact.jobs_omitted,
        "not_known": impact.unreported_omitted,
    }
    if len(columns := impact.itself.columns) > 1:
        short = shorten_texts({"columns": list(columns)})
        page.update({name: value for name, value in short.items() if value is not None})
    first = {key: rows[:limit] for key, rows in lists.items()}
    omitted["owners"] = len(impact.owners[limit:])
    _add_lists(page, first, omitted, PAGE_SIZE)
    return page


def unreported_rows(steps: Sequence[UnreportedColumns]) -> list[dict[str, Any]]:
    """Return the rows of steps whose columns were not reported, without null values."""
    return [
        {name: str(end) for name in ("source", "job", "target") if (end := getattr(each, name))}
        for each in steps
    ]


def shorten_texts(row: Mapping[str, Any]) -> dict[str, Any]:
    """Shorten long texts and lists of a row, and mark them as shortened."""
    short: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, list):
            short[name] = value[:MAX_CELL_VALUES] or None
            short[f"{name}_omitted"] = len(value[MAX_CELL_VALUES:]) or None
        elif value is None or isinstance(value, bool | int | float):
            short[name] = value
        else:
            text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
            short[name] = text if len(text) <= _MAX_VALUE_LENGTH else f"{text[:_MAX_VALUE_LENGTH]}…"
    return short
