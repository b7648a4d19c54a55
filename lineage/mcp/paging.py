"""Small answers: a part of the rows, how many are left out, and how to ask for these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from lineage.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lineage.query.impact import Impact

# A client reads each character of an answer, and pays for it.
LONGEST = 40_000


def page_of(
    found: Mapping[str, Any],
    key: str,
    rows: Sequence[Mapping[str, Any]],
    limit: int,
    offset: int,
    more: int = 0,
    *,
    skipped: int = 0,
) -> dict[str, Any]:
    """Return ``found`` with rows from ``offset`` on under ``key``: so many, and not too long.

    ``more`` is how many rows there are behind those of ``rows``, and ``skipped`` how many of those
    before the offset are not in ``rows``.

    Where some are left out behind them, ``left_out`` says how many, and the next offset. What has
    no value is not there. Raises UsageError where a single row is too long.
    """
    shown: list[dict[str, Any]] = []
    length = 0
    wanted = rows[offset - skipped : offset - skipped + limit]
    for row in wanted:
        said = {name: value for name, value in row.items() if value is not None}
        length += len(msgspec.json.encode(said))
        if length > LONGEST:
            break
        shown.append(said)
    if not shown and wanted:
        raise UsageError(
            f"Row {offset} has more than {LONGEST:,} characters.",
            "Ask for less of it: for single properties, not for whole vertices.",
        )
    total = skipped + len(rows) + more
    answer = {**found, "total": total, key: shown}
    next_offset = offset + len(shown)
    if (left_out := total - next_offset) > 0:
        answer["left_out"] = {
            "count": left_out,
            "next_offset": next_offset,
            "hint": f"Ask again with offset {next_offset}, or for less: a depth, a LIMIT.",
        }
    return answer


def shorten_edges(rows: list[dict[str, Any]], *, keep: bool = False) -> list[dict[str, Any]]:
    """Leave out of edges what a client can ask for; ``keep`` the direction where there are two."""
    left_out = {"first_seen"} if keep else {"first_seen", "direction"}
    return [
        {k: v for k, v in row.items() if k not in left_out and (v or k != "declared")}
        for row in rows
    ]


def impact_page(found: Impact, limit: int) -> dict[str, Any]:
    """Return the first of each list, and how many are left out of it."""
    lists: dict[str, list[dict[str, Any]]] = {
        "owners": [
            {"name": each.name, "datasets": each.datasets, "jobs": each.jobs}
            for each in found.owners
        ],
        "datasets": [
            {
                "distance": each.distance,
                "dataset": str(each.dataset),
                "columns": ", ".join(each.columns) or None,
                "owners": ", ".join(each.owners) or None,
                "last_read": each.last_read,
                "reads": each.reads,
            }
            for each in found.datasets
        ],
        "jobs": [
            {
                "distance": each.distance,
                "job": str(each.job),
                "owners": ", ".join(each.owners) or None,
                "runs": each.runs,
                "state": each.last_run.state if each.last_run else None,
            }
            for each in found.jobs
        ],
        "not_known": [
            {
                "source": str(each.source),
                "job": str(each.job),
                "target": str(each.target) if each.target else None,
            }
            for each in found.unsaid
        ],
    }
    answer: dict[str, Any] = {
        "root": str(found.root),
        "window_days": found.window_days,
        "until": found.until,
        "datasets_in_use": found.datasets_in_use,
    }
    left_out = {
        "owners": 0,
        "datasets": found.datasets_left_out,
        "jobs": found.jobs_left_out,
        "not_known": found.unsaid_left_out,
    }
    for key, rows in lists.items():
        part = page_of({}, key, rows, limit, 0)
        answer[key] = part[key]
        if more := part["total"] - len(part[key]) + left_out[key]:
            answer[f"{key}_left_out"] = more
    return answer
