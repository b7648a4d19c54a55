"""Facets of a dataset in a run event that describe the access of the run, not the dataset."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec import Raw, json

from lineage.events import explicit_sources
from lineage.openlineage.timestamps import normalize_time

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lineage.openlineage import Dataset, Facets
    from lineage.openlineage.events import Name

OF_THE_RUN = (
    "version", "lineage_versions", "lifecycleStateChange", "dataQualityAssertions",
    "dataQualityMetrics",
)  # fmt: skip
# The type of an output is stored with the access if it is a view, see lineage.defines_view(). Most
# events report tables, which need nothing.
TYPE = "datasetType"
READ_TIME = "lineage_read_time"
_CHECKS = "dataQualityAssertions"
# Great Expectations reports its results in this facet only. lineage.check_results() reads both.
_EXPECTATIONS = "greatExpectations_assertions"
_VIEW = Raw(b'{"datasetType":"VIEW"}')
_NULL = Raw(b"null")


def facets_of_access(dataset: Dataset, *, output: bool) -> Facets:
    """Return the facets that are stored with the access."""
    facets = {name: dataset.facets[name] for name in OF_THE_RUN if name in dataset.facets}
    facets.update(
        (name, body)
        for name, body in dataset.access_facets.items()
        if body != _NULL and name not in (explicit_sources.FACET, TYPE)  # facets of datasets
    )
    if _EXPECTATIONS in facets:
        facets.setdefault(_CHECKS, facets[_EXPECTATIONS])
    if output and _is_view(dataset):
        facets[TYPE] = _VIEW
    return facets


def earlier_reads(inputs: Iterable[Dataset]) -> Iterator[tuple[Name, str]]:
    """Yield the inputs with the facet of an earlier read, and its time; skip invalid times."""
    for dataset in inputs:
        if READ_TIME in dataset.access_facets:
            facet = json.decode(dataset.access_facets[READ_TIME])
            text = facet.get("time") if isinstance(facet, dict) else None
            with suppress(ValueError):
                if isinstance(text, str):
                    yield dataset.key, normalize_time(text)


def _is_view(dataset: Dataset) -> bool:
    """Return whether the event reports a view, which is not materialized."""
    facet = dataset.facets.get(TYPE, _NULL)
    if b"view" not in bytes(facet).lower() or not isinstance(body := json.decode(facet), dict):
        return False
    kind, subtype = (str(body.get(key) or "").upper() for key in (TYPE, "subType"))
    return kind == "VIEW" and "MATERIALIZED" not in subtype and body.get("_deleted") is not True
