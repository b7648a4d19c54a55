"""Questions to the graph: each kind in a module, all of them methods of ``Provenance``."""

from lineage.questions.provenance import Provenance

__all__ = ["Provenance"]
