"""Questions to the graph: each kind in a module, all of them methods of ``Provenance``.

Each kind has a class that can be asked alone: who asks one question does not load all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lineage.query.graph import Provenance

__all__ = ["Provenance"]


def __getattr__(name: str) -> Any:
    if name != "Provenance":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from lineage.query.graph import Provenance

    return Provenance
