"""The manifests of scans in plan documents, as a facet of the inputs."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from openlineage.client.serde import Serde
from support.events.plan_documents import Plans, execution_end

from lineage.errors import InvalidEvent
from lineage.spark.conversion.convert import convert_document
from lineage.spark.document.parser import read_document

ONE = {"files": 2, "bytes": 30, "newest": 2000, "digest": "00000000000000aa"}
TWO = {"files": 1, "bytes": 10, "newest": 1000, "digest": "00000000000000bb"}
NONE = {"files": 0, "bytes": 0, "digest": "0000000000000000"}
MANY = {"omitted": "more than 100000 files"}


def document(*manifests: dict[str, Any] | None) -> dict[str, Any]:
    """Return a document of a union of scans of ``file:/d``, one for each manifest."""
    plans = Plans()
    scans = [plans.files("file:/d") for _ in manifests]
    plans.node("Union", *scans)
    metrics: list[dict[str, Any]] = []
    for scan, manifest in zip(scans, manifests, strict=True):
        metric = {"node": "Scan parquet", "relation": scan, "values": {"numOutputRows": 1}}
        metrics.append(metric if manifest is None else {**metric, "manifest": manifest})
    return {**execution_end(plans.build()), "metrics": metrics}


def facet_of(raw: dict[str, Any]) -> dict[str, Any] | None:
    """Return the members of the facet of the only input, without its producer."""
    [item] = Serde.to_dict(convert_document(read_document(raw))[-1])["inputs"]
    facet = (item.get("inputFacets") or {}).get("lineage_manifest")
    return facet and {key: facet[key] for key in facet if not key.startswith("_")}


@pytest.mark.parametrize(
    ("manifests", "scans", "omitted"),
    [
        ([ONE], [ONE], []),
        ([ONE, ONE], [ONE], []),
        ([TWO, None, ONE], [ONE, TWO], []),
        ([NONE], [NONE], []),
        ([ONE, MANY, MANY], [ONE], ["more than 100000 files"]),
        ([MANY], [], ["more than 100000 files"]),
    ],
)
def test_an_input_has_the_manifests_of_its_scans(
    manifests: list[Any], scans: list[Any], omitted: list[str]
) -> None:
    assert facet_of(document(*manifests)) == {"scans": scans, "omitted": omitted}


def test_the_facet_has_a_schema() -> None:
    [item] = Serde.to_dict(convert_document(read_document(document(ONE)))[-1])["inputs"]
    facet = item["inputFacets"]["lineage_manifest"]
    assert facet["_schemaURL"] == "urn:lineage-age:facets:1-0-0:ManifestInputDatasetFacet"


def test_a_document_without_manifests_has_no_facet() -> None:
    assert facet_of(document(None, None)) is None


def test_a_failed_run_has_no_facet() -> None:
    assert facet_of({**document(ONE), "outcome": "FAIL"}) is None


def test_an_event_has_a_bounded_number_of_manifests() -> None:
    many = [{**ONE, "digest": f"{number:016x}"} for number in range(101)]
    facet = facet_of(document(*many))
    assert facet == {"scans": many[:100], "omitted": ["more than 100 selections of files"]}


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("files", "2", '"metrics[0].manifest.files" is not an integer'),
        ("bytes", None, '"metrics[0].manifest.bytes" is not an integer'),
        ("digest", 7, '"metrics[0].manifest.digest" is not a string'),
    ],
)
def test_a_wrong_manifest_is_rejected(key: str, value: Any, message: str) -> None:
    raw = document(copy.deepcopy(ONE))
    raw["metrics"][0]["manifest"][key] = value
    with pytest.raises(InvalidEvent) as caught:
        read_document(raw)
    assert message in caught.value.message
