"""Stored procedures, which Spark runs during the analysis of ``CALL``; no plan has the command."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lineage.spark.datasets.resolver import Unresolved

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.spark.document.document import Document

_PART = r"(?:\w+|`[^`]+`)"
_CALL = re.compile(rf"\s*CALL\s+({_PART}(?:\s*\.\s*{_PART})*)\s*\(", re.IGNORECASE)

# Procedures of Iceberg that keep the rows of a table, or set it to one of its own versions.
_WITHOUT_ROWS = {
    "ancestors_of",
    "cherrypick_snapshot",
    "compute_partition_stats",
    "compute_table_stats",
    "create_changelog_view",
    "expire_snapshots",
    "fast_forward",
    "publish_changes",
    "remove_orphan_files",
    "rewrite_data_files",
    "rewrite_manifests",
    "rewrite_position_delete_files",
    "rewrite_table_path",
    "rollback_to_snapshot",
    "rollback_to_timestamp",
    "set_current_snapshot",
}


def unknown_procedures(document: Document) -> Iterator[Unresolved]:
    """Yield an unresolved entry for a procedure that may move rows between datasets."""
    call = _CALL.match(document.sql or "")
    if call is None:
        return
    name = re.sub(r"[\s`]", "", call[1])
    if name.rpartition(".")[2].lower() not in _WITHOUT_ROWS:
        yield Unresolved("Call", "a procedure that may move rows", name)
