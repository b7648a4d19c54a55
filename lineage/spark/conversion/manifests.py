"""The files that the scans of an input selected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.spark.conversion.executions import all_plans
from lineage.spark.conversion.facets import ManifestInputDatasetFacet

if TYPE_CHECKING:
    from lineage.spark.conversion.inputs_outputs import Input
    from lineage.spark.document.document import Document, Manifest

# Different selections of one dataset in one execution that an event has.
MAX_SCANS = 100


def manifest_of_input(document: Document, item: Input) -> ManifestInputDatasetFacet | None:
    """Return the manifests of the scans of an input, each different one once.

    Returns None if none of its scans has one, and for streaming queries, whose micro-batches read
    other files each.
    """
    if document.query:
        return None
    places = set(item.places)
    manifests = [
        metric.manifest
        for place, planned in enumerate(all_plans(document))
        for metric in planned.metrics
        if metric.manifest is not None and (place, metric.relation) in places
    ]
    described = {each.digest: each for each in manifests if each.digest is not None}
    omitted = dict.fromkeys(each.omitted for each in manifests if each.omitted is not None)
    if len(described) > MAX_SCANS:
        omitted[f"more than {MAX_SCANS} selections of files"] = None
    scans = [described[digest] for digest in sorted(described)[:MAX_SCANS]]
    if not scans and not omitted:
        return None
    return ManifestInputDatasetFacet(scans=list(map(_as_facet, scans)), omitted=list(omitted))


def _as_facet(manifest: Manifest) -> dict[str, Any]:
    facet: dict[str, Any] = {"files": manifest.files, "bytes": manifest.bytes}
    if manifest.newest is not None:
        facet["newest"] = manifest.newest
    return {**facet, "digest": manifest.digest}
