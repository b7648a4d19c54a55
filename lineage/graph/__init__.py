"""The provenance graph: writing events into it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lineage.graph.emitter import Emitter, Written, write
    from lineage.graph.rebuilding import fingerprint, rebuild

__all__ = ["Emitter", "Written", "fingerprint", "rebuild", "write"]

# Loaded when first asked for: who reads the log does not wait for what only writes.
_MODULES = {
    "Emitter": "emitter",
    "Written": "emitter",
    "fingerprint": "rebuilding",
    "rebuild": "rebuilding",
    "write": "emitter",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
