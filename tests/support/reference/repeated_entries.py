"""Reference implementation of inputs that an event lists several times."""

from __future__ import annotations

from typing import Any

from support.reference.lineage_facet import key


def with_all_versions(event: Any) -> Any:
    """Add to each input of a RunEvent the different versions in which the event lists it."""
    inputs = event["inputs"] if "run" in event else []
    versions: dict[Any, set[str]] = {}
    for d in inputs:
        listed = d["facets"].get("lineage_versions", {}).get("versions")
        one = d["facets"].get("version", {}).get("datasetVersion")
        versions.setdefault(key(d), set()).update(listed or ([one] if one else []))
    for d in inputs:
        if len(versions[key(d)]) > 1:
            d["facets"]["lineage_versions"] = {"versions": sorted(versions[key(d)])}
    return event
