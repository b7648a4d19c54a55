"""Plans of PostgreSQL, as EXPLAIN (FORMAT JSON) writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


def plan_nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield all nodes of a plan."""
    yield plan
    for child in plan.get("Plans", []):
        yield from plan_nodes(child)
