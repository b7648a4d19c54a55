"""The lineage facet: sources of a target, also through jobs, and unreadable parts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.events.builders import entries, fed, source

from lineage.openlineage import TargetLineage, explicit_lineage

JOB = ("etl", "job")
LAKE = "s3://lake"


def of_dataset(**facet: Any) -> TargetLineage:
    """Parse the facet of the dataset b."""
    said = explicit_lineage(JOB, None, (((LAKE, "b"), json.dumps(facet).encode()),))
    return said.targets[LAKE, "b"]


def columns(target: TargetLineage) -> list[tuple[Any, ...]]:
    return [] if target.columns is None else [each[0][1:] + each[1:] for each in
                                              target.columns.derivations]  # fmt: skip


def unread(target: TargetLineage) -> tuple[str, ...]:
    return target.columns.unreadable if target.columns else ()


def test_inputs_are_all_that_feeds_a_dataset() -> None:
    target = of_dataset(**fed("a", "c"))
    assert target.sources == ((LAKE, "a"), (LAKE, "c"))
    assert not target.from_job
    assert target.columns is None


def test_no_inputs_mean_that_nothing_feeds_it() -> None:
    target = of_dataset(inputs=[])
    assert (target.sources, target.from_job) == ((), False)


def test_fields_alone_name_all_sources() -> None:
    target = of_dataset(**fed(None, total=[("a", "price")]))
    assert (target.sources, target.from_job) == (((LAKE, "a"),), False)
    assert columns(target) == [("a", "price", "total", "DIRECT", "", False)]


def test_fields_without_sources_are_reported_to_have_none() -> None:
    target = of_dataset(inputs=[], fields={"total": {"inputs": []}})
    assert target.columns is not None
    assert target.columns.derivations == ()


def test_a_field_of_an_input_decides_on_the_whole_dataset() -> None:
    how = {"type": "INDIRECT", "subtype": "FILTER", "masking": True}
    target = of_dataset(inputs=[source("a", "day", transformations=[how]), source("c", "k")])
    assert columns(target) == [
        ("a", "day", "", "INDIRECT", "FILTER", True),
        ("c", "k", "", "INDIRECT", "", False),
    ]


def test_jobs_are_passed_through() -> None:
    facet = entries(
        "a",
        others={"other": ["h", {"type": "JOB", "namespace": "etl", "name": "loop"}],
                "loop": [{"type": "JOB", "namespace": "etl", "name": "other"}, "i"]},
        b=fed({"type": "JOB", "namespace": "etl", "name": "other"}),
        c=fed(...),
    )  # fmt: skip
    said = explicit_lineage(JOB, json.dumps(facet).encode(), ())
    assert said.targets[LAKE, "b"].sources == ((LAKE, "h"), (LAKE, "i"))
    assert not said.targets[LAKE, "b"].from_job
    assert said.targets[LAKE, "c"].sources == ((LAKE, "a"),)
    assert said.reads == ((LAKE, "a"),)


def test_the_own_job_in_the_facet_of_an_output_is_all_that_it_reads() -> None:
    assert of_dataset(**fed(...)).from_job


@pytest.mark.parametrize("target", [fed(...), fed(None, x=[...]), fed("a", x=[...]), {}])
def test_the_own_job_in_an_entry_adds_no_dataset(target: dict[str, Any]) -> None:
    said = explicit_lineage(JOB, json.dumps(entries(b=target)).encode(), ())
    sources = ((LAKE, "a"),) if target == fed("a", x=[...]) else ()
    assert (said.targets[LAKE, "b"].sources, said.targets[LAKE, "b"].from_job) == (sources, False)


@pytest.mark.parametrize(
    ("facet", "is_complete"),
    [(entries(b=fed("a")), True), (entries("a"), True), ({}, False), ({"entries": 3}, False)],
)
def test_the_facet_of_a_job_with_entries_is_complete(
    facet: dict[str, Any], is_complete: bool
) -> None:
    assert explicit_lineage(JOB, json.dumps(facet).encode(), ()).is_complete == is_complete


def test_jobs_that_feed_jobs_are_dependencies() -> None:
    upstream = {"type": "JOB", "namespace": "etl", "name": "extract"}
    facet = entries(upstream, ..., others={"load": [upstream, "a"]})
    said = explicit_lineage(JOB, json.dumps(facet).encode(), ())
    assert said.dependencies == ((("etl", "extract"), JOB), (("etl", "extract"), ("etl", "load")))


@pytest.mark.parametrize("name", ["", "x" * 3_000, None, 3])
def test_a_job_without_a_name_of_its_own_is_omitted(name: Any) -> None:
    job = {"type": "JOB", "namespace": "etl", "name": name}
    facet = entries(job, "a", b=fed(job, "c"))
    facet["entries"].append({**job, "inputs": [source("h")]})
    said = explicit_lineage(JOB, json.dumps(facet).encode(), ())
    assert (said.dependencies, said.reads) == ((), ((LAKE, "a"),))
    assert said.targets[LAKE, "b"].sources == ((LAKE, "c"),)


def test_reports_of_a_job_and_of_a_dataset_are_merged() -> None:
    said = explicit_lineage(
        JOB, json.dumps(entries(b=fed("c"))).encode(),
        (((LAKE, "b"), json.dumps(fed("a")).encode()),),
    )  # fmt: skip
    assert said.targets[LAKE, "b"].sources == ((LAKE, "a"), (LAKE, "c"))


def test_a_deleted_facet_says_nothing() -> None:
    said = explicit_lineage(JOB, None, (((LAKE, "b"), b'{"_deleted": true, "inputs": []}'),))
    assert said.targets == {}


def test_what_cannot_be_read_is_named_by_its_path() -> None:
    target = of_dataset(
        inputs=["a", {"type": "DATASET", "name": "a"}, source("c")],
        fields={"x": {"inputs": [source("c"), source("c", "y", transformations=["?"])]}, "z": 3},
    )
    assert target.sources == ((LAKE, "c"),)
    assert set(unread(target)) == {
        "inputs[0]", "inputs[1]", "fields.x.inputs[0].field",
        "fields.x.inputs[1].transformations[0]", "fields.z",
    }  # fmt: skip
    assert unread(of_dataset(inputs=3, fields=[])) == ("inputs", "fields")


@pytest.mark.parametrize("order", [1, -1])
def test_an_output_that_is_listed_twice_has_the_sources_of_both(order: int) -> None:
    facets = [{}, {"inputs": [{"type": "DATASET", "namespace": LAKE, "name": "a"}]}][::order]
    texts = tuple(((LAKE, "b"), json.dumps(facet).encode()) for facet in facets)
    target = explicit_lineage(JOB, None, texts).targets[LAKE, "b"]
    assert (target.sources, target.from_job) == (((LAKE, "a"),), True)
