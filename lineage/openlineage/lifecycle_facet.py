"""Parse the lifecycleStateChange facet: the name of a dataset before it was renamed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from lineage.openlineage.long_names import read_key

if TYPE_CHECKING:
    from lineage.openlineage.events import Name


def previous_name(facet: bytes) -> Name | None:
    """Return the name of a renamed dataset before the RENAME; None if the facet has none."""
    body = json.loads(facet) if b"previousIdentifier" in facet else None
    if not isinstance(body, dict) or body.get("lifecycleStateChange") != "RENAME":
        return None
    return None if body.get("_deleted") is True else read_key(body.get("previousIdentifier"))
