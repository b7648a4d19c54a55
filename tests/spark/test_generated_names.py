"""Columns that Spark named after their expressions, from one application to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from support.cases.secrets import secret
from support.spark.recorded import told

if TYPE_CHECKING:
    from support.fixtures.spark import SparkSubmit, Submitted

Columns = dict[str, dict[str, set[str]]]


@pytest.fixture(scope="module")
def job(spark_submit: SparkSubmit) -> Submitted:
    submitted = spark_submit.start("generated_names.py")
    assert submitted.finish() == 0, submitted.log[-3000:]
    return submitted


@pytest.fixture(scope="module")
def columns(job: Submitted) -> Columns:
    """Return the direct sources of each column of each output."""
    return {
        last(output): {
            name: {f"{last(item)}.{item['field']}" for item in field["inputFields"] if direct(item)}
            for name, field in output["facets"]["columnLineage"]["fields"].items()
        }
        for event in told(job.spool)
        if event["eventType"] == "COMPLETE"
        for output in event["outputs"]
        if "columnLineage" in output["facets"]
    }


def last(dataset: dict[str, Any]) -> str:
    return str(dataset["name"]).rpartition("/")[2]


def direct(item: dict[str, Any]) -> bool:
    return any(how["type"] == "DIRECT" for how in item["transformations"])


def test_a_reader_names_a_column_as_its_writer_does(columns: Columns):
    month, total = columns["monthly"]
    assert columns["monthly"] == {month: {"orders.day"}, total: {"orders.amount"}}
    assert total == "sum(amount)"  # no literal is useful in a sum
    assert columns["report"] == {"month": {f"monthly.{month}"}, "total": {f"monthly.{total}"}}


def test_columns_whose_names_differ_in_literals_only_stay_apart(columns: Columns):
    written = columns["alike"]
    assert list(written.values()) == [
        {"orders.id", "orders.amount"},
        {"orders.person", "orders.cat"},
        {"orders.cat"},
        {"orders.day"},
    ]
    assert list(columns["parts"].values()) == [{f"alike.{name}"} for name in written]


def test_a_text_file_has_no_name_of_its_column(columns: Columns):
    assert columns["lines"] == {"value": {"orders.cat"}, "day": {"orders.day"}}
    assert columns["parsed"] == {"v": {"lines.value"}, "d": {"lines.day"}}


def test_no_literal_of_an_expression_is_in_the_spool(job: Submitted):
    spooled = "".join(file.read_text() for file in job.spool.glob("*.jsonl"))
    assert "copied secrets" in spooled
    assert "copied masked" in spooled
    assert [number for number in range(7) if secret(number) in spooled] == []
