"""The columnLineage facet of outputs of imported statements."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lineage.openlineage.producer import READERS_PRODUCER

if TYPE_CHECKING:
    from lineage.columns.compaction import ColumnLineage


def column_facets(columns: ColumnLineage | None) -> dict[str, Any]:
    """Return the facet by its name; empty if no column has a known source."""
    if columns is None or not (columns.rows or any(columns.fields.values())):
        return {}
    from openlineage.client.serde import Serde

    from lineage.columns.facet import column_lineage

    facet = json.loads(Serde.to_json(column_lineage(columns)))
    return {"columnLineage": {**facet, "_producer": READERS_PRODUCER}}
