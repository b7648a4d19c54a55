"""Queries of the graph: one module for each kind, with functions that take a ``Session``.

``Graph`` has a method for each. A caller that needs one query imports only its module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lineage.query.graph import Graph

__all__ = ["Graph"]


def __getattr__(name: str) -> Any:
    if name != "Graph":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from lineage.query.graph import Graph

    return Graph
