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
    result: Mapping[str, Any],
    key: str,
    rows: Sequence[Mapping[str, Any]],
    limit: int,
    offset: int,
    more: int = 0,
    *,
    skipped: int = 0,
) -> dict[str, Any]:
    """Return ``impact`` with rows from ``offset`` on under ``key``: so many, and not too long.

    ``more`` is how many rows there are behind those of ``rows``, and ``skipped`` how many of those
    before the offset are not in ``rows``.

    Where some are left out behind them, ``omitted`` says how many, and the next offset. What has
    no value is not there. Raises UsageError where a single row is too long.
    """
    returned: list[dict[str, Any]] = []
    length = 0
    requested = rows[offset - skipped : offset - skipped + limit]
    for row in requested:
        cells = {name: value for name, value in row.items() if value is not None}
        length += len(msgspec.json.encode(cells))
        if length > LONGEST:
            break
        returned.append(cells)
    if not returned and requested:
        raise UsageError(
            f"Row {offset} has more than {LONGEST:,} characters.",
            "Ask for less of it: for single properties, not for whole vertices.",
        )
    total = skipped + len(rows) + more
    answer = {**result, "total": total, key: returned}
    next_offset = offset + len(returned)
    if (omitted := total - next_offset) > 0:
        answer["omitted"] = {
            "count": omitted,
            "next_offset": next_offset,
            "hint": f"Ask again with offset {next_offset}, or for less: a depth, a LIMIT.",
        }
    return answer


def shorten_edges(rows: list[dict[str, Any]], *, keep: bool = False) -> list[dict[str, Any]]:
    """Leave out of edges what a client can ask for; ``keep`` the direction where there are two."""
    omitted = {"first_seen"} if keep else {"first_seen", "direction"}
    return [
        {k: v for k, v in row.items() if k not in omitted and (v or k != "declared")}
        for row in rows
    ]


def impact_page(impact: Impact, limit: int) -> dict[str, Any]:
    """Return the first of each list, and how many are left out of it."""
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
            }
            for each in impact.datasets
        ],
        "jobs": [
            {
                "distance": each.distance,
                "job": str(each.job),
                "owners": ", ".join(each.owners) or None,
                "runs": each.runs,
                "state": each.last_run.state if each.last_run else None,
            }
            for each in impact.jobs
        ],
        "not_known": [
            {
                "source": str(each.source),
                "job": str(each.job),
                "target": str(each.target) if each.target else None,
            }
            for each in impact.unreported
        ],
    }
    answer: dict[str, Any] = {
        "root": str(impact.root),
        "window_days": impact.window_days,
        "until": impact.until,
        "datasets_in_use": impact.datasets_in_use,
    }
    omitted = {
        "owners": 0,
        "datasets": impact.datasets_omitted,
        "jobs": impact.jobs_omitted,
        "not_known": impact.unreported_omitted,
    }
    for key, rows in lists.items():
        part = page_of({}, key, rows, limit, 0)
        answer[key] = part[key]
        if more := part["total"] - len(part[key]) + omitted[key]:
            answer[f"{key}_omitted"] = more
    return answer
