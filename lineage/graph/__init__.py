"""The provenance graph: writing events into it and asking it questions."""

from lineage.graph.emitter import Emitter, Written, write
from lineage.graph.provenance import Provenance, connect
from lineage.graph.rebuild import fingerprint, rebuild

__all__ = ["Emitter", "Provenance", "Written", "connect", "fingerprint", "rebuild", "write"]
