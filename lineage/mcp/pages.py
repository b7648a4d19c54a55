"""Small answers: a part of the rows, how many are left out, and how to ask for these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from lineage.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# A client reads each character of an answer, and pays for it.
LONGEST = 40_000


def page(
    found: Mapping[str, Any],
    key: str,
    rows: Sequence[Mapping[str, Any]],
    limit: int,
    offset: int,
    more: int = 0,
) -> dict[str, Any]:
    """Return ``found`` with rows from ``offset`` on under ``key``: so many, and not too long.

    ``more`` is how many rows there are behind those of ``rows``.

    Where some are left out behind them, ``left_out`` says how many, and the next offset. What has
    no value is not there. Raises UsageError where a single row is too long.
    """
    shown: list[dict[str, Any]] = []
    length = 0
    for row in rows[offset : offset + limit]:
        said = {name: value for name, value in row.items() if value is not None}
        length += len(msgspec.json.encode(said))
        if length > LONGEST:
            break
        shown.append(said)
    if not shown and rows[offset : offset + limit]:
        raise UsageError(
            f"Row {offset} has more than {LONGEST:,} characters.",
            "Ask for less of it: for single properties, not for whole vertices.",
        )
    total = len(rows) + more
    answer = {**found, "total": total, key: shown}
    next_offset = offset + len(shown)
    if (left_out := total - next_offset) > 0:
        answer["left_out"] = {
            "count": left_out,
            "next_offset": next_offset,
            "hint": f"Ask again with offset {next_offset}, or for less: a depth, a LIMIT.",
        }
    return answer
