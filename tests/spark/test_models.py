"""Lineage of models of Spark ML that real applications fit, save, load and use."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from openlineage.client.serde import Serde
from support.spark.recorded import group
from support.spark.version import SPARK

from lineage.spark.conversion.applications import convert_applications
from lineage.spark.document.spool import find_applications

if TYPE_CHECKING:
    from pathlib import Path

    from support.fixtures.spark import SparkSubmit, Submitted

Event = dict[str, Any]

# Spark 4.0 loads a search in the JVM. Later versions load its parts one by one from Python.
SEARCH = (
    {"cross"} if SPARK < (4, 1) else {f"cross/{n}" for n in ("evaluator", "estimator", "bestModel")}
)

pytestmark = pytest.mark.skipif(SPARK < (4, 0), reason="before 4.0 metadata is a job of RDDs")


@pytest.fixture(scope="module")
def saving(spark_submit: SparkSubmit) -> Submitted:
    submitted = spark_submit.start("models.py", "save")
    assert submitted.finish() == 0, submitted.log[-3000:]
    return submitted


@pytest.fixture(scope="module")
def using(spark_submit: SparkSubmit, saving: Submitted) -> Submitted:
    submitted = spark_submit.start("models.py", "use", str(saving.directory))
    assert submitted.finish() == 0, submitted.log[-3000:]
    return submitted


@cache
def events_of(spool: Path) -> list[Event]:
    """Convert the documents of a finished job, once for all tests."""
    found = convert_applications(find_applications(spool), lambda bad: pytest.fail(str(bad)))
    return [Serde.to_dict(event) for event in found]


def ends(job: Submitted, case: str) -> list[Event]:
    return [e for e in events_of(job.spool) if group(e) == case and e["eventType"] != "START"]


def names(directory: Path, told: list[Event], side: str) -> set[str]:
    return {item["name"].removeprefix(f"{directory}/") for end in told for item in end[side]}


@pytest.mark.parametrize(
    ("case", "read", "written"),
    [
        ("plain", {"cust"}, {"plain"}),
        ("again", {"cust"}, {"plain"}),
        ("unfitted", set(), {"unfitted"}),
        ("pipeline", {"cust"}, {"pipeline"}),
        ("in memory", {"cust", "fresh"}, {"at_once"}),
        ("cross", {"cust"}, {"cross"}),
    ],
)
def test_a_saved_model_is_one_dataset_of_what_it_was_fitted_on(
    saving: Submitted, case: str, read: set[str], written: set[str]
) -> None:
    [write] = [end for end in ends(saving, case) if end["outputs"]]
    assert names(saving.directory, [write], "inputs") == read
    assert names(saving.directory, [write], "outputs") == written
    assert marks(write) == []


@pytest.mark.parametrize(("case", "written"), [("first of two", "one"), ("second of two", "two")])
def test_of_two_models_of_a_kind_it_is_not_known_which_was_saved(
    saving: Submitted, case: str, written: str
) -> None:
    [write] = [end for end in ends(saving, case) if end["outputs"]]
    assert names(saving.directory, [write], "inputs") == set()
    assert names(saving.directory, [write], "outputs") == {written}
    assert marks(write) == ["LogisticRegressionModel"]


def marks(end: Event) -> list[str]:
    return [item["operator"] for item in _facet(end).get("items") or []]


def _facet(end: Event) -> dict[str, Any]:
    facet: dict[str, Any] = end["run"]["facets"].get("lineage_unresolved", {})
    return facet


@pytest.mark.parametrize(
    ("case", "read"),
    [
        ("use plain", {"plain", "fresh"}),
        ("use pipeline", {"pipeline", "fresh"}),
        ("use two", {"one", "two", "fresh"}),
        ("use cross", {"fresh", *SEARCH}),
    ],
)
def test_a_load_reads_the_saved_model(
    saving: Submitted, using: Submitted, case: str, read: set[str]
) -> None:
    told = ends(using, case)
    assert names(saving.directory, told, "inputs") == read


@pytest.mark.parametrize(
    ("case", "read", "written"),
    [
        ("use plain", {"plain", "fresh"}, "by_plain"),
        ("use pipeline", {"pipeline", "fresh"}, "by_pipeline"),
    ],
)
def test_inputs_of_predictions_include_the_loaded_model(
    saving: Submitted, using: Submitted, case: str, read: set[str], written: str
) -> None:
    [write] = [end for end in ends(using, case) if end["outputs"]]
    assert names(saving.directory, [write], "inputs") == read
    assert names(saving.directory, [write], "outputs") == {written}
    assert marks(write) == []


def test_a_model_is_no_input_of_what_another_model_predicts(
    saving: Submitted, using: Submitted
) -> None:
    writes = [end for end in ends(using, "use two") if end["outputs"]]
    assert len(writes) == 2
    assert names(saving.directory, writes, "inputs") == {"fresh"}
    assert [marks(write) for write in writes] == [["LogisticRegressionModel"]] * 2
