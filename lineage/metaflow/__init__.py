"""Lineage of Metaflow: runs of flows and tasks, and the artifacts that steps hand on.

    from lineage.metaflow import LineageFlow     # a FlowSpec

Needs the extra ``metaflow``. Metaflow finds the decorator through ``metaflow_extensions/lineage``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.lazy_exports import export_lazily

if TYPE_CHECKING:
    from lineage.metaflow.flow import LineageFlow as LineageFlow

__getattr__, __dir__ = export_lazily("lineage.metaflow", {"LineageFlow": "flow"})
